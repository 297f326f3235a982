// Package marketplaceseller is the service of the marketplace-seller
// integration: it hands over the signed-in browser of a seller at an online
// shop. What is special about an application stands in the flows under sites.
package marketplaceseller

import (
	"embed"

	"integration.gateway/contracts/marketplaceseller"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is marketplace-seller as a process serves it.
var Integration = integration.Integration{
	Name:        "marketplace-seller",
	Description: "Hands over the signed-in browser of a seller at an online shop.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(marketplaceseller.CreateSession),
	},
}
