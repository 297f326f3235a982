package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// CreateCustomer enters a new customer.
var CreateCustomer = contracts.Operation[CreateCustomerRequest, Customer]{
	Integration: integration,
	Name:        "create-customer",
	Method:      http.MethodPost,
	Path:        "/v1/dealer-sales/customers",
	Summary:     "Create a customer",
	Description: "Enters a new customer of a dealer, who needs a firstName, a lastName or a companyName, and returns the record as the application keeps it. The answer is 400, and nobody is entered, when the application refuses the data, for instance a customer that it has already.",
	Effect:      contracts.Record,
	Creates:     "customerId",
}

// CreateCustomerRequest says whom to enter.
type CreateCustomerRequest struct {
	Body NewCustomer `json:"body"`
}

// NewCustomer is a customer to be entered.
type NewCustomer struct {
	DealerID         string             `json:"dealerId" doc:"Dealer whose customer it is." minLength:"1" maxLength:"128" example:"D-014"`
	FirstName        string             `json:"firstName,omitempty" sensitive:"true" doc:"Given name." maxLength:"100" example:"Dana"`
	LastName         string             `json:"lastName,omitempty" sensitive:"true" doc:"Family name." maxLength:"100" example:"Whitfield"`
	CompanyName      string             `json:"companyName,omitempty" sensitive:"true" doc:"Name of the company." maxLength:"200" example:"Whitfield Landscaping"`
	CompanyTypeID    string             `json:"companyTypeId,omitempty" doc:"Kind of company: companyTypeId of the company types." maxLength:"128" example:"CT-3"`
	Email            string             `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" maxLength:"254" example:"dana@whitfield.example"`
	MobilePhone      string             `json:"mobilePhone,omitempty" sensitive:"true" doc:"Mobile telephone number." maxLength:"40" pattern:"^[0-9+().x -]+$" patternDescription:"a telephone number" example:"+1 217 555 0155"`
	HomePhone        string             `json:"homePhone,omitempty" sensitive:"true" doc:"Home telephone number." maxLength:"40" pattern:"^[0-9+().x -]+$" patternDescription:"a telephone number" example:"+1 217 555 0156"`
	WorkPhone        string             `json:"workPhone,omitempty" sensitive:"true" doc:"Work telephone number." maxLength:"40" pattern:"^[0-9+().x -]+$" patternDescription:"a telephone number" example:"+1 217 555 0157"`
	PreferredContact ContactMethod      `json:"preferredContact,omitempty" enum:"phone,text,email" doc:"How the customer wants to be reached." example:"text"`
	Address          *contracts.Address `json:"address,omitempty" doc:"Postal address."`
}

// Validate returns an error of kind Invalid when the customer has no name.
func (r *CreateCustomerRequest) Validate() error {
	if r.Body.FirstName == "" && r.Body.LastName == "" && r.Body.CompanyName == "" {
		return contracts.Errorf(contracts.Invalid, "provide firstName, lastName or companyName")
	}
	return nil
}
