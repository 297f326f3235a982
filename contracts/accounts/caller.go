package accounts

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// CreateCaller registers a product or an AI agent that will call the API.
var CreateCaller = contracts.Operation[CreateCallerRequest, Caller]{
	Integration: integration,
	Name:        "create-caller",
	Method:      http.MethodPost,
	Path:        "/admin/v1/callers",
	Summary:     "Create a caller",
	Description: "Registers a product or an AI agent that calls the API. It can do nothing until an access token is issued for it.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// CreateCallerRequest describes the new caller.
type CreateCallerRequest struct {
	Body NewCaller `json:"body"`
}

// NewCaller describes a caller to create.
type NewCaller struct {
	Name string `json:"name" doc:"Name by which the operator knows the caller. Not an end user's." minLength:"1" maxLength:"200" example:"Shopping assistant"`
}

// Caller is the owner of access tokens and of linked accounts.
type Caller struct {
	CallerID  string    `json:"callerId" doc:"Id of the caller." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Name      string    `json:"name" doc:"Name by which the operator knows the caller." example:"Shopping assistant"`
	CreatedAt time.Time `json:"createdAt" doc:"When the caller was created." example:"2026-11-21T09:30:00Z"`
}

// ListCallers lists all callers.
var ListCallers = contracts.Operation[ListCallersRequest, Callers]{
	Integration: integration,
	Name:        "list-callers",
	Method:      http.MethodGet,
	Path:        "/admin/v1/callers",
	Summary:     "List callers",
	Description: "Lists the callers in the order of their creation.",
	Access:      contracts.AdminToken,
}

// ListCallersRequest says which part of the list to return.
type ListCallersRequest struct {
	Page
}

// Callers is a part of the list of callers.
type Callers struct {
	Callers []Caller `json:"callers" nullable:"false" doc:"Callers in the order of their creation."`
	Next    string   `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
}
