package marketplacebusiness

import (
	"net/http"

	"integration.gateway/contracts"
)

// Search finds items by words, for a place of delivery.
var Search = contracts.Operation[SearchRequest, SearchResults]{
	Integration: integration,
	Name:        "search",
	Method:      http.MethodGet,
	Path:        "/v1/marketplace-business/items/search",
	Summary:     "Search items",
	Description: "Finds items by words, with prices and availability for a postal code, in the marketplace's own order of relevance. When nothing matches, the answer is 200 with no items.",
}

// SearchRequest says what to look for, and for where.
type SearchRequest struct {
	Query   string `query:"query" json:"query" required:"true" sensitive:"true" doc:"Words to look for." minLength:"1" maxLength:"500" example:"copy paper"`
	ZipCode string `query:"zipCode" json:"zipCode" required:"true" sensitive:"true" doc:"Postal code of the place of delivery." minLength:"1" maxLength:"20" example:"62704"`
}

// SearchResults are the items of the first page of results.
type SearchResults struct {
	Items []Item `json:"items" nullable:"false" sensitive:"true" doc:"Items in the marketplace's order of relevance; empty when nothing matches."`
}
