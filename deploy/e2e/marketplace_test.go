package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts/marketplace"
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

// TestSignInLostInTheMiddle signs the user out under a read, which signs in
// again, and under an order, of which then nothing is known.
func TestSignInLostInTheMiddle(t *testing.T) {
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

	item := g.item("coffee")
	g.faults(`{"signedOut": [{"method": "POST", "path": "/buy-now", "times": 1}]}`)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
	if message := denied(g, r, http.StatusInternalServerError); !strings.Contains(message, "not known") {
		t.Errorf("got %s", message)
	}
	g.expectEvents(r, "command.accepted", "effect.started", "effect.unknown")
}
