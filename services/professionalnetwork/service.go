// Package professionalnetwork is the service of the professional-network
// integration: it sends messages between the members of a professional network.
// What is special about an application stands in the flows under sites.
package professionalnetwork

import (
	"embed"

	"integration.gateway/contracts/professionalnetwork"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is professional-network as a process serves it.
var Integration = integration.Integration{
	Name:        "professional-network",
	Description: "Sends messages between the members of a professional network.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Flow(professionalnetwork.SendMessage),
	},
}
