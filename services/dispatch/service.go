// Package dispatch is the service of the dispatch integration: it enters and
// edits the customers of a field-service business. What is special about an
// application stands in the flows under sites.
package dispatch

import (
	"embed"

	"integration.gateway/contracts/dispatch"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is dispatch as a process serves it.
var Integration = integration.Integration{
	Name:        "dispatch",
	Description: "Enters and edits the customers of a field-service business.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(dispatch.CreateSession),
		integration.Flow(dispatch.EditCustomer),
		integration.Flow(dispatch.CreateCustomer),
	},
}
