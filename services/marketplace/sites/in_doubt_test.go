package sites_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace/sandbox"
)

// inDoubt plays an operation whose answer is lost behind its effect step.
func (c *customer) inDoubt(operation string, when kit.When, path string) *flowtest.Attempt {
	c.t.Helper()
	c.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Method: "POST", Path: path, When: when}, Status: 502}}})
	a := c.InDoubt(c.t, operation, map[string]any{"asin": dripper})
	c.SetFaults(kit.Faults{})
	return a
}

func lostAnswer(_ *testing.T, c *customer) {
	a := c.inDoubt("buy-now", kit.After, "/buy-now")
	verdict := c.Reconcile(c.t, a)
	if !verdict.Applied {
		c.t.Fatal("not applied, want applied")
	}
	var order contracts.Order
	if err := json.Unmarshal(verdict.Evidence, &order); err != nil {
		c.t.Fatal(err)
	}
	c.ordered(order)
}

func lostRequest(t *testing.T, c *customer) {
	a := c.inDoubt("buy-now", kit.Before, "/buy-now")
	if c.Reconcile(c.t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// oldOrder has ordered the item so long ago that the first page of the history
// does not show it any more.
func oldOrder(t *testing.T, c *customer) {
	c.succeed("buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	var found contracts.SearchResults
	c.succeed("search", map[string]any{"query": "mug"}, &found)
	for range 10 {
		c.succeed("buy-now", map[string]any{"asin": found.Items[0].ASIN}, &contracts.Order{})
	}
	a := c.inDoubt("buy-now", kit.Before, "/buy-now")
	if c.Reconcile(c.t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func lostCartAnswer(t *testing.T, c *customer) {
	a := c.inDoubt("add-to-cart", kit.After, "/cart")
	verdict := c.Reconcile(c.t, a)
	var added contracts.CartAddition
	if err := json.Unmarshal(verdict.Evidence, &added); err != nil || !verdict.Applied {
		t.Fatalf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
	if added.ASIN != dripper || added.Quantity != 1 || added.CartCount != 1 || added.Subtotal.Amount != "26.49" {
		t.Errorf("evidence %+v", added)
	}
}

// Two of the item were in the cart before, and one of another.
func lostCartRequest(t *testing.T, c *customer) {
	c.fillCart(dripper, dripper, filters)
	a := c.inDoubt("add-to-cart", kit.Before, "/cart")
	if c.Reconcile(c.t, a).Applied {
		t.Error("applied, want not applied")
	}
	a = c.inDoubt("add-to-cart", kit.After, "/cart")
	verdict := c.Reconcile(c.t, a)
	var added contracts.CartAddition
	if err := json.Unmarshal(verdict.Evidence, &added); err != nil || !verdict.Applied || added.CartCount != 4 {
		t.Errorf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
}

const filters = "B0GJQ5TZKK"

func (c *customer) fillCart(items ...string) {
	c.t.Helper()
	for _, asin := range items {
		c.succeed("add-to-cart", map[string]any{"asin": asin}, &contracts.CartAddition{})
	}
}

// The user has removed the item, or put more of it in, since: the flow must
// not guess.
func changedCart(t *testing.T, c *customer) {
	c.fillCart(dripper)
	a := c.inDoubt("add-to-cart", kit.After, "/cart")
	for name, before := range map[string]string{"removed": "5", "more of it": "0"} {
		job := a.Job
		job.Vars = map[string]any{"asin": dripper, "inCart": before}
		if verdict, _, err := c.Site.Reconcile(t.Context(), c.Page.Rod(), job); err == nil {
			t.Errorf("%s: %+v", name, verdict)
		}
	}
}

// byHand has the user, signed in there in the browser, put so many of an item
// into the cart and order what is in it.
func (c *customer) byHand(asin string, quantity int) {
	c.t.Helper()
	page, orders := c.Page.Rod(), len(c.State().Orders)
	if err := page.Navigate(c.Site.BaseURL + "/dp/" + asin); err != nil {
		c.t.Fatal(err)
	}
	if err := page.WaitLoad(); err != nil {
		c.t.Fatal(err)
	}
	_, err := page.Eval(`async quantity => {
		const form = new FormData(document.querySelector('form[action="/cart"]'));
		if (quantity > 0) {
			form.set('quantity', quantity);
			await fetch('/cart', {method: 'POST', body: new URLSearchParams(form)});
		}
		await fetch('/checkout', {method: 'POST', body: new URLSearchParams(form)});
	}`, quantity)
	if err != nil || len(c.State().Orders) != orders+1 {
		c.t.Fatalf("%v; %d orders before, %d after", err, orders, len(c.State().Orders))
	}
}

// tellsNothing expects that the reconcile flow leaves the question to a person.
func (c *customer) tellsNothing(a *flowtest.Attempt) {
	c.t.Helper()
	if verdict, _, err := c.Site.Reconcile(c.t.Context(), c.Page.Rod(), a.Job); err == nil || !strings.Contains(err.Error(), "does not tell") {
		c.t.Errorf("%+v, %v", verdict, err)
	}
}

// The cart is as it was before, and yet the item was bought.
func orderedCart(_ *testing.T, c *customer) {
	a := c.inDoubt("add-to-cart", kit.After, "/cart")
	c.byHand(dripper, 0)
	c.tellsNothing(a)
}

func otherOrder(_ *testing.T, c *customer) {
	a := c.inDoubt("buy-now", kit.Before, "/buy-now")
	c.byHand(dripper, 5)
	c.tellsNothing(a)
	// Nor does an order of one, with something else.
	c.fillCart(filters)
	c.byHand(dripper, 1)
	c.tellsNothing(a)
}

func lostAnswerAmongOrders(t *testing.T, c *customer) {
	c.succeed("buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	a := c.inDoubt("buy-now", kit.After, "/buy-now")
	c.succeed("buy-now", map[string]any{"asin": filters}, &contracts.Order{})
	verdict := c.Reconcile(c.t, a)
	var order contracts.Order
	if err := json.Unmarshal(verdict.Evidence, &order); err != nil || !verdict.Applied || order.OrderID != c.State().Orders[1].ID {
		t.Errorf("applied %v, evidence %s", verdict.Applied, verdict.Evidence)
	}
}

// The history shows ten orders a page: the last one of the item is not on the
// first.
func lostRequestAmongOrders(t *testing.T, c *customer) {
	c.succeed("buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	a := c.inDoubt("buy-now", kit.Before, "/buy-now")
	for range 10 {
		c.succeed("buy-now", map[string]any{"asin": filters}, &contracts.Order{})
	}
	if c.Reconcile(c.t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// The session ends before the page of the item, which guests may see too:
// neither may be acted for as one, nor what it shows be taken for the user's.
func guestInTheMiddle(t *testing.T, c *customer) {
	c.succeed("buy-now", map[string]any{"asin": dripper}, &contracts.Order{})
	for _, operation := range []string{"buy-now", "add-to-cart"} {
		c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/dp/*", Times: 1}}})
		c.succeed(operation, map[string]any{"asin": dripper}, &struct{}{})
	}
	state := c.State()
	if carts := slices.Collect(maps.Keys(state.Carts)); len(state.Orders) != 2 || state.SignIns != 3 || !slices.Equal(carts, []string{sandbox.Jane.Username}) {
		t.Errorf("%d orders, %d sign-ins, carts of %v", len(state.Orders), state.SignIns, carts)
	}
}

func guestWhileReconciling(t *testing.T, c *customer) {
	a := c.inDoubt("buy-now", kit.After, "/buy-now") // the first order of the item
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/dp/*", Times: 1}}})
	if !c.Reconcile(c.t, a).Applied {
		t.Error("buy-now: not applied, want applied")
	}
	c.SetFaults(kit.Faults{})
	a = c.inDoubt("add-to-cart", kit.After, "/cart")
	c.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/cart", Times: 1}}})
	if !c.Reconcile(c.t, a).Applied {
		t.Error("add-to-cart: not applied, want applied")
	}
}
