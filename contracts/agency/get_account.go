package agency

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetAccount identifies the agency's account at the application.
var GetAccount = contracts.Operation[GetAccountRequest, Account]{
	Integration: integration,
	Name:        "get-account",
	Method:      http.MethodGet,
	Path:        "/v1/agency/account",
	Summary:     "Get the account identifier",
	Description: "Returns the identifier by which the application knows the agency.",
}

// GetAccountRequest has no fields.
type GetAccountRequest struct{}

// Account identifies an agency at the application.
type Account struct {
	AccountID  string `json:"accountId" sensitive:"true" doc:"The application's identifier of the agency." example:"AG-10482"`
	AgencyName string `json:"agencyName,omitempty" sensitive:"true" doc:"Name of the agency." example:"Prairie Insurance Agency"`
}
