package sites_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace/sandbox"
)

// inDoubt plays an operation whose answer is lost behind its effect step.
func (c customer) inDoubt(t *testing.T, operation string, when kit.When, path string) *flowtest.Attempt {
	t.Helper()
	c.SetFaults(kit.Losing("POST", path, when))
	a := c.InDoubt(t, operation, map[string]any{"asin": dripper})
	c.SetFaults(kit.Faults{})
	return a
}

const filters = "B0GJQ5TZKK"

func (c customer) fillCart(t *testing.T, items ...string) {
	t.Helper()
	for _, asin := range items {
		c.succeed(t, "add-to-cart", map[string]any{"asin": asin}, &contracts.CartAddition{})
	}
}

// atItem has a script run on an item's page, as the user, signed in there in
// the browser. It must place so many orders.
func (c customer) atItem(t *testing.T, asin string, orders int, script string, arg any) {
	t.Helper()
	page, before := c.Page.Rod(), len(c.State().Orders)
	if err := page.Navigate(c.Site.BaseURL + "/dp/" + asin); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Eval(script, arg); err != nil || len(c.State().Orders) != before+orders {
		t.Fatalf("%v; %d orders before, %d after", err, before, len(c.State().Orders))
	}
}

// byHand has the user put so many of an item into the cart and order what is in
// it.
func (c customer) byHand(t *testing.T, asin string, quantity int) {
	t.Helper()
	c.atItem(t, asin, 1, `async quantity => {
		const form = new FormData(document.querySelector('form[action="/cart"]'));
		if (quantity > 0) {
			form.set('quantity', quantity);
			await fetch('/cart', {method: 'POST', body: new URLSearchParams(form)});
		}
		await fetch('/checkout', {method: 'POST', body: new URLSearchParams(form)});
	}`, quantity)
}

// tenOrders has the user order an item ten times: as many as a page of the
// history shows.
func (c customer) tenOrders(t *testing.T, asin string) {
	t.Helper()
	c.atItem(t, asin, 10, `async times => {
		const form = new URLSearchParams(new FormData(document.querySelector('form[action="/buy-now"]')));
		for (let i = 0; i < times; i++) {
			await fetch('/buy-now', {method: 'POST', body: form});
		}
	}`, 10)
}

// tellsNothing expects that the reconcile flow leaves the question to a person.
func (c customer) tellsNothing(t *testing.T, a *flowtest.Attempt) {
	t.Helper()
	if verdict, _, err := c.Site.Reconcile(t.Context(), c.Page.Rod(), a.Job); err == nil || !strings.Contains(err.Error(), "does not tell") {
		t.Errorf("%s with %v: %+v, %v", a.Operation, a.Vars, verdict, err)
	}
}

func (c customer) lostRequest(t *testing.T) {
	a := c.inDoubt(t, "buy-now", kit.Before, "/buy-now")
	if c.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// It is the first order of the item, and guests, who see the item's page too,
// have none.
func (c customer) lostAnswer(t *testing.T) {
	a := c.inDoubt(t, "buy-now", kit.After, "/buy-now")
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/dp/*", Times: 1}}})
	verdict := c.Reconcile(t, a)
	c.SetFaults(kit.Faults{})
	if !verdict.Applied {
		t.Fatal("not applied, want applied")
	}
	var order contracts.Order
	if err := json.Unmarshal(verdict.Evidence, &order); err != nil {
		t.Fatal(err)
	}
	c.ordered(t, order)
}

func (c customer) lostAnswerAmongOrders(t *testing.T) {
	c.succeed(t, "buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	a := c.inDoubt(t, "buy-now", kit.After, "/buy-now")
	orders := c.State().Orders
	c.succeed(t, "buy-now", map[string]any{"asin": filters}, &contracts.Order{})
	verdict := c.Reconcile(t, a)
	var order contracts.Order
	if err := json.Unmarshal(verdict.Evidence, &order); err != nil || !verdict.Applied || order.OrderID != orders[len(orders)-1].ID {
		t.Errorf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
}

// The history shows ten orders a page: the last one of the item is not on the
// first.
func (c customer) lostRequestAmongOrders(t *testing.T) {
	c.succeed(t, "buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	c.tenOrders(t, filters)
	a := c.inDoubt(t, "buy-now", kit.Before, "/buy-now")
	if c.Reconcile(t, a).Applied {
		t.Error("behind older orders: applied, want not applied")
	}
	c.tenOrders(t, filters)
	if c.Reconcile(t, a).Applied {
		t.Error("behind newer orders: applied, want not applied")
	}
}

func (c customer) otherOrder(t *testing.T) {
	a := c.inDoubt(t, "buy-now", kit.Before, "/buy-now")
	c.byHand(t, dripper, 5)
	c.tellsNothing(t, a)
	// Nor does an order of one, with something else.
	c.fillCart(t, filters)
	c.byHand(t, dripper, 1)
	c.tellsNothing(t, a)
}

// Guests have a cart too, which is empty.
func (c customer) lostCartAnswer(t *testing.T) {
	a := c.inDoubt(t, "add-to-cart", kit.After, "/cart")
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/cart", Times: 1}}})
	verdict := c.Reconcile(t, a)
	c.SetFaults(kit.Faults{})
	var added contracts.CartAddition
	if err := json.Unmarshal(verdict.Evidence, &added); err != nil || !verdict.Applied {
		t.Fatalf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
	if added.ASIN != dripper || added.Quantity != 1 || added.CartCount != 1 || added.Subtotal.Amount != "26.49" {
		t.Errorf("evidence %+v", added)
	}
}

// Two of the item are in the cart before, and one of another.
func (c customer) lostCartRequest(t *testing.T) {
	c.fillCart(t, dripper, filters)
	a := c.inDoubt(t, "add-to-cart", kit.Before, "/cart")
	if c.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
	a = c.inDoubt(t, "add-to-cart", kit.After, "/cart")
	verdict := c.Reconcile(t, a)
	var added contracts.CartAddition
	if err := json.Unmarshal(verdict.Evidence, &added); err != nil || !verdict.Applied || added.CartCount != 4 {
		t.Errorf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
}

// The user has removed the item, or put more of it in, since: the flow must
// not guess.
func (c customer) changedCart(t *testing.T) {
	a := c.Attempt("add-to-cart", map[string]any{"asin": dripper})
	for _, before := range []string{"5", "0"} {
		a.Vars = map[string]any{"asin": dripper, "inCart": before}
		c.tellsNothing(t, a)
	}
}

// The cart is as it was before, empty, and yet the item was bought.
func (c customer) orderedCart(t *testing.T) {
	c.byHand(t, dripper, 0) // what the tests before have left
	a := c.inDoubt(t, "add-to-cart", kit.After, "/cart")
	c.byHand(t, dripper, 0)
	c.tellsNothing(t, a)
}

// forgetful is a shop that does not order what it is asked for, and thanks for an
// order of before: as one does whose visitor was never shown that.
type forgetful struct {
	*sandbox.Shop

	thanksFor atomic.Pointer[string] // its number; nil: it orders
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if number := f.thanksFor.Load(); number != nil && r.Method == http.MethodPost && r.URL.Path == "/buy-now" {
		http.Redirect(w, r, "/orders/"+*number+"/thank-you", http.StatusSeeOther)
		return
	}
	f.Shop.ServeHTTP(w, r)
}

func (c customer) anotherOrder(t *testing.T, shop *forgetful) {
	var before contracts.Order
	c.succeed(t, "buy-now", map[string]any{"asin": filters}, &before)
	shop.thanksFor.Store(&before.OrderID)
	a := c.InDoubt(t, "buy-now", map[string]any{"asin": dripper})
	if c.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}
