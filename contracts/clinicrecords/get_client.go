package clinicrecords

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetClient reads one client.
var GetClient = contracts.Operation[GetClientRequest, Client]{
	Integration: integration,
	Name:        "get-client",
	Method:      http.MethodGet,
	Path:        "/v1/clinic-records/clients/{clientId}",
	Summary:     "Get a client",
	Description: "Returns one client. The answer is 404 when the application has no such client.",
}

// GetClientRequest names the client.
type GetClientRequest struct {
	ClientID int64 `path:"clientId" json:"clientId" sensitive:"true" doc:"The application's number of the client." minimum:"1" example:"50331"`
}
