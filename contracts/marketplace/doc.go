// Package marketplace holds the contracts of the marketplace integration: an
// online retail shop at which an end user searches, fills a cart and orders.
package marketplace

import "integration.gateway/contracts"

const integration = "marketplace"

// Operations lists the integration's operations.
var Operations = []contracts.Entry{
	CreateSession,
	BuyAgain,
	BuyNow,
	AddToCart,
	Search,
}
