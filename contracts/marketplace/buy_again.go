package marketplace

import (
	"net/http"

	"integration.gateway/contracts"
)

// BuyAgain lists what the end user bought before.
var BuyAgain = contracts.Operation[BuyAgainRequest, BuyAgainList]{
	Integration: integration,
	Name:        "buy-again",
	Method:      http.MethodGet,
	Path:        "/v1/marketplace/items/buy-again",
	Summary:     "List previously purchased items",
	Description: "Lists the items that the marketplace offers the end user to buy again, in the marketplace's own order.",
}

// BuyAgainRequest has no fields.
type BuyAgainRequest struct{}

// BuyAgainList are previously purchased items.
type BuyAgainList struct {
	Items []Item `json:"items" nullable:"false" sensitive:"true" doc:"Previously purchased items; empty when there are none."`
}
