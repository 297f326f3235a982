// Package marketplace is the service of the marketplace integration: it
// searches an online shop, fills its cart and places orders for an end user.
// What is special about a shop stands in the flows under sites.
package marketplace

import (
	"embed"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is the marketplace as a process serves it.
var Integration = integration.Integration{
	Name:        "marketplace",
	Description: "Searches an online shop, fills its cart and places orders.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(marketplace.CreateSession),
		integration.Flow(marketplace.BuyAgain),
		integration.Flow(marketplace.BuyNow),
		integration.Flow(marketplace.AddToCart),
		integration.Flow(marketplace.Search),
	},
}
