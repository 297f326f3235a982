package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetClientAppointments lists the appointments of one client.
var GetClientAppointments = contracts.Operation[GetClientAppointmentsRequest, AppointmentList]{
	Integration: integration,
	Name:        "get-client-appointments",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/clients/{clientId}/appointments",
	Summary:     "List a client's appointments",
	Description: "Lists the past and coming appointments of one client, page by page, in the application's order. The answer is 404 when the application has no such client.",
}

// GetClientAppointmentsRequest names the client and says which page to return.
type GetClientAppointmentsRequest struct {
	ClientID int64 `path:"clientId" json:"clientId" sensitive:"true" doc:"The application's number of the client." minimum:"1" example:"50331"`
	contracts.Paging
}

// AppointmentList is a page of appointments.
type AppointmentList struct {
	Appointments []Appointment `json:"appointments" nullable:"false" doc:"The page's appointments."`
	Total        *int          `json:"total,omitempty" doc:"How many appointments there are on all pages, where the application says it." minimum:"0" example:"1"`
}
