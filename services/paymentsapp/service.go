// Package paymentsapp is the service of the payments-app integration: it hands
// over the signed-in browser of a user of a payments application. What is
// special about an application stands in the flows under sites.
package paymentsapp

import (
	"embed"

	"integration.gateway/contracts/paymentsapp"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is payments-app as a process serves it.
var Integration = integration.Integration{
	Name:        "payments-app",
	Description: "Hands over the signed-in browser of a user of a payments application.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(paymentsapp.CreateSession),
	},
}
