package clinicrecords

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// GetAppointments reads the calendar of some providers.
var GetAppointments = contracts.Operation[GetAppointmentsRequest, Calendar]{
	Integration: integration,
	Name:        "get-appointments",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/appointments",
	Summary:     "Get the appointments of providers",
	Description: "Returns the calendar of the listed providers at a clinic, from startDate to endDate, both included. The answer is 400 when endDate lies before startDate.",
}

// GetAppointmentsRequest says whose calendar to read, and for which days.
type GetAppointmentsRequest struct {
	ClinicID    int64   `query:"clinicId" json:"clinicId" required:"true" doc:"Clinic whose calendar is read." minimum:"1" example:"12"`
	StartDate   string  `query:"startDate" json:"startDate" required:"true" doc:"First day, in the clinic's time zone." format:"date" example:"2026-11-23"`
	EndDate     string  `query:"endDate" json:"endDate" required:"true" doc:"Last day, in the clinic's time zone." format:"date" example:"2026-11-29"`
	ProviderIDs []int64 `query:"providerIds,explode" json:"providerIds" nullable:"false" required:"true" sensitive:"true" doc:"Providers whose appointments are returned: providerIds=7&providerIds=9." minItems:"1" maxItems:"100" minimum:"1" example:"[7,9]"`
}

// Validate returns an error of kind Invalid when the days are out of order.
func (r *GetAppointmentsRequest) Validate() error {
	return contracts.DatesInOrder("startDate", r.StartDate, "endDate", r.EndDate)
}

// Calendar holds the appointments of some providers in a range of days.
type Calendar struct {
	ClinicID  int64              `json:"clinicId" doc:"Clinic of the calendar." example:"12"`
	StartDate string             `json:"startDate" doc:"First day." format:"date" example:"2026-11-23"`
	EndDate   string             `json:"endDate" doc:"Last day." format:"date" example:"2026-11-29"`
	TimeZone  string             `json:"timeZone,omitempty" doc:"The clinic's time zone, as an IANA name." example:"America/Chicago"`
	Providers []ProviderCalendar `json:"providers" nullable:"false" doc:"One entry for each provider asked for that the clinic has."`
}

// ProviderCalendar is one provider's part of a calendar.
type ProviderCalendar struct {
	ProviderID   int64           `json:"providerId" sensitive:"true" doc:"The provider." example:"7"`
	ProviderName string          `json:"providerName,omitempty" sensitive:"true" doc:"Provider as the application shows them." example:"Dr. Amelia Hart"`
	Appointments []Appointment   `json:"appointments" nullable:"false" doc:"The provider's appointments, earliest first."`
	BlockedTimes []BlockedPeriod `json:"blockedTimes,omitempty" nullable:"false" sensitive:"true" doc:"Times at which the provider cannot be booked: breaks, leave, meetings."`
}

// BlockedPeriod is a time at which a provider cannot be booked.
type BlockedPeriod struct {
	StartTime time.Time `json:"startTime" doc:"Start, with the clinic's offset from UTC." example:"2026-11-24T12:00:00-06:00"`
	EndTime   time.Time `json:"endTime" doc:"End, with the clinic's offset from UTC." example:"2026-11-24T13:00:00-06:00"`
	Reason    string    `json:"reason,omitempty" sensitive:"true" doc:"Why the time is blocked." example:"Lunch"`
}
