package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetLeadTypes lists the kinds of lead.
var GetLeadTypes = contracts.Operation[GetLeadTypesRequest, LeadTypeList]{
	Integration: integration,
	Name:        "get-lead-types",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/lead-types",
	Summary:     "List lead types",
	Description: "Lists the kinds of lead that can be entered.",
}

// GetLeadTypesRequest has no fields.
type GetLeadTypesRequest struct{}

// LeadTypeList is all lead types.
type LeadTypeList struct {
	LeadTypes []LeadType `json:"leadTypes" nullable:"false" doc:"The types, in the application's order."`
}

// LeadType is a kind of lead.
type LeadType struct {
	LeadTypeID string `json:"leadTypeId" doc:"The application's identifier of the type; create lead takes it." example:"LT-2"`
	Name       string `json:"name" doc:"Name of the type." example:"Internet"`
	Active     bool   `json:"active" doc:"Whether leads can be entered with it." example:"true"`
}
