package dispatch

import (
	"net/http"

	"integration.gateway/contracts"
)

// EditCustomer changes a customer.
var EditCustomer = contracts.Operation[EditCustomerRequest, CustomerRecord]{
	Integration: integration,
	Name:        "edit-customer",
	Method:      http.MethodPut,
	Path:        "/v1/dispatch/customers/{customerId}",
	Summary:     "Edit a customer",
	Description: "Sets the fields that are given; the others stay as they are. Lists replace the lists that were there. An empty text or list counts as not given, so that nothing can be emptied. The answer is 404 when the application has no such customer, and 400, with nothing changed, when the application refuses the data.",
	Effect:      contracts.Record,
}

// EditCustomerRequest says whom to change, and how.
type EditCustomerRequest struct {
	CustomerID string       `path:"customerId" json:"customerId" sensitive:"true" doc:"The application's identifier of the customer." minLength:"1" maxLength:"128" example:"cus_7f81d2"`
	Body       CustomerBody `json:"body"`
}

// CustomerBody holds a customer's data.
type CustomerBody struct {
	Customer Customer `json:"customer" doc:"The customer's data."`
}
