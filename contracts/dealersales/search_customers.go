package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// SearchCustomers finds customers by words.
var SearchCustomers = contracts.Operation[SearchCustomersRequest, CustomerList]{
	Integration: integration,
	Name:        "search-customers",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/customers",
	Summary:     "Search customers",
	Description: "Finds customers by name, e-mail address or telephone number, page by page. When nothing matches, the answer is 200 with no customers.",
}

// SearchCustomersRequest says whom to look for.
type SearchCustomersRequest struct {
	Query    string `query:"query" json:"query" required:"true" sensitive:"true" doc:"Name, e-mail address or telephone number, or a part of one." minLength:"1" maxLength:"200" example:"whitfield"`
	DealerID string `query:"dealerId" json:"dealerId,omitempty" doc:"Only customers of this dealer." maxLength:"128" example:"D-014"`
	contracts.Paging
}

// CustomerList is a page of customers.
type CustomerList struct {
	Customers []Customer `json:"customers" nullable:"false" doc:"The page's customers, in the application's order; empty when nothing matches."`
	Total     *int       `json:"total,omitempty" doc:"How many customers match on all pages, where the application says it." minimum:"0" example:"1"`
}
