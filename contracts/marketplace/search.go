package marketplace

import (
	"net/http"

	"integration.gateway/contracts"
)

// Search finds items by words.
var Search = contracts.Operation[SearchRequest, SearchResults]{
	Integration: integration,
	Name:        "search",
	Method:      http.MethodGet,
	Path:        "/v1/marketplace/items/search",
	Summary:     "Search items",
	Description: "Finds items by words, in the marketplace's own order of relevance. When nothing matches, the answer is 200 with no items.",
}

// SearchRequest says what to look for.
type SearchRequest struct {
	Query          string `query:"query" json:"query" required:"true" sensitive:"true" doc:"Words to look for." minLength:"1" maxLength:"500" example:"coffee dripper"`
	IsGroceryChain bool   `query:"isGroceryChain" json:"isGroceryChain,omitempty" doc:"Restricts the search to the marketplace's grocery store." example:"false"`
}

// SearchResults are the items of the first page of results.
type SearchResults struct {
	Items []Item `json:"items" nullable:"false" sensitive:"true" doc:"Items in the marketplace's order of relevance; empty when nothing matches."`
}
