package foundernetwork

import (
	"net/http"

	"integration.gateway/contracts"
)

// SearchDeals finds deals by words.
var SearchDeals = contracts.Operation[SearchDealsRequest, SearchDealsResult]{
	Integration: integration,
	Name:        "search-deals",
	Method:      http.MethodGet,
	Path:        "/v1/founder-network/deals",
	Summary:     "Search deals",
	Description: "Finds deals by words, in the network's own order. When nothing matches, the answer is 200 with no deals.",
	Access:      contracts.SoleAccount,
}

// SearchDealsRequest says what to look for.
type SearchDealsRequest struct {
	Query string `query:"query" json:"query" required:"true" sensitive:"true" doc:"Words to look for: a partner, a product, a category." minLength:"1" maxLength:"500" example:"cloud credits"`
}

// SearchDealsResult is the deals that match.
type SearchDealsResult struct {
	Deals []Deal `json:"deals" nullable:"false" sensitive:"true" doc:"The deals, in the network's order; empty when nothing matches."`
}

// Deal is an offer of a partner to the network's members.
type Deal struct {
	DealID         string `json:"dealId" doc:"The network's identifier of the deal." example:"nimbus-cloud-credits"`
	Title          string `json:"title" doc:"Headline of the deal." example:"5,000 USD in cloud credits for two years"`
	Partner        string `json:"partner,omitempty" doc:"Company that offers the deal." example:"Nimbus Cloud"`
	Category       string `json:"category,omitempty" doc:"Group of deals that it belongs to." example:"Infrastructure"`
	Description    string `json:"description,omitempty" doc:"What the deal is." example:"Credits for compute and storage, valid for 24 months."`
	Eligibility    string `json:"eligibility,omitempty" doc:"Who may use the deal." example:"New customers with less than 10 million USD raised"`
	Savings        string `json:"savings,omitempty" doc:"What the deal is worth, in the network's words." example:"Up to 5,000 USD"`
	DealURL        string `json:"dealUrl,omitempty" doc:"Address of the deal's page at the network." format:"uri" example:"https://founders.example/deals/nimbus-cloud-credits"`
	ExpirationDate string `json:"expirationDate,omitempty" doc:"Last day of the deal." format:"date" example:"2027-06-30"`
	InUse          bool   `json:"inUse" doc:"Whether the end user has marked the deal as used." example:"false"`
}
