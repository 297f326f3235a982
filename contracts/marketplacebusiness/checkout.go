package marketplacebusiness

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// Checkout orders what is in the end user's cart.
var Checkout = contracts.Operation[CheckoutRequest, Order]{
	Integration: integration,
	Name:        "checkout",
	Method:      http.MethodPost,
	Path:        "/v1/marketplace-business/checkout",
	Summary:     "Order the cart",
	Description: "Orders everything in the end user's cart, to an address of the addresses operation, paid with a card that the marketplace has stored. The end user must have a default address and a default payment method at the marketplace. " +
		"The answer is 400, and nothing is ordered, when the cart is empty, when the address or the card is not the end user's, or when an item cannot be bought.",
	Effect:  contracts.Order,
	Creates: "orderId",
	Access:  contracts.SoleAccount,
	Timeout: 120 * time.Second,
}

// CheckoutRequest says where the order goes and what pays for it.
type CheckoutRequest struct {
	Body CheckoutChoice `json:"body"`
}

// CheckoutChoice names a stored address and a stored card.
type CheckoutChoice struct {
	AddressID          string `json:"addressId" sensitive:"true" doc:"Address that the order goes to: addressId of the addresses operation." minLength:"1" maxLength:"128" example:"adr-88213"`
	CreditCardLastFour string `json:"creditCardLastFour" sensitive:"true" doc:"Last four digits of the stored card that pays." pattern:"^[0-9]{4}$" patternDescription:"four digits" example:"4242"`
}
