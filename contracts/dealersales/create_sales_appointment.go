package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// CreateSalesAppointment books a customer's visit to a dealer.
var CreateSalesAppointment = contracts.Operation[CreateSalesAppointmentRequest, contracts.StatusResult]{
	Integration: integration,
	Name:        "create-sales-appointment",
	Method:      http.MethodPost,
	Path:        "/v1/dealer-sales/sales/appointments",
	Summary:     "Create a sales appointment",
	Description: "Books an appointment of a lead's customer with a user of the dealer. When the application itself says no, for instance to a time that is taken or a lead that it does not have, the answer is 200 with `status` `error`, and nothing was booked.",
	Effect:      contracts.Appointment,
}

// CreateSalesAppointmentRequest says what to book.
type CreateSalesAppointmentRequest struct {
	Body NewSalesAppointment `json:"body"`
}

// NewSalesAppointment is a sales appointment to be booked.
type NewSalesAppointment struct {
	LeadID         string `json:"leadId" doc:"Lead that the appointment belongs to." minLength:"1" maxLength:"128" example:"L-330871"`
	CustomerID     string `json:"customerId" sensitive:"true" doc:"Customer who comes." minLength:"1" maxLength:"128" example:"C-88012"`
	DealerID       string `json:"dealerId" doc:"Dealer whom the customer visits." minLength:"1" maxLength:"128" example:"D-014"`
	Description    string `json:"description" sensitive:"true" doc:"What the appointment is about." maxLength:"4000" example:"Test drive of the 2025 Ridgeline"`
	EndDate        string `json:"endDate" sensitive:"true" doc:"End, in the form that the application takes; it is passed on as it is." minLength:"1" maxLength:"64" example:"2026-11-28T11:00:00"`
	StartDate      string `json:"startDate" sensitive:"true" doc:"Start, in the form that the application takes; it is passed on as it is." minLength:"1" maxLength:"64" example:"2026-11-28T10:00:00"`
	AssignedUserID string `json:"assignedUserId" sensitive:"true" doc:"User of the dealer who receives the customer." minLength:"1" maxLength:"128" example:"U-205"`
}
