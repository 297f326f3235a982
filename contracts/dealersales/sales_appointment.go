package dealersales

import "time"

// AppointmentStatus says how far a sales appointment has come.
type AppointmentStatus string

// The values of AppointmentStatus.
const (
	Scheduled          AppointmentStatus = "scheduled"
	Confirmed          AppointmentStatus = "confirmed"
	Showed             AppointmentStatus = "showed" // the customer came
	NoShow             AppointmentStatus = "no-show"
	Rescheduled        AppointmentStatus = "rescheduled"
	Cancelled          AppointmentStatus = "cancelled"
	Completed          AppointmentStatus = "completed"
	UnknownAppointment AppointmentStatus = "unknown" // the application shows another status
)

// SalesAppointment is a customer's visit to a dealer.
type SalesAppointment struct {
	AppointmentID    string            `json:"appointmentId" doc:"The application's identifier of the appointment." example:"A-71204"`
	LeadID           string            `json:"leadId,omitempty" doc:"Lead that the appointment belongs to." example:"L-330871"`
	CustomerID       string            `json:"customerId,omitempty" sensitive:"true" doc:"Customer who comes." example:"C-88012"`
	CustomerName     string            `json:"customerName,omitempty" sensitive:"true" doc:"Customer as the application shows them." example:"Dana Whitfield"`
	DealerID         string            `json:"dealerId,omitempty" doc:"Dealer whom the customer visits." example:"D-014"`
	AssignedUserID   string            `json:"assignedUserId,omitempty" sensitive:"true" doc:"User of the dealer who receives the customer." example:"U-205"`
	AssignedUserName string            `json:"assignedUserName,omitempty" sensitive:"true" doc:"That user as the application shows them." example:"Chris Ortega"`
	Description      string            `json:"description,omitempty" sensitive:"true" doc:"What the appointment is about." example:"Test drive of the 2025 Ridgeline"`
	StartTime        time.Time         `json:"startTime" sensitive:"true" doc:"Start, with the dealer's offset from UTC." example:"2026-11-28T10:00:00-06:00"`
	EndTime          *time.Time        `json:"endTime,omitempty" sensitive:"true" doc:"End, with the dealer's offset from UTC." example:"2026-11-28T11:00:00-06:00"`
	Status           AppointmentStatus `json:"status" enum:"scheduled,confirmed,showed,no-show,rescheduled,cancelled,completed,unknown" doc:"How far the appointment has come." example:"scheduled"`
	VehicleID        string            `json:"vehicleId,omitempty" sensitive:"true" doc:"Vehicle that the customer comes for." example:"V-55190"`
	CreatedAt        *time.Time        `json:"createdAt,omitempty" doc:"When the appointment was made." example:"2026-11-20T15:04:05-06:00"`
}
