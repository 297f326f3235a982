// Package marketplacebusiness is the service of the marketplace-business
// integration: it searches the business edition of an online shop, fills its
// cart, and places and lists an organisation's orders. What is special about an
// application stands in the flows under sites.
package marketplacebusiness

import (
	"embed"

	"integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is marketplace-business as a process serves it.
var Integration = integration.Integration{
	Name:        "marketplace-business",
	Description: "Searches a business shop, fills its cart, and places and lists an organisation's orders.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(marketplacebusiness.CreateSession),
		integration.Flow(marketplacebusiness.GetOrders),
		integration.Flow(marketplacebusiness.BuyAgain),
		integration.Flow(marketplacebusiness.BuyNow),
		integration.Flow(marketplacebusiness.Search),
		integration.Flow(marketplacebusiness.AddToCart),
		integration.Flow(marketplacebusiness.Checkout),
		integration.Flow(marketplacebusiness.GetAddresses),
	},
}
