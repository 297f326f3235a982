package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetClinics lists the clinics of the business.
var GetClinics = contracts.Operation[GetClinicsRequest, ClinicList]{
	Integration: integration,
	Name:        "get-clinics",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/clinics",
	Summary:     "List clinics",
	Description: "Lists the clinics of the business that the end user may see.",
}

// GetClinicsRequest has no fields.
type GetClinicsRequest struct{}

// ClinicList is all clinics of the business.
type ClinicList struct {
	Clinics []Clinic `json:"clinics" nullable:"false" doc:"The clinics, in the application's order."`
}

// Clinic is a place at which the business treats clients.
type Clinic struct {
	ClinicID     int64              `json:"clinicId" doc:"The application's number of the clinic." example:"12"`
	Name         string             `json:"name" doc:"Name of the clinic." example:"Elm Street Aesthetics"`
	Phone        string             `json:"phone,omitempty" doc:"The clinic's public telephone number." example:"+1 217 555 0100"`
	Email        string             `json:"email,omitempty" doc:"The clinic's public e-mail address." format:"email" example:"hello@elmstreet.example"`
	Website      string             `json:"website,omitempty" doc:"The clinic's public web page." format:"uri" example:"https://elmstreet.example"`
	Address      *contracts.Address `json:"address,omitempty" doc:"Where the clinic is."`
	TimeZone     string             `json:"timeZone,omitempty" doc:"The clinic's time zone, as an IANA name." example:"America/Chicago"`
	OpeningHours []OpeningHours     `json:"openingHours,omitempty" nullable:"false" doc:"When the clinic is open; a day that is not listed is closed."`
	Active       bool               `json:"active" doc:"Whether the clinic can be booked." example:"true"`
}

// Weekday is a day of the week.
type Weekday string

// The values of Weekday.
const (
	Monday    Weekday = "monday"
	Tuesday   Weekday = "tuesday"
	Wednesday Weekday = "wednesday"
	Thursday  Weekday = "thursday"
	Friday    Weekday = "friday"
	Saturday  Weekday = "saturday"
	Sunday    Weekday = "sunday"
)

// OpeningHours are the hours of one day; a day with a break has two entries.
type OpeningHours struct {
	Day    Weekday `json:"day" enum:"monday,tuesday,wednesday,thursday,friday,saturday,sunday" doc:"Day of the week." example:"monday"`
	Opens  string  `json:"opens" doc:"Opening time in the clinic's time zone, on a clock of 24 hours." pattern:"^[0-2][0-9]:[0-5][0-9]$" example:"09:00"`
	Closes string  `json:"closes" doc:"Closing time in the clinic's time zone, on a clock of 24 hours." pattern:"^[0-2][0-9]:[0-5][0-9]$" example:"18:00"`
}
