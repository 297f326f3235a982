package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetSalesAppointment reads one sales appointment.
var GetSalesAppointment = contracts.Operation[GetSalesAppointmentRequest, SalesAppointment]{
	Integration: integration,
	Name:        "get-sales-appointment",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/sales/appointments/{appointmentId}",
	Summary:     "Get a sales appointment",
	Description: "Returns one sales appointment. The answer is 404 when the application has no such appointment.",
}

// GetSalesAppointmentRequest names the appointment.
type GetSalesAppointmentRequest struct {
	AppointmentID string `path:"appointmentId" json:"appointmentId" doc:"The application's identifier of the appointment." minLength:"1" maxLength:"128" example:"A-71204"`
}
