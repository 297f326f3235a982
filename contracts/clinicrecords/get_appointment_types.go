package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetAppointmentTypes lists the services that a provider can be booked for.
var GetAppointmentTypes = contracts.Operation[GetAppointmentTypesRequest, AppointmentTypeList]{
	Integration: integration,
	Name:        "get-appointment-types",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/appointment-types",
	Summary:     "List appointment types",
	Description: "Lists the services that a provider can be booked for at a clinic, for one modality. Their serviceId is what availability and create appointment take. The answer is 404 when the application has no such provider or clinic.",
}

// GetAppointmentTypesRequest says whose services to list.
type GetAppointmentTypesRequest struct {
	ProviderID int64    `query:"providerId" json:"providerId" required:"true" sensitive:"true" doc:"Provider whose services are listed." minimum:"1" example:"7"`
	ClinicID   int64    `query:"clinicId" json:"clinicId" required:"true" doc:"Clinic at which the services are offered." minimum:"1" example:"12"`
	Modality   Modality `query:"modality" json:"modality" required:"true" enum:"in-person,virtual,phone" doc:"How the client is to meet the provider." example:"in-person"`
}

// AppointmentTypeList is the services of a provider.
type AppointmentTypeList struct {
	AppointmentTypes []AppointmentType `json:"appointmentTypes" nullable:"false" doc:"The services, in the application's order; empty when there are none."`
}

// AppointmentType is a service that can be booked.
type AppointmentType struct {
	ServiceID       int64            `json:"serviceId" doc:"The application's number of the service." example:"301"`
	Name            string           `json:"name" doc:"Name of the service." example:"Hydrating facial"`
	Category        string           `json:"category,omitempty" doc:"Group of services that it belongs to." example:"Facials"`
	Description     string           `json:"description,omitempty" doc:"What the service is." example:"Cleansing, exfoliation and a hydrating mask."`
	Modality        Modality         `json:"modality" enum:"in-person,virtual,phone" doc:"How the client meets the provider." example:"in-person"`
	DurationMinutes int              `json:"durationMinutes" doc:"Length in minutes." minimum:"0" example:"45"`
	BufferMinutes   int              `json:"bufferMinutes,omitempty" doc:"Minutes that are kept free after it." minimum:"0" example:"10"`
	Price           *contracts.Money `json:"price,omitempty" doc:"Price of the service."`
	Deposit         *contracts.Money `json:"deposit,omitempty" doc:"What the client pays when booking."`
	OnlineBookable  bool             `json:"onlineBookable,omitempty" doc:"Whether clients can book it themselves." example:"true"`
}
