package e2e_test

import (
	"net/http"
	"slices"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/services/marketplace/sandbox"
)

const (
	dripper      = "B0CX23V2ZK"
	dripperTitle = "Ceramic pour-over coffee dripper, size 02"
	unknownItem  = "ZZZZZZZZZZ"
)

// choicesRefused are what both operations that take an item refuse.
var choicesRefused = []refusalCase{
	{name: "neither asin nor itemUrl", body: marketplace.ItemChoice{}, status: http.StatusBadRequest, says: "asin or itemUrl"},
	{name: "malformed asin", body: marketplace.ItemChoice{ASIN: "../cart"}, status: http.StatusBadRequest, says: "asin"},
	{name: "itemUrl at another site", body: marketplace.ItemChoice{ItemURL: "https://elsewhere.example/dp/" + dripper}, status: http.StatusBadRequest, says: "one of the site's"},
	{name: "unknown item", body: marketplace.ItemChoice{ASIN: unknownItem}, status: http.StatusNotFound, events: rejectedEvents},
}

var marketplaceCases = []operationCase{
	{
		op: marketplace.CreateSession, check: checkSession,
	},
	{
		op: marketplace.Search, path: "/v1/marketplace/items/search?query=coffee+dripper", public: true,
		check: checked(func(g *gateway, found marketplace.SearchResults) {
			at := slices.IndexFunc(found.Items, func(i marketplace.Item) bool { return i.ASIN == dripper })
			if len(found.Items) != 3 || at < 0 || found.Items[at].Title != dripperTitle || found.Items[at].Price.Amount != "26.49" ||
				found.Items[at].ItemURL != g.env.SandboxURLs[g.about()]+"/dp/"+dripper {
				g.Errorf("found %+v", found.Items)
			}
			more := func(query string) []marketplace.Item {
				r := g.send(http.MethodGet, marketplace.Search.Path+"?query="+query, g.demonstration(), nil)
				return result[marketplace.SearchResults](g, r).Items
			}
			if all, groceries := more("tea"), more("tea&isGroceryChain=true"); len(groceries) == 0 || len(groceries) >= len(all) {
				g.Errorf("%d grocery items of %d items", len(groceries), len(all))
			}
			if none := more("zyxwvut"); none == nil || len(none) != 0 {
				g.Errorf("a search without a match gave %v", none)
			}
		}),
		refuses: []refusalCase{
			{name: "no query", path: "/v1/marketplace/items/search", status: http.StatusBadRequest, says: "query"},
		},
	},
	{
		op: marketplace.AddToCart,
		body: func(g *gateway) any {
			return marketplace.ItemChoice{ItemURL: g.env.SandboxURLs[g.about()] + "/dp/" + dripper}
		},
		check: checked(func(g *gateway, added marketplace.CartAddition) {
			cart := g.state().Carts[sandbox.Jane.Username]
			if len(cart) != 1 || cart[0].ASIN != added.ASIN || added.Title != dripperTitle || added.CartCount != 1 {
				g.Errorf("the cart holds %+v, the answer is %+v", cart, added)
			}
		}),
		refuses: choicesRefused,
	},
	{
		op: marketplace.BuyNow,
		body: func(g *gateway) any { // the number wins over the address
			return marketplace.ItemChoice{ASIN: dripper, ItemURL: g.env.SandboxURLs[g.about()] + "/dp/" + unknownItem}
		},
		check: checked(func(g *gateway, order marketplace.Order) {
			orders := g.state().Orders
			if len(orders) != 1 || orders[0].ID != order.OrderID || orders[0].Lines[0].ASIN != order.ASIN || order.Title != dripperTitle {
				g.Errorf("the shop has %+v, the answer is %+v", orders, order)
			}
		}),
		refuses: slices.Concat(choicesRefused, []refusalCase{
			{name: "no default address", user: &sandbox.Sam, status: http.StatusBadRequest, says: "address", events: rejectedEvents},
			{name: "no default payment method", user: &sandbox.Ines, status: http.StatusBadRequest, says: "payment", events: rejectedEvents},
			{name: "payment declined", user: &sandbox.Viktor, status: http.StatusBadRequest, says: "declined", events: notAppliedEvents},
		}),
	},
	{
		op: marketplace.BuyAgain,
		check: checked(func(g *gateway, list marketplace.BuyAgainList) {
			order := g.state().Orders[0]
			if list.Items[0].ASIN != order.Lines[0].ASIN {
				g.Errorf("the newest is %+v, want what order %+v is of", list.Items[0], order)
			}
		}),
	},
}
