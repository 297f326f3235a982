// Package photosocial is the service of the photo-social integration: it hands
// over the signed-in browser of a member of a photo-sharing network. What is
// special about an application stands in the flows under sites.
package photosocial

import (
	"embed"

	"integration.gateway/contracts/photosocial"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is photo-social as a process serves it.
var Integration = integration.Integration{
	Name:        "photo-social",
	Description: "Hands over the signed-in browser of a member of a photo-sharing network.",
	Sites:       sites,
	Operations: []integration.Operation{
		integration.Session(photosocial.CreateSession),
	},
}
