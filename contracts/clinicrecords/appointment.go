package clinicrecords

import (
	"time"

	"integration.gateway/contracts"
)

// AppointmentStatus says how far an appointment has come.
type AppointmentStatus string

// The values of AppointmentStatus.
const (
	Requested  AppointmentStatus = "requested" // awaits the clinic's approval
	Booked     AppointmentStatus = "booked"
	Confirmed  AppointmentStatus = "confirmed" // by the client
	Arrived    AppointmentStatus = "arrived"
	InProgress AppointmentStatus = "in-progress"
	Completed  AppointmentStatus = "completed"
	Cancelled  AppointmentStatus = "cancelled"
	NoShow     AppointmentStatus = "no-show"
	Unknown    AppointmentStatus = "unknown" // the application shows another status
)

// Appointment is a client's visit to a provider.
type Appointment struct {
	AppointmentID   int64             `json:"appointmentId" doc:"The application's number of the appointment." example:"880214"`
	ClinicID        int64             `json:"clinicId" doc:"Clinic that the appointment takes place at, or belongs to." example:"12"`
	ProviderID      int64             `json:"providerId" sensitive:"true" doc:"Provider who sees the client." example:"7"`
	ProviderName    string            `json:"providerName,omitempty" sensitive:"true" doc:"Provider as the application shows them." example:"Dr. Amelia Hart"`
	ClientID        int64             `json:"clientId" sensitive:"true" doc:"Client who is seen." example:"50331"`
	ClientName      string            `json:"clientName,omitempty" sensitive:"true" doc:"Client as the application shows them." example:"Jane Roe"`
	StartTime       time.Time         `json:"startTime" sensitive:"true" doc:"Start, with the clinic's offset from UTC." example:"2026-11-24T10:00:00-06:00"`
	EndTime         time.Time         `json:"endTime" sensitive:"true" doc:"End, with the clinic's offset from UTC." example:"2026-11-24T10:45:00-06:00"`
	DurationMinutes int               `json:"durationMinutes" doc:"Length in minutes." minimum:"0" example:"45"`
	Modality        Modality          `json:"modality,omitempty" enum:"in-person,virtual,phone" doc:"How the client meets the provider." example:"in-person"`
	Status          AppointmentStatus `json:"status" enum:"requested,booked,confirmed,arrived,in-progress,completed,cancelled,no-show,unknown" doc:"How far the appointment has come." example:"confirmed"`
	Services        []BookedService   `json:"services" nullable:"false" sensitive:"true" doc:"What the client comes for."`
	RoomName        string            `json:"roomName,omitempty" doc:"Room of the clinic." example:"Treatment room 2"`
	Notes           string            `json:"notes,omitempty" sensitive:"true" doc:"Notes to the appointment." example:"Prefers topical anaesthetic."`
	CreatedAt       *time.Time        `json:"createdAt,omitempty" doc:"When the appointment was made." example:"2026-11-02T16:21:09-06:00"`
}

// BookedService is a service that a client comes for.
type BookedService struct {
	ServiceID int64            `json:"serviceId" doc:"The service, as the appointment types name it." example:"301"`
	Name      string           `json:"name" sensitive:"true" doc:"Name of the service." example:"Hydrating facial"`
	Price     *contracts.Money `json:"price,omitempty" doc:"Price of the service at this appointment."`
}
