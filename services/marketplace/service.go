// Package marketplace is the service of the marketplace integration: it
// searches an online shop, fills its cart and places orders for an end user.
//
// What is special about the shop stands in the flows under sites; each
// operation's file here says what the service adds to its flow.
package marketplace

import (
	"embed"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/integration"
)

//go:embed sites
var sites embed.FS

// Integration is the marketplace as a process serves it.
var Integration = integration.Integration{
	Name:        "marketplace",
	Description: "Searches an online shop, fills its cart and places orders.",
	Sites:       sites,
	Operations:  marketplace.Operations,
	Bind: func(srv *bus.Server, player *integration.Player) {
		s := &Service{player: player}
		bus.Handle(srv, marketplace.CreateSession, s.CreateSession)
		bus.Handle(srv, marketplace.BuyAgain, s.BuyAgain)
		bus.Handle(srv, marketplace.BuyNow, s.BuyNow)
		bus.Handle(srv, marketplace.AddToCart, s.AddToCart)
		bus.Handle(srv, marketplace.Search, s.Search)
	},
}

// Service carries out the marketplace's operations.
type Service struct {
	player *integration.Player
}
