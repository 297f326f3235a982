package foundernetwork

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// MarkDeal marks a deal as used by the end user.
var MarkDeal = contracts.Operation[MarkDealRequest, MarkedDeal]{
	Integration: integration,
	Name:        "mark-deal",
	Method:      http.MethodPost,
	Path:        "/v1/founder-network/deals/{dealId}/using",
	Summary:     "Mark a deal as in use",
	Description: "Marks the deal as used by the end user. A deal that is marked already stays so, and the answer is 200. The answer is 404 when the network has no such deal, and 400 when the end user may not use it.",
	Effect:      contracts.Record,
}

// MarkDealRequest names the deal.
type MarkDealRequest struct {
	DealID string `path:"dealId" json:"dealId" sensitive:"true" doc:"The network's identifier of the deal." minLength:"1" maxLength:"200" example:"nimbus-cloud-credits"`
}

// MarkedDeal is a deal that is in use.
type MarkedDeal struct {
	DealID         string     `json:"dealId" sensitive:"true" doc:"Deal that was marked." example:"nimbus-cloud-credits"`
	InUse          bool       `json:"inUse" doc:"Whether the network shows the deal as used now." example:"true"`
	Title          string     `json:"title,omitempty" sensitive:"true" doc:"Headline of the deal." example:"5,000 USD in cloud credits for two years"`
	RedemptionCode string     `json:"redemptionCode,omitempty" sensitive:"true" doc:"Code that the end user gives to the partner, where the deal has one." example:"FOUNDER-7Q2M-91"`
	RedemptionURL  string     `json:"redemptionUrl,omitempty" sensitive:"true" doc:"Page of the partner at which the deal is redeemed." format:"uri" example:"https://nimbus.example/startups?ref=founders"`
	MarkedAt       *time.Time `json:"markedAt,omitempty" doc:"When the deal was marked, where the network shows it." example:"2026-11-20T15:04:05Z"`
}
