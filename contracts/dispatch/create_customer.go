package dispatch

import (
	"net/http"

	"integration.gateway/contracts"
)

// CreateCustomer enters a new customer.
var CreateCustomer = contracts.Operation[CreateCustomerRequest, CustomerRecord]{
	Integration: integration,
	Name:        "create-customer",
	Method:      http.MethodPost,
	Path:        "/v1/dispatch/customers",
	Summary:     "Create a customer",
	Description: "Enters a new customer, who needs a firstName, a lastName or a companyName. The answer is 400, and nobody is entered, when the application refuses the data, for instance a customer that it has already.",
	Effect:      contracts.Record,
	Creates:     "customerId",
}

// CreateCustomerRequest says whom to enter.
type CreateCustomerRequest struct {
	Body CustomerBody `json:"body"`
}

// Validate returns an error of kind Invalid when the customer has no name.
func (r *CreateCustomerRequest) Validate() error {
	c := r.Body.Customer
	if c.FirstName == "" && c.LastName == "" && c.CompanyName == "" {
		return contracts.Errorf(contracts.Invalid, "provide customer.firstName, customer.lastName or customer.companyName")
	}
	return nil
}
