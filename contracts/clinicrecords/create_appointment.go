package clinicrecords

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// CreateAppointment books an appointment for a client.
var CreateAppointment = contracts.Operation[CreateAppointmentRequest, Appointment]{
	Integration: integration,
	Name:        "create-appointment",
	Method:      http.MethodPost,
	Path:        "/v1/clinic-records/appointments",
	Summary:     "Book an appointment",
	Description: "Books an appointment for a client with a provider. Free times come from the availability operation. " +
		"The answer is 400, and nothing is booked, when the time is taken or lies outside the provider's hours, or when the provider does not offer a service; it is 404 when client, clinic or provider does not exist.",
	Effect:  contracts.Appointment,
	Creates: "appointmentId",
	Timeout: 90 * time.Second,
}

// CreateAppointmentRequest says what to book.
type CreateAppointmentRequest struct {
	Body NewAppointment `json:"body"`
}

// NewAppointment is an appointment to be booked.
type NewAppointment struct {
	ClientID     int64     `json:"clientId" sensitive:"true" doc:"Client who is to be seen." minimum:"1" example:"50331"`
	ClinicID     int64     `json:"clinicId" doc:"Clinic to book at." minimum:"1" example:"12"`
	ProviderID   int64     `json:"providerId" sensitive:"true" doc:"Provider to book." minimum:"1" example:"7"`
	ServiceIDs   []int64   `json:"serviceIds" nullable:"false" sensitive:"true" doc:"Services that the client comes for: serviceId of the appointment types." minItems:"1" maxItems:"20" minimum:"1" example:"[301]"`
	Modality     Modality  `json:"modality" enum:"in-person,virtual,phone" doc:"How the client meets the provider." example:"in-person"`
	StartTime    time.Time `json:"startTime" sensitive:"true" doc:"Start, as RFC 3339 with an offset from UTC." example:"2026-11-24T10:00:00-06:00"`
	Duration     int       `json:"duration,omitempty" doc:"Length in minutes. When left out, what the services take." minimum:"1" maximum:"1440" example:"45"`
	Notes        string    `json:"notes,omitempty" sensitive:"true" doc:"Notes to the appointment, for the clinic's staff." maxLength:"4000" example:"Prefers topical anaesthetic."`
	NotifyClient bool      `json:"notifyClient,omitempty" doc:"Whether the application is to send the client its confirmation." example:"true"`
}
