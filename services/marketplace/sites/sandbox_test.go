// Package sites_test plays the flows of the marketplace's sandbox site on a
// real browser at the real stand-in.
package sites_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
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

// TestFlows shares one browser. Each group of its tests has a context and a shop
// of its own, in which they come one after the other, each where the last one
// has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	m := openMall(t)
	t.Run("the shop", func(t *testing.T) {
		t.Parallel()
		c := m.customer(t, m.patient)
		t.Run("an address elsewhere is refused", c.foreignAddress)
		t.Run("search finds items", c.searchFinds)
		t.Run("what cannot be bought is refused", c.refusals)
		t.Run("buy again lists what was bought", c.buyAgain)
		t.Run("a cookie wall is dismissed", c.cookieWall)
		t.Run("buy now orders once", c.buyNowOrders)
		t.Run("buy now takes the item's address", c.buyNowByAddress)
		t.Run("add to cart fills the cart", c.addToCart)
		t.Run("a guest's pages are not the user's", c.guestInTheMiddle)
	})
	t.Run("another build of the shop", func(t *testing.T) {
		t.Parallel()
		c := m.customer(t, m.patient)
		t.Run("new ids are found by the other selectors", c.newIDs)
	})
	t.Run("orders in doubt", func(t *testing.T) {
		t.Parallel()
		c := m.customer(t, m.impatient)
		t.Run("a lost request is reconciled as none", c.lostRequest)
		t.Run("a lost answer is reconciled as an order", c.lostAnswer)
		t.Run("a lost answer is told from older orders", c.lostAnswerAmongOrders)
		t.Run("a lost request is told from orders around it", c.lostRequestAmongOrders)
		t.Run("another order of the item tells nothing", c.otherOrder)
	})
	t.Run("a shop that shows another order", func(t *testing.T) {
		t.Parallel()
		shop := sandbox.New()
		forgetting := &forgetful{Shop: shop}
		c := customer{shop, flowtest.Visit(t, m.pool, m.impatient, forgetting, sandbox.Jane.Username, sandbox.Jane.Password)}
		t.Run("is not believed", func(t *testing.T) { c.anotherOrder(t, forgetting) })
	})
	t.Run("the cart in doubt", func(t *testing.T) {
		t.Parallel()
		c := m.customer(t, m.impatient)
		t.Run("a lost answer is reconciled", c.lostCartAnswer)
		t.Run("a lost request is told from the same items", c.lostCartRequest)
		t.Run("a cart that others changed tells nothing", c.changedCart)
		t.Run("a cart that was ordered tells nothing", c.orderedCart)
	})
}

func (c customer) searchFinds(t *testing.T) {
	var found contracts.SearchResults
	c.succeed(t, "search", map[string]any{"query": "coffee dripper"}, &found)
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
	c.succeed(t, "search", map[string]any{"query": "organic bananas", "isGroceryChain": true}, &groceries)
	if items := groceries.Items; len(items) != 2 || items[1].Title != soldOut || items[1].Available || items[1].Price != nil {
		t.Errorf("groceries %v", items)
	}
	for _, nothing := range []map[string]any{
		{"query": "grinder", "isGroceryChain": true},
		{"query": `"><script>&store=grocery#é`},
	} {
		var none contracts.SearchResults
		if c.succeed(t, "search", nothing, &none); len(none.Items) != 0 {
			t.Errorf("%v found %v", nothing, none.Items)
		}
	}
	if got := c.State().SignIns; got != 0 {
		t.Errorf("%d sign-ins for a public operation", got)
	}
}

// ordered compares an order with the newest one that the shop knows.
func (c customer) ordered(t *testing.T, got contracts.Order) {
	t.Helper()
	orders := c.State().Orders
	if len(orders) == 0 {
		t.Fatal("nothing is ordered")
	}
	order := orders[len(orders)-1]
	want := contracts.Order{
		OrderID: order.ID, ASIN: dripper, Title: dripperTitle, Quantity: 1, Total: got.Total,
		DeliveryAddress: order.Address, PaymentMethod: "Visa ending in 4242", DeliveryEstimate: order.Delivery,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if got.Total.Amount != "31.48" || got.Total.Currency != "USD" {
		t.Errorf("total %v, want 31.48 USD", got.Total)
	}
}

// ordersOnce plays an operation that orders the dripper.
func (c customer) ordersOnce(t *testing.T, request map[string]any) {
	t.Helper()
	before := len(c.State().Orders)
	var order contracts.Order
	a := c.succeed(t, "buy-now", request, &order)
	c.ordered(t, order)
	if diff := cmp.Diff([]string{"order"}, a.Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if n := len(c.State().Orders) - before; n != 1 {
		t.Errorf("ordered %d times, want once", n)
	}
}

// The cookies are asked for first thing, on the way to the order.
func (c customer) cookieWall(t *testing.T) {
	c.SetFaults(kit.Faults{Markup: []string{sandbox.CookieWall}})
	c.ordersOnce(t, map[string]any{"asin": dripper})
	c.SetFaults(kit.Faults{})
}

func (c customer) buyNowOrders(t *testing.T) {
	c.ordersOnce(t, map[string]any{"asin": dripper})
	if got := c.State().SignIns; got != 1 {
		t.Errorf("%d sign-ins, want 1", got)
	}
}

func (c customer) buyNowByAddress(t *testing.T) {
	c.ordersOnce(t, map[string]any{"itemUrl": c.Site.BaseURL + "/dp/" + dripper + "?from=mail"})
}

// refused plays an operation that must end with an outcome before its effect,
// at a shop where nothing was done yet.
func (c customer) refused(t *testing.T, operation string, request map[string]any, outcome flow.Outcome, text string) {
	t.Helper()
	a := c.Attempt(operation, request)
	_, failure := c.Play(t, a)
	if failure == nil {
		t.Fatalf("%s %v: done, want it refused", operation, request)
	}
	if failure.Outcome != outcome || !strings.Contains(failure.Error(), text) {
		t.Errorf("%s %v: %q %v, want %q with %q", operation, request, failure.Outcome, failure, outcome, text)
	}
	if state := c.State(); len(a.Effects) != 0 || len(state.Orders) != 0 || len(state.Carts) != 0 || len(state.Refusals) != 0 {
		t.Errorf("%s %v: effects %v, orders %v, carts %v; want none", operation, request, a.Effects, state.Orders, state.Carts)
	}
}

func (c customer) foreignAddress(t *testing.T) {
	for _, address := range []string{"https://elsewhere.example/dp/" + dripper, "file:///etc/passwd", "javascript:alert(1)"} {
		c.refused(t, "buy-now", map[string]any{"itemUrl": address}, flow.Invalid, "itemUrl")
	}
	if got := c.State().Requests; len(got) != 0 {
		t.Errorf("the site was asked: %v", got)
	}
}

func (c customer) refusals(t *testing.T) {
	c.refused(t, "buy-now", map[string]any{"itemUrl": c.Site.BaseURL + "/orders"}, flow.Invalid, "itemUrl is not the address of an item")
	var found contracts.SearchResults
	c.succeed(t, "search", map[string]any{"query": soldOut}, &found)
	for _, operation := range []string{"buy-now", "add-to-cart"} {
		c.refused(t, operation, map[string]any{"asin": found.Items[0].ASIN}, flow.Precondition, "Currently unavailable.")
		c.refused(t, operation, map[string]any{"asin": "B000000000"}, flow.NotFound, "We could not find a product")
	}
}

func (c customer) addToCart(t *testing.T) {
	var added contracts.CartAddition
	c.fillCart(t, dripper)
	c.succeed(t, "add-to-cart", map[string]any{"asin": dripper}, &added)
	if added.ASIN != dripper || added.Title != dripperTitle || added.Quantity != 1 || added.CartCount != 2 ||
		added.Price == nil || added.Price.Amount != "26.49" || added.Subtotal == nil || added.Subtotal.Amount != "52.98" {
		t.Errorf("added %+v", added)
	}
	cart := c.State().Carts[sandbox.Jane.Username]
	if len(cart) != 1 || cart[0].ASIN != dripper || cart[0].Quantity != 2 {
		t.Errorf("the cart holds %v", cart)
	}
}

// The session ends before the page of the item, which guests may see too:
// neither may be acted for as one, nor what it shows be taken for the user's.
func (c customer) guestInTheMiddle(t *testing.T) {
	c.ordersOnce(t, map[string]any{"asin": dripper}) // at least one, in a session that is proven
	before := c.State()
	for _, operation := range []string{"buy-now", "add-to-cart"} {
		c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/dp/*", Times: 1}}})
		c.succeed(t, operation, map[string]any{"asin": dripper}, &struct{}{})
	}
	after := c.State()
	carts := slices.Collect(maps.Keys(after.Carts))
	if orders, signIns := len(after.Orders)-len(before.Orders), after.SignIns-before.SignIns; orders != 1 || signIns != 2 || !slices.Equal(carts, []string{sandbox.Jane.Username}) {
		t.Errorf("%d orders, %d sign-ins, carts of %v; want 1, 2, hers", orders, signIns, carts)
	}
}

func (c customer) buyAgain(t *testing.T) {
	var list contracts.BuyAgainList
	c.succeed(t, "buy-again", nil, &list)
	if len(list.Items) != 17 || list.Items[0].Title != "Whole milk, gallon" {
		t.Errorf("%d items, the first %v", len(list.Items), list.Items[0])
	}
}

func (c customer) newIDs(t *testing.T) {
	c.SetFaults(kit.Faults{Markup: []string{sandbox.NewIDs}})
	var order contracts.Order
	a := c.succeed(t, "buy-now", map[string]any{"asin": dripper}, &order)
	c.ordered(t, order)
	for _, step := range a.Trace.Steps {
		for _, choice := range step.Choices {
			if choice.Won == 0 && strings.HasPrefix(choice.Selector, "#") {
				t.Errorf("%s step %s: %s still wins", step.File, step.Number, choice.Selector)
			}
		}
	}
	c.succeed(t, "add-to-cart", map[string]any{"asin": dripper}, &contracts.CartAddition{})
	c.succeed(t, "search", map[string]any{"query": "coffee"}, &contracts.SearchResults{})
	c.succeed(t, "buy-again", nil, &contracts.BuyAgainList{})
}
