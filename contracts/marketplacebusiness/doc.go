// Package marketplacebusiness holds the contracts of the marketplace-business
// integration: the business edition of an online retail shop, with the
// organisation's orders, addresses and checkout.
package marketplacebusiness

import "integration.gateway/contracts"

const integration = "marketplace-business"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
	GetOrders,
	BuyAgain,
	BuyNow,
	Search,
	AddToCart,
	Checkout,
	GetAddresses,
}
