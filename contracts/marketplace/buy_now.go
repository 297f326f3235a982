package marketplace

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
	Path:        "/v1/marketplace/items/buy-now",
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

// Validate returns an error of kind Invalid when no item is named.
func (r *BuyNowRequest) Validate() error { return r.Body.validate() }

// Order is a placed order of one item.
type Order struct {
	OrderID          string          `json:"orderId" doc:"The marketplace's order number." example:"114-3941689-8772232"`
	ASIN             string          `json:"asin" sensitive:"true" doc:"Item that was ordered." example:"B0CX23V2ZK"`
	Title            string          `json:"title" sensitive:"true" doc:"Name of the product." example:"Ceramic pour-over coffee dripper, size 02"`
	Quantity         int             `json:"quantity" doc:"How many were ordered." minimum:"1" example:"1"`
	Total            contracts.Money `json:"total" sensitive:"true" doc:"What the order costs in all."`
	DeliveryAddress  string          `json:"deliveryAddress" sensitive:"true" doc:"Address that the order goes to, on one line." example:"Jane Roe, 12 Elm Street, Springfield, IL 62704"`
	PaymentMethod    string          `json:"paymentMethod" sensitive:"true" doc:"Payment method as the marketplace shows it." example:"Visa ending in 4242"`
	DeliveryEstimate string          `json:"deliveryEstimate,omitempty" doc:"Expected day of delivery." format:"date" example:"2026-11-24"`
}
