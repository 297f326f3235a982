package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetProviders lists those who treat clients.
var GetProviders = contracts.Operation[GetProvidersRequest, ProviderList]{
	Integration: integration,
	Name:        "get-providers",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/providers",
	Summary:     "List providers",
	Description: "Lists the providers of the business, at all of its clinics.",
}

// GetProvidersRequest has no fields.
type GetProvidersRequest struct{}

// ProviderList is all providers of the business.
type ProviderList struct {
	Providers []Provider `json:"providers" nullable:"false" doc:"The providers, in the application's order."`
}

// Provider is a person who treats clients.
type Provider struct {
	ProviderID     int64    `json:"providerId" sensitive:"true" doc:"The application's number of the provider." example:"7"`
	DisplayName    string   `json:"displayName" sensitive:"true" doc:"Provider as the application shows them." example:"Dr. Amelia Hart"`
	FirstName      string   `json:"firstName,omitempty" sensitive:"true" doc:"Given name." example:"Amelia"`
	LastName       string   `json:"lastName,omitempty" sensitive:"true" doc:"Family name." example:"Hart"`
	Title          string   `json:"title,omitempty" sensitive:"true" doc:"Professional title." example:"MD"`
	Email          string   `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" example:"amelia.hart@elmstreet.example"`
	Phone          string   `json:"phone,omitempty" sensitive:"true" doc:"Telephone number, as the application shows it." example:"+1 217 555 0107"`
	LicenseNumber  string   `json:"licenseNumber,omitempty" sensitive:"true" doc:"Number of the licence to practise." example:"IL-036-118822"`
	Specialties    []string `json:"specialties,omitempty" nullable:"false" sensitive:"true" doc:"What the provider treats." example:"[\"Injectables\",\"Laser\"]"`
	ClinicIDs      []int64  `json:"clinicIds" nullable:"false" doc:"Clinics that the provider works at." example:"[12]"`
	OnlineBookable bool     `json:"onlineBookable" doc:"Whether clients can book the provider themselves." example:"true"`
	Active         bool     `json:"active" doc:"Whether the provider works for the business now." example:"true"`
}
