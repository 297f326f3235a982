package dealersales

import (
	"time"

	"integration.gateway/contracts"
)

// ContactMethod says how a customer wants to be reached.
type ContactMethod string

// The values of ContactMethod.
const (
	ByPhone ContactMethod = "phone"
	ByText  ContactMethod = "text"
	ByEmail ContactMethod = "email"
)

// Customer is a person or company that buys, or may buy, a vehicle.
type Customer struct {
	CustomerID       string             `json:"customerId" sensitive:"true" doc:"The application's identifier of the customer." example:"C-88012"`
	DealerID         string             `json:"dealerId,omitempty" doc:"Dealer whose customer it is." example:"D-014"`
	FirstName        string             `json:"firstName,omitempty" sensitive:"true" doc:"Given name." example:"Dana"`
	LastName         string             `json:"lastName,omitempty" sensitive:"true" doc:"Family name." example:"Whitfield"`
	CompanyName      string             `json:"companyName,omitempty" sensitive:"true" doc:"Name of the company." example:"Whitfield Landscaping"`
	CompanyTypeID    string             `json:"companyTypeId,omitempty" doc:"Kind of company, one of the company types." example:"CT-3"`
	Email            string             `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" example:"dana@whitfield.example"`
	MobilePhone      string             `json:"mobilePhone,omitempty" sensitive:"true" doc:"Mobile telephone number, as the application shows it." example:"+1 217 555 0155"`
	HomePhone        string             `json:"homePhone,omitempty" sensitive:"true" doc:"Home telephone number, as the application shows it." example:"+1 217 555 0156"`
	WorkPhone        string             `json:"workPhone,omitempty" sensitive:"true" doc:"Work telephone number, as the application shows it." example:"+1 217 555 0157"`
	PreferredContact ContactMethod      `json:"preferredContact,omitempty" enum:"phone,text,email" doc:"How the customer wants to be reached." example:"text"`
	DoNotContact     bool               `json:"doNotContact,omitempty" doc:"Whether the customer must not be contacted." example:"false"`
	Address          *contracts.Address `json:"address,omitempty" doc:"Postal address."`
	CreatedAt        *time.Time         `json:"createdAt,omitempty" doc:"When the customer was entered." example:"2026-11-02T10:11:12-06:00"`
}
