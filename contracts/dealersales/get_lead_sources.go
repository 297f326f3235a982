package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetLeadSources lists where leads can come from.
var GetLeadSources = contracts.Operation[GetLeadSourcesRequest, LeadSourceList]{
	Integration: integration,
	Name:        "get-lead-sources",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/lead-sources",
	Summary:     "List lead sources",
	Description: "Lists the sources that a lead can be entered with.",
}

// GetLeadSourcesRequest restricts the list.
type GetLeadSourcesRequest struct {
	DealerID string `query:"dealerId" json:"dealerId,omitempty" doc:"Only sources that this dealer uses." maxLength:"128" example:"D-014"`
}

// LeadSourceList is all lead sources.
type LeadSourceList struct {
	LeadSources []LeadSource `json:"leadSources" nullable:"false" doc:"The sources, in the application's order."`
}

// LeadSource is where a lead comes from.
type LeadSource struct {
	LeadSourceID string `json:"leadSourceId" doc:"The application's identifier of the source; create lead takes it." example:"LS-8"`
	Name         string `json:"name" doc:"Name of the source." example:"Dealer website"`
	Category     string `json:"category,omitempty" doc:"Group of sources that it belongs to." example:"Internet"`
	Active       bool   `json:"active" doc:"Whether leads can be entered with it." example:"true"`
}
