package marketplacebusiness

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetAddresses lists where orders can go.
var GetAddresses = contracts.Operation[GetAddressesRequest, AddressList]{
	Integration: integration,
	Name:        "get-addresses",
	Method:      http.MethodGet,
	Path:        "/v1/marketplace-business/addresses",
	Summary:     "List addresses",
	Description: "Lists the delivery addresses that the end user may order to.",
}

// GetAddressesRequest has no fields.
type GetAddressesRequest struct{}

// AddressList is all delivery addresses of the end user.
type AddressList struct {
	Addresses []DeliveryAddress `json:"addresses" nullable:"false" doc:"The addresses, in the marketplace's order; empty when there are none."`
}

// DeliveryAddress is a stored address that an order can go to.
type DeliveryAddress struct {
	AddressID     string            `json:"addressId" sensitive:"true" doc:"The marketplace's identifier of the address; checkout takes it." example:"adr-88213"`
	RecipientName string            `json:"recipientName" sensitive:"true" doc:"Person or organisation at the address." example:"Hillcrest Bakery"`
	Phone         string            `json:"phone,omitempty" sensitive:"true" doc:"Telephone number for the delivery." example:"+1 217 555 0190"`
	Address       contracts.Address `json:"address" doc:"Where it is."`
	IsDefault     bool              `json:"isDefault" doc:"Whether buy now sends its orders there." example:"true"`
}
