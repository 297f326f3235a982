package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/services/marketplace/sandbox"
)

// item searches the shop and returns an item that can be ordered.
func (g *gateway) item(query string) marketplace.Item {
	g.Helper()
	found := result[marketplace.SearchResults](g, g.send(http.MethodGet, marketplace.Search.Path+"?query="+query, g.demonstration(), nil))
	for _, item := range found.Items {
		if item.Available {
			return item
		}
	}
	g.Fatalf("no available item among %d", len(found.Items))
	return marketplace.Item{}
}

func TestSearchCartAndOrder(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	if item.Price == nil || item.Title == "" || !strings.HasPrefix(item.ItemURL, g.env.SandboxURLs["marketplace"]) {
		t.Errorf("incomplete item: %+v", item)
	}

	cart := g.send(http.MethodPost, marketplace.AddToCart.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
	if cart.status != http.StatusOK {
		t.Fatalf("add to cart: %d %s", cart.status, cart.body)
	}
	order := result[marketplace.Order](g, g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN}))

	state := g.state()
	if len(state.Orders) != 1 || state.Orders[0].ID != order.OrderID || state.Orders[0].Lines[0].ASIN != item.ASIN {
		t.Errorf("the shop has %+v, the answer is %+v", state.Orders, order)
	}
	if lines := state.Carts[sandbox.Jane.Username]; len(lines) != 1 || lines[0].ASIN != item.ASIN {
		t.Errorf("the cart holds %+v", lines)
	}
	again := g.send(http.MethodGet, marketplace.BuyAgain.Path, g.demonstration(), nil)
	if again.status != http.StatusOK || !strings.Contains(string(again.body), item.ASIN) {
		t.Errorf("buy-again lacks the item that was ordered: %d %s", again.status, again.body)
	}
	g.expectEvents(cart, "command.accepted", "effect.started", "effect.confirmed", "command.completed")
}

func TestGroceryRestrictionHolds(t *testing.T) {
	g := share(t)
	all := result[marketplace.SearchResults](g, g.send(http.MethodGet, marketplace.Search.Path+"?query=tea", g.demonstration(), nil))
	grocery := result[marketplace.SearchResults](g, g.send(http.MethodGet, marketplace.Search.Path+"?query=tea&isGroceryChain=true", g.demonstration(), nil))
	if len(grocery.Items) == 0 || len(grocery.Items) >= len(all.Items) {
		t.Errorf("%d grocery items of %d items", len(grocery.Items), len(all.Items))
	}
	none := result[marketplace.SearchResults](g, g.send(http.MethodGet, marketplace.Search.Path+"?query=zyxwvut", g.demonstration(), nil))
	if none.Items == nil || len(none.Items) != 0 {
		t.Errorf("a search without a match gave %v", none.Items)
	}
}

func TestASINWinsOverItemURL(t *testing.T) {
	g := share(t)
	coffee, tea := g.item("coffee"), g.item("tea")
	order := result[marketplace.Order](g, g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(),
		marketplace.ItemChoice{ASIN: coffee.ASIN, ItemURL: tea.ItemURL}))
	if order.ASIN != coffee.ASIN {
		t.Errorf("ordered %s, want %s", order.ASIN, coffee.ASIN)
	}
	order = result[marketplace.Order](g, g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(),
		marketplace.ItemChoice{ItemURL: tea.ItemURL}))
	if order.ASIN != tea.ASIN {
		t.Errorf("ordered %s, want %s", order.ASIN, tea.ASIN)
	}
}

func TestOrderNeedsDefaults(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	for _, user := range []struct{ username, password, word string }{
		{sandbox.Sam.Username, sandbox.Sam.Password, "address"},
		{sandbox.Ines.Username, sandbox.Ines.Password, "payment"},
	} {
		who := g.link(user.username, user.password)
		r := g.send(http.MethodPost, marketplace.BuyNow.Path, who, marketplace.ItemChoice{ASIN: item.ASIN})
		if message := denied(g, r, http.StatusBadRequest); !strings.Contains(message, user.word) {
			t.Errorf("the message does not name the %s: %s", user.word, message)
		}
		g.expectEvents(r, "command.accepted", "command.rejected")
	}
	if orders := g.state().Orders; len(orders) != 0 {
		t.Errorf("ordered %+v", orders)
	}
}

func TestRefusedPaymentIsNotApplied(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	who := g.link(sandbox.Viktor.Username, sandbox.Viktor.Password)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, who, marketplace.ItemChoice{ASIN: item.ASIN})
	denied(g, r, http.StatusBadRequest)
	g.expectEvents(r, "command.accepted", "effect.started", "effect.not-applied", "command.completed")
	if orders := g.state().Orders; len(orders) != 0 {
		t.Errorf("ordered %+v", orders)
	}
}

func TestUnknownItemIsNotFound(t *testing.T) {
	g := share(t)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: "ZZZZZZZZZZ"})
	denied(g, r, http.StatusNotFound)
}

func TestWrongPasswordIsARefusal(t *testing.T) {
	g := share(t)
	who := g.link(sandbox.Jane.Username, "not-her-password")
	r := g.send(http.MethodGet, marketplace.BuyAgain.Path, who, nil)
	denied(g, r, http.StatusBadRequest)
}

func TestSignInLostInTheMiddleIsDoneAgain(t *testing.T) {
	g := share(t)
	again := func() {
		result[marketplace.BuyAgainList](g, g.send(http.MethodGet, marketplace.BuyAgain.Path, g.demonstration(), nil))
	}
	again()
	g.faults(`{"signedOut": [{"path": "/buy-again", "times": 1}]}`)
	again()
	if got := g.state().SignIns; got != 2 {
		t.Errorf("signed in %d times, want once and once again", got)
	}
}

func TestSignInLostAfterTheEffectStartedIsUnknown(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	g.faults(`{"signedOut": [{"method": "POST", "path": "/buy-now", "times": 1}]}`)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
	if message := denied(g, r, http.StatusInternalServerError); !strings.Contains(message, "not known") {
		t.Errorf("got %s", message)
	}
	g.expectEvents(r, "command.accepted", "effect.started", "effect.unknown")
}

func TestChangedMarkup(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	choice := marketplace.ItemChoice{ASIN: item.ASIN}

	g.faults(`{"markup": ["` + sandbox.NewIDs + `"]}`)
	result[marketplace.Order](g, g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), choice))
	if orders := g.state().Orders; len(orders) != 1 {
		t.Fatalf("with the second choice of selectors the shop has %+v", orders)
	}

	g.faults(`{"markup": ["` + sandbox.Redesign + `"]}`)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), choice)
	if message := denied(g, r, http.StatusInternalServerError); !strings.Contains(message, "open-item.json step") {
		t.Errorf("the message does not name the step: %s", message)
	}
	if orders := g.state().Orders; len(orders) != 1 {
		t.Errorf("the shop has %+v", orders)
	}
	g.expectEvents(r, "command.accepted", "command.completed")
}
