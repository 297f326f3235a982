package marketplacebusiness

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// BuyNow orders one item at once, to the end user's default address and with
// the default payment method.
var BuyNow = contracts.Operation[BuyNowRequest, Order]{
	Integration: integration,
	Name:        "buy-now",
	Method:      http.MethodPost,
	Path:        "/v1/marketplace-business/items/buy-now",
	Summary:     "Order an item now",
	Description: "Orders one of the item, without the cart, to the end user's default address and with the default payment method. The answer is 400, and nothing is ordered, when one of the two is not set at the marketplace, when neither asin nor itemUrl is given, when itemUrl is not an address of the marketplace, or when the item cannot be bought.",
	Effect:      contracts.Order,
	Creates:     "orderId",
	Timeout:     90 * time.Second,
}

// BuyNowRequest says which item to order.
type BuyNowRequest struct {
	Body ItemChoice `json:"body"`
}

// ItemChoice names the item to order. When both fields are present, ASIN is
// used.
type ItemChoice struct {
	ItemURL string `json:"itemUrl,omitempty" sensitive:"true" doc:"Address of the item's page at the marketplace." format:"uri" pattern:"^https?://[^/]" patternDescription:"an http or https address" maxLength:"2048" example:"https://business-shop.example/dp/B09H3R7QZ1"`
	ASIN    string `json:"asin,omitempty" sensitive:"true" doc:"The marketplace's own item number. Wins over itemUrl when both are given." pattern:"^[A-Z0-9]{10}$" patternDescription:"ten capital letters or digits" example:"B09H3R7QZ1"`
}

// Validate returns an error of kind Invalid when no item is named.
func (r *BuyNowRequest) Validate() error {
	if r.Body.ASIN == "" && r.Body.ItemURL == "" {
		return contracts.Errorf(contracts.Invalid, "provide asin or itemUrl")
	}
	return nil
}
