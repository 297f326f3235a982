package marketplace

import (
	"net/http"

	"integration.gateway/contracts"
)

// AddToCart puts one of an item into the end user's cart.
var AddToCart = contracts.Operation[AddToCartRequest, CartAddition]{
	Integration: integration,
	Name:        "add-to-cart",
	Method:      http.MethodPost,
	Path:        "/v1/marketplace/items/add-to-cart",
	Summary:     "Put an item into the cart",
	Description: "Puts one of the item into the end user's cart. The answer is 400, and the cart stays as it is, when neither asin nor itemUrl is given, when itemUrl is not an address of the marketplace, or when the item cannot be bought.",
	Effect:      contracts.Cart,
}

// AddToCartRequest says which item to put into the cart.
type AddToCartRequest struct {
	Body ItemChoice `json:"body"`
}

// Validate returns an error of kind Invalid when no item is named.
func (r *AddToCartRequest) Validate() error { return r.Body.validate() }

// CartAddition is an item that was put into the cart, and the cart after it.
type CartAddition struct {
	ASIN      string           `json:"asin" sensitive:"true" doc:"Item that was added." example:"B0CX23V2ZK"`
	Title     string           `json:"title" sensitive:"true" doc:"Name of the product." example:"Ceramic pour-over coffee dripper, size 02"`
	Quantity  int              `json:"quantity" doc:"How many were added." minimum:"1" example:"1"`
	Price     *contracts.Money `json:"price,omitempty" sensitive:"true" doc:"Price of one."`
	CartCount int              `json:"cartCount" doc:"How many items the cart holds now." minimum:"0" example:"3"`
	Subtotal  *contracts.Money `json:"subtotal,omitempty" sensitive:"true" doc:"What the cart's items cost, without delivery and taxes."`
}
