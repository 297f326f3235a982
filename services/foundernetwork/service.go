// Package foundernetwork is the service of the founder-network integration: it
// finds the deals of a network of startup founders, and marks them as used.
// What is special about an application stands in the flows under sites.
package foundernetwork

import (
	"embed"

	"integration.gateway/contracts/foundernetwork"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is founder-network as a process serves it.
var Integration = integration.Integration{
	Name:        "founder-network",
	Description: "Finds deals for startup founders, and marks them as used.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Flow(foundernetwork.SearchDeals),
		integration.Flow(foundernetwork.MarkDeal),
	},
}
