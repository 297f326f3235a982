package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const folder = "sites/marketplace/corner-shop"

// customer plays the example's flows at a shop of its own.
type customer struct {
	*shop
	*flowtest.Player
}

func newCustomer(t *testing.T, pool *browser.Pool, password string) *customer {
	t.Helper()
	site, err := flow.Load(os.DirFS(folder), flow.ContractsOf(contracts.Operations...))
	if err != nil {
		t.Fatal(err)
	}
	own := newShop()
	server := httptest.NewServer(own)
	t.Cleanup(server.Close)
	if site, err = site.WithBaseURL(server.URL); err != nil {
		t.Fatal(err)
	}
	return &customer{shop: own, Player: flowtest.NewPlayer(t, pool, site, "pat", password)}
}

// TestTheWorkedExampleWorks shares one customer: its tests come one after the
// other, each where the last one has left off.
func TestTheWorkedExampleWorks(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	c := newCustomer(t, pool, "corner")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *customer)
	}{
		{"a search finds items", searchFinds},
		{"what cannot be ordered is told", refusals},
		{"an order is placed and found", orderIsFound},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
	t.Run("a wrong password is told in the shop's words", func(t *testing.T) {
		c := newCustomer(t, pool, "wrong")
		c.Refuses(t, "buy-now", map[string]any{"asin": "CRN0000001"}, flow.Rejected, "Wrong user name or password.")
	})
}

func searchFinds(t *testing.T, c *customer) {
	at := c.Site.BaseURL + "/item/"
	flowtest.Equal(t, c.Gives(t, "search", map[string]any{"query": "apple"}), json.RawMessage(`{"items": [
		{"asin": "CRN0000001", "title": "Apple juice, 1 l", "itemUrl": "`+at+`CRN0000001", "price": {"amount": "2.40", "currency": "EUR"}, "available": true},
		{"asin": "CRN0000002", "title": "Apple cake", "itemUrl": "`+at+`CRN0000002", "price": {"amount": "1012.50", "currency": "EUR"}, "available": false},
		{"asin": "CRN0000003", "title": "Apple brandy", "itemUrl": "`+at+`CRN0000003", "price": {"amount": "31.00", "currency": "EUR"}, "available": true}]}`))
}

var placed = json.RawMessage(`{"orderId": "C-1001", "asin": "CRN0000004", "title": "Box of matches", "quantity": 1,
	"total": {"amount": "0.80", "currency": "EUR"}, "deliveryAddress": "Pat Lee, 3 Mill Lane, Oxford", "paymentMethod": "Invoice"}`)

func orderIsFound(t *testing.T, c *customer) {
	a := c.Attempt("buy-now", map[string]any{"itemUrl": c.Site.BaseURL + "/item/CRN0000004"})
	if verdict := c.Reconcile(t, a); verdict.Applied {
		t.Fatalf("before the order: %+v", verdict)
	}
	flowtest.Equal(t, c.HappensOnce(t, a, func() int { return len(c.orders) }), placed)
	flowtest.Equal(t, c.FindsItsOwn(t, a), placed)
}

func refusals(t *testing.T, c *customer) {
	effects := 0
	for asin, want := range map[string]flow.Failure{
		"CRN0000002": {Outcome: flow.Precondition, Message: "Sold out at present."},
		"CRN0000003": {Outcome: flow.Rejected, Message: "We may not send spirits by post."},
		"CRN0000009": {Outcome: flow.NotFound, Message: "There is no such page in our shop."},
	} {
		a := c.Attempt("buy-now", map[string]any{"asin": asin})
		_, failure := c.Play(t, a)
		effects += len(a.Effects)
		if failure == nil || failure.Outcome != want.Outcome || failure.Message != want.Message || !failure.Refusal() {
			t.Errorf("%s: got %v", asin, failure)
		}
	}
	if len(c.orders) != 0 || effects != 1 {
		t.Errorf("%d orders, %d effects", len(c.orders), effects)
	}
}
