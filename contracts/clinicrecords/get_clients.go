package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetClients lists the clients of the business.
var GetClients = contracts.Operation[GetClientsRequest, ClientList]{
	Integration: integration,
	Name:        "get-clients",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/clients",
	Summary:     "List clients",
	Description: "Lists the clients of the business, page by page, in the application's order. A page past the end is empty.",
}

// GetClientsRequest says which page to return.
type GetClientsRequest struct {
	contracts.Paging
}

// ClientList is a page of clients.
type ClientList struct {
	Clients []Client `json:"clients" nullable:"false" doc:"The page's clients."`
	Total   *int     `json:"total,omitempty" doc:"How many clients there are on all pages, where the application says it." minimum:"0" example:"1"`
}
