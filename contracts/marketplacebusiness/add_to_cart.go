package marketplacebusiness

import (
	"net/http"

	"integration.gateway/contracts"
)

// AddToCart puts one of an item into the end user's cart.
var AddToCart = contracts.Operation[AddToCartRequest, CartAddition]{
	Integration: integration,
	Name:        "add-to-cart",
	Method:      http.MethodPost,
	Path:        "/v1/marketplace-business/items/add-to-cart",
	Summary:     "Put an item into the cart",
	Description: "Puts one of the item into the end user's cart. The answer is 400, and the cart stays as it is, when itemUrl is not an address of the marketplace, or when the item cannot be bought.",
	Effect:      contracts.Cart,
}

// AddToCartRequest says which item to put into the cart.
type AddToCartRequest struct {
	Body CartItem `json:"body"`
}

// CartItem names an item by its page.
type CartItem struct {
	ItemURL string `json:"itemUrl" sensitive:"true" doc:"Address of the item's page at the marketplace." format:"uri" pattern:"^https?://[^/]" patternDescription:"an http or https address" maxLength:"2048" example:"https://business-shop.example/dp/B09H3R7QZ1"`
}

// CartAddition is an item that was put into the cart, and the cart after it.
type CartAddition struct {
	ASIN      string           `json:"asin" sensitive:"true" doc:"Item that was added." example:"B09H3R7QZ1"`
	Title     string           `json:"title" sensitive:"true" doc:"Name of the product." example:"Copy paper A4, 80 g, 5 reams"`
	Quantity  int              `json:"quantity" doc:"How many were added." minimum:"1" example:"1"`
	Price     *contracts.Money `json:"price,omitempty" sensitive:"true" doc:"Price of one."`
	CartCount int              `json:"cartCount" doc:"How many items the cart holds now." minimum:"0" example:"3"`
	Subtotal  *contracts.Money `json:"subtotal,omitempty" sensitive:"true" doc:"What the cart's items cost, without delivery and taxes."`
}
