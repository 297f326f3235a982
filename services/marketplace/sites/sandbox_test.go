// Package sites_test plays the flows of the marketplace's sandbox site on a
// real browser at the real stand-in.
package sites_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/marketplace/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	dripper      = "B0CX23V2ZK"
	dripperTitle = "Ceramic pour-over coffee dripper, size 02"
	soldOut      = "Organic bananas, bunch of 8"
)

// TestFlows shares one browser; each of its tests has a context and a shop of
// its own.
func TestFlows(t *testing.T) {
	t.Parallel()
	m := openMall(t)
	for name, test := range map[string]struct {
		user kit.User
		run  func(t *testing.T, c *customer)
		vain bool // a step of it waits in vain
	}{
		"search finds items":                           {sandbox.Jane, searchFinds, false},
		"buy now orders once":                          {sandbox.Jane, buyNowOrders, false},
		"buy now takes the item's address":             {sandbox.Jane, buyNowByAddress, false},
		"asin wins over itemUrl":                       {sandbox.Jane, asinWins, false},
		"an address elsewhere is refused":              {sandbox.Jane, foreignAddress, false},
		"an address of no item is refused":             {sandbox.Jane, addressOfNoItem, false},
		"no default address orders nothing":            {sandbox.Sam, withoutAddress, false},
		"no default payment method orders nothing":     {sandbox.Ines, withoutPayment, false},
		"a declined payment orders nothing":            {sandbox.Viktor, declinedPayment, false},
		"unknown and sold out items are refused":       {sandbox.Jane, itemsThatCannotBeBought, false},
		"add to cart fills the cart":                   {sandbox.Jane, addToCart, false},
		"buy again lists what was bought":              {sandbox.Jane, buyAgain, false},
		"a wrong password is told":                     {kit.User{Username: sandbox.Jane.Username, Password: "x"}, wrongPassword, false},
		"new ids are found by the other selectors":     {sandbox.Jane, newIDs, false},
		"a redesign names the step and orders nothing": {sandbox.Jane, redesigned, true},
		"a cookie wall is dismissed":                   {sandbox.Jane, cookieWall, false},
		"signed out in the middle signs in once":       {sandbox.Jane, signedOut, false},
		"a lost answer is reconciled as an order":      {sandbox.Jane, lostAnswer, true},
		"a lost request is reconciled as none":         {sandbox.Jane, lostRequest, true},
		"a lost cart answer is reconciled":             {sandbox.Jane, lostCartAnswer, true},
		"a lost cart request is reconciled as none":    {sandbox.Jane, lostCartRequest, true},
		"a cart that others changed tells nothing":     {sandbox.Jane, changedCart, true},
		"a lost answer is told from older orders":      {sandbox.Jane, lostAnswerAmongOrders, true},
		"a lost request is told behind newer orders":   {sandbox.Jane, lostRequestAmongOrders, true},
		"a cart that was ordered tells nothing":        {sandbox.Jane, orderedCart, true},
		"another order of the item tells nothing":      {sandbox.Jane, otherOrder, true},
		"a guest's pages are not the user's":           {sandbox.Jane, guestInTheMiddle, false},
		"a guest's pages settle nothing":               {sandbox.Jane, guestWhileReconciling, true},
		"an old order is not taken for the lost one":   {sandbox.Jane, oldOrder, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.run(t, m.customer(t, test.user, test.vain))
		})
	}
}

func searchFinds(t *testing.T, c *customer) {
	var found contracts.SearchResults
	c.succeed("search", map[string]any{"query": "coffee dripper"}, &found)
	if len(found.Items) != 3 {
		t.Fatalf("found %v", found.Items)
	}
	item := found.Items[1]
	want := contracts.Item{
		ASIN: dripper, Title: dripperTitle, ItemURL: c.Site.BaseURL + "/dp/" + dripper,
		ImageURL: c.Site.BaseURL + "/images/" + dripper + ".svg", Price: item.Price, Available: true,
	}
	if diff := cmp.Diff(want, item); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if item.Price == nil || item.Price.Amount != "26.49" || item.Price.Currency != "USD" {
		t.Errorf("price %v, want 26.49 USD", item.Price)
	}
	var groceries contracts.SearchResults
	c.succeed("search", map[string]any{"query": "organic bananas", "isGroceryChain": true}, &groceries)
	if items := groceries.Items; len(items) != 2 || items[1].Title != soldOut || items[1].Available || items[1].Price != nil {
		t.Errorf("groceries %v", items)
	}
	for _, nothing := range []map[string]any{
		{"query": "grinder", "isGroceryChain": true},
		{"query": `"><script>&store=grocery#é`},
	} {
		var none contracts.SearchResults
		if c.succeed("search", nothing, &none); len(none.Items) != 0 {
			t.Errorf("%v found %v", nothing, none.Items)
		}
	}
	if got := c.State().SignIns; got != 0 {
		t.Errorf("%d sign-ins for a public operation", got)
	}
}

func buyNowOrders(t *testing.T, c *customer) {
	var order contracts.Order
	a := c.succeed("buy-now", map[string]any{"asin": dripper}, &order)
	c.ordered(order)
	if diff := cmp.Diff([]string{"order"}, a.Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	c.succeed("buy-now", map[string]any{"asin": dripper}, &order) // on a warm page
	if state := c.State(); len(state.Orders) != 2 || state.SignIns != 1 {
		t.Errorf("%d orders, %d sign-ins; want 2, 1", len(state.Orders), state.SignIns)
	}
}

// ordered compares an order with the only one that the shop knows.
func (c *customer) ordered(got contracts.Order) {
	c.t.Helper()
	orders := c.State().Orders
	if len(orders) != 1 {
		c.t.Fatalf("%d orders, want 1", len(orders))
	}
	want := contracts.Order{
		OrderID: orders[0].ID, ASIN: dripper, Title: dripperTitle, Quantity: 1, Total: got.Total,
		DeliveryAddress: orders[0].Address, PaymentMethod: "Visa ending in 4242", DeliveryEstimate: orders[0].Delivery,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("order (-want +got):\n%s", diff)
	}
	if got.Total.Amount != "31.48" || got.Total.Currency != "USD" {
		c.t.Errorf("total %v, want 31.48 USD", got.Total)
	}
}

func buyNowByAddress(_ *testing.T, c *customer) {
	var order contracts.Order
	c.succeed("buy-now", map[string]any{"itemUrl": c.Site.BaseURL + "/dp/" + dripper + "?from=mail"}, &order)
	c.ordered(order)
}

func asinWins(_ *testing.T, c *customer) {
	var order contracts.Order
	c.succeed("buy-now", map[string]any{"asin": dripper, "itemUrl": c.Site.BaseURL + "/dp/B000000000"}, &order)
	c.ordered(order)
}

// refused plays an operation that must end with an outcome before its effect.
func (c *customer) refused(operation string, request map[string]any, outcome flow.Outcome, text string) {
	c.t.Helper()
	a, failure := c.play(operation, request, nil)
	if failure == nil {
		c.t.Fatalf("%s %v: done, want it refused", operation, request)
	}
	if failure.Outcome != outcome || !strings.Contains(failure.Error(), text) {
		c.t.Errorf("%s %v: %q %v, want %q with %q", operation, request, failure.Outcome, failure, outcome, text)
	}
	if state := c.State(); len(a.Effects) != 0 || len(state.Orders) != 0 || len(state.Carts) != 0 || len(state.Refusals) != 0 {
		c.t.Errorf("%s %v: effects %v, orders %v, carts %v; want none", operation, request, a.Effects, state.Orders, state.Carts)
	}
}

func foreignAddress(t *testing.T, c *customer) {
	for _, address := range []string{"https://elsewhere.example/dp/" + dripper, "file:///etc/passwd", "javascript:alert(1)"} {
		c.refused("buy-now", map[string]any{"itemUrl": address}, flow.Invalid, "itemUrl")
	}
	if got := c.State().Requests; len(got) != 0 {
		t.Errorf("the site was asked: %v", got)
	}
}

func addressOfNoItem(_ *testing.T, c *customer) {
	c.refused("buy-now", map[string]any{"itemUrl": c.Site.BaseURL + "/orders"}, flow.Invalid, "itemUrl is not the address of an item")
}

func withoutAddress(_ *testing.T, c *customer) {
	c.refused("buy-now", map[string]any{"asin": dripper}, flow.Precondition, "You have no default delivery address.")
}

func withoutPayment(_ *testing.T, c *customer) {
	c.refused("buy-now", map[string]any{"asin": dripper}, flow.Precondition, "You have no default payment method.")
}

func declinedPayment(t *testing.T, c *customer) {
	_, failure := c.play("buy-now", map[string]any{"asin": dripper}, nil)
	if failure == nil || failure.Outcome != flow.Rejected || !failure.Declared || !failure.EffectStarted ||
		!strings.Contains(failure.Message, "Your bank declined the payment.") {
		t.Errorf("failure %+v, want the shop's own refusal after the effect step", failure)
	}
	if state := c.State(); len(state.Orders) != 0 || len(state.Refusals) != 1 {
		t.Errorf("%d orders, %d refusals; want 0, 1", len(state.Orders), len(state.Refusals))
	}
}

func itemsThatCannotBeBought(_ *testing.T, c *customer) {
	var found contracts.SearchResults
	c.succeed("search", map[string]any{"query": soldOut}, &found)
	for _, operation := range []string{"buy-now", "add-to-cart"} {
		c.refused(operation, map[string]any{"asin": found.Items[0].ASIN}, flow.Precondition, "Currently unavailable.")
		c.refused(operation, map[string]any{"asin": "B000000000"}, flow.NotFound, "We could not find a product")
	}
}

func addToCart(t *testing.T, c *customer) {
	var added contracts.CartAddition
	c.succeed("add-to-cart", map[string]any{"asin": dripper}, &added)
	c.succeed("add-to-cart", map[string]any{"asin": dripper}, &added)
	if added.ASIN != dripper || added.Title != dripperTitle || added.Quantity != 1 || added.CartCount != 2 ||
		added.Price == nil || added.Price.Amount != "26.49" || added.Subtotal == nil || added.Subtotal.Amount != "52.98" {
		t.Errorf("added %+v", added)
	}
	cart := c.State().Carts[sandbox.Jane.Username]
	if len(cart) != 1 || cart[0].ASIN != dripper || cart[0].Quantity != 2 {
		t.Errorf("the cart holds %v", cart)
	}
}

func buyAgain(t *testing.T, c *customer) {
	var list contracts.BuyAgainList
	c.succeed("buy-again", nil, &list)
	if len(list.Items) != 17 || list.Items[0].Title != "Whole milk, gallon" {
		t.Errorf("%d items, the first %v", len(list.Items), list.Items[0])
	}
}

func wrongPassword(_ *testing.T, c *customer) {
	_, failure := c.play("buy-now", map[string]any{"asin": dripper}, nil)
	if failure == nil || !strings.Contains(failure.Message, "We do not know this e-mail address and password.") {
		c.t.Errorf("failure %+v, want what the shop says", failure)
	}
}

func newIDs(t *testing.T, c *customer) {
	c.SetFaults(kit.Faults{Markup: []string{sandbox.NewIDs}})
	var order contracts.Order
	a := c.succeed("buy-now", map[string]any{"asin": dripper}, &order)
	c.ordered(order)
	for _, step := range a.Trace.Steps {
		for _, choice := range step.Choices {
			if choice.Won == 0 && strings.HasPrefix(choice.Selector, "#") {
				t.Errorf("%s step %s: %s still wins", step.File, step.Number, choice.Selector)
			}
		}
	}
	c.succeed("add-to-cart", map[string]any{"asin": dripper}, &contracts.CartAddition{})
	c.succeed("search", map[string]any{"query": "coffee"}, &contracts.SearchResults{})
	c.succeed("buy-again", nil, &contracts.BuyAgainList{})
}

func redesigned(_ *testing.T, c *customer) {
	c.succeed("buy-again", nil, &contracts.BuyAgainList{}) // to be signed in
	c.SetFaults(kit.Faults{Markup: []string{sandbox.Redesign}})
	c.refused("buy-now", map[string]any{"asin": dripper}, flow.Plain, "open-item.json step 4 (waitForElement #product)")
}

func cookieWall(_ *testing.T, c *customer) {
	c.SetFaults(kit.Faults{Markup: []string{sandbox.CookieWall}})
	var order contracts.Order
	c.succeed("buy-now", map[string]any{"asin": dripper}, &order)
	c.ordered(order)
}

func signedOut(t *testing.T, c *customer) {
	c.succeed("buy-again", nil, &contracts.BuyAgainList{})
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/buy-again", Times: 1}}})
	c.succeed("buy-again", nil, &contracts.BuyAgainList{})
	if got := c.State().SignIns; got != 2 {
		t.Errorf("%d sign-ins, want 2", got)
	}
}
