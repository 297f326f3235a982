package clinicrecords

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// GetAvailability finds free times of providers.
var GetAvailability = contracts.Operation[GetAvailabilityRequest, Availability]{
	Integration: integration,
	Name:        "get-availability",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/availability",
	Summary:     "Get the availability of providers",
	Description: "Returns the times at which the listed providers are free for the listed services on a day. A time that is returned can be taken by somebody else before it is booked.",
}

// GetAvailabilityRequest says who is to be free, for what, and when.
type GetAvailabilityRequest struct {
	AppointmentType Modality `query:"appointmentType" json:"appointmentType" required:"true" enum:"in-person,virtual,phone" doc:"How the client is to meet the provider." example:"in-person"`
	ClinicID        int64    `query:"clinicId" json:"clinicId" required:"true" doc:"Clinic to book at." minimum:"1" example:"12"`
	Duration        int      `query:"duration" json:"duration,omitempty" doc:"Length of the appointment in minutes. When left out, what the services take." minimum:"1" maximum:"1440" example:"45"`
	ProviderIDs     []int64  `query:"providerIds,explode" json:"providerIds" nullable:"false" required:"true" sensitive:"true" doc:"Providers who may be booked: providerIds=7&providerIds=9." minItems:"1" maxItems:"100" minimum:"1" example:"[7,9]"`
	ServiceIDs      []int64  `query:"serviceIds,explode" json:"serviceIds" nullable:"false" required:"true" sensitive:"true" doc:"Services that the client comes for, all in one appointment: serviceId of the appointment types. serviceIds=301&serviceIds=305." minItems:"1" maxItems:"20" minimum:"1" example:"[301]"`
	StartDate       string   `query:"startDate" json:"startDate" required:"true" doc:"Day to look at, in the clinic's time zone." format:"date" example:"2026-11-24"`
}

// Availability holds the free times of providers on a day.
type Availability struct {
	ClinicID        int64                  `json:"clinicId" doc:"Clinic that was asked about." example:"12"`
	StartDate       string                 `json:"startDate" doc:"Day that was asked about." format:"date" example:"2026-11-24"`
	TimeZone        string                 `json:"timeZone,omitempty" doc:"The clinic's time zone, as an IANA name." example:"America/Chicago"`
	DurationMinutes int                    `json:"durationMinutes,omitempty" doc:"Length of the appointment in minutes." minimum:"0" example:"45"`
	Providers       []ProviderAvailability `json:"providers" nullable:"false" doc:"One entry for each provider asked for that the clinic has."`
}

// ProviderAvailability is one provider's part of an availability.
type ProviderAvailability struct {
	ProviderID   int64  `json:"providerId" sensitive:"true" doc:"The provider." example:"7"`
	ProviderName string `json:"providerName,omitempty" sensitive:"true" doc:"Provider as the application shows them." example:"Dr. Amelia Hart"`
	Slots        []Slot `json:"slots" nullable:"false" doc:"Free times, earliest first; empty when there are none."`
}

// Slot is a time at which an appointment can be booked.
type Slot struct {
	StartTime time.Time  `json:"startTime" doc:"Start, with the clinic's offset from UTC: startTime of an appointment to be booked." example:"2026-11-24T10:00:00-06:00"`
	EndTime   *time.Time `json:"endTime,omitempty" doc:"End, with the clinic's offset from UTC." example:"2026-11-24T10:45:00-06:00"`
	RoomName  string     `json:"roomName,omitempty" doc:"Room that is free, where rooms are booked too." example:"Treatment room 2"`
}
