package sites_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"integration.gateway/contracts"
	business "integration.gateway/contracts/marketplacebusiness"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

// inDoubt plays an operation whose request or answer is lost behind its effect
// step.
func (b buyer) inDoubt(t *testing.T, operation string, request map[string]any, when kit.When, path string) *flowtest.Attempt {
	t.Helper()
	b.shop.SetFaults(kit.Losing("POST", path, when))
	hasty := *b.Player
	hasty.Site = b.hasty
	a := hasty.InDoubt(t, operation, request)
	b.shop.SetFaults(kit.Faults{})
	return a
}

// newest is the order that the shop had last.
func (b buyer) newest(t *testing.T) sandbox.Order {
	t.Helper()
	orders := b.shop.State().Orders
	if len(orders) == 0 {
		t.Fatal("nothing is ordered")
	}
	return orders[len(orders)-1]
}

// ordered compares evidence with an order of the shop.
func ordered(t *testing.T, evidence []byte, order sandbox.Order) {
	t.Helper()
	flowtest.Equal(t, evidence, map[string]any{
		"orderId": order.ID, "total": cost, "deliveryAddress": order.Address, "paymentMethod": order.Payment,
		"items":               []any{map[string]any{"asin": paper, "title": paperTitle, "quantity": 1, "price": cost}},
		"purchaseOrderNumber": "PO-2231", "deliveryEstimate": order.Delivery, "awaitingApproval": false,
	})
}

// The same was ordered before.
func (b buyer) lostCheckoutRequest(t *testing.T) {
	b.Gives(t, "add-to-cart", b.url(paper))
	b.Gives(t, "checkout", toChicago)
	b.Gives(t, "add-to-cart", b.url(paper))
	a := b.inDoubt(t, "checkout", toChicago, kit.Before, "/api/checkout")
	if b.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// thankful is a shop that does not order what it is asked for, and thanks for an
// order of before: as one does whose visitor was never shown that.
type thankful struct {
	*sandbox.Site

	page atomic.Pointer[string] // of the thanks; nil: it orders
}

func (s *thankful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if page := s.page.Load(); page != nil && r.URL.Path == "/api/buy-now" {
		kit.WriteJSON(w, http.StatusOK, map[string]string{"page": *page})
		return
	}
	s.Site.ServeHTTP(w, r)
}

func (b buyer) thankedForAnother(t *testing.T, shop *thankful) {
	b.Gives(t, "buy-now", map[string]any{"asin": sandbox.ItemNumber("Copy paper A4, 80 g, 1 ream")})
	page := "/orders/" + b.newest(t).ID + "/placed"
	shop.page.Store(&page)
	a := b.InDoubt(t, "buy-now", map[string]any{"asin": paper})
	if b.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

// The cart is as the lost request has left it. The same was ordered before, and
// again since.
func (b buyer) lostCheckoutAnswer(t *testing.T) {
	a := b.inDoubt(t, "checkout", toChicago, kit.After, "/api/checkout")
	order := b.newest(t)
	b.Gives(t, "buy-now", map[string]any{"asin": paper})
	ordered(t, b.FindsItsOwn(t, a), order)
	// Where the orders cannot be seen, they tell nothing.
	b.shop.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/orders"}, Status: 503}}})
	if verdict, _, err := b.Site.Reconcile(t.Context(), b.Page.Rod(), a.Job); err == nil {
		t.Errorf("without the list of orders: %+v", verdict)
	}
}

func (b buyer) lostOrderRequest(t *testing.T) {
	b.Gives(t, "buy-now", map[string]any{"asin": paper})
	a := b.inDoubt(t, "buy-now", map[string]any{"asin": paper}, kit.Before, "/api/buy-now")
	if b.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func (b buyer) lostOrderAnswer(t *testing.T) {
	a := b.inDoubt(t, "buy-now", map[string]any{"asin": paper}, kit.After, "/api/buy-now")
	order := b.newest(t)
	b.Gives(t, "buy-now", map[string]any{"asin": sandbox.ItemNumber("Copy paper A4, 80 g, 1 ream")})
	verdict := b.Reconcile(t, a)
	if !verdict.Applied {
		t.Error("not applied, want applied")
	}
	ordered(t, verdict.Evidence, order)
}

func (b buyer) lostCartAnswer(t *testing.T) {
	b.Gives(t, "add-to-cart", b.url(paper))
	a := b.inDoubt(t, "add-to-cart", b.url(paper), kit.After, "/api/cart")
	verdict := b.Reconcile(t, a)
	if !verdict.Applied {
		t.Error("not applied, want applied")
	}
	flowtest.Equal(t, verdict.Evidence, business.CartAddition{
		ASIN: paper, Title: paperTitle, Quantity: 1, Price: cost, CartCount: 2, Subtotal: &contracts.Money{Amount: "40.30", Currency: "USD"},
	})
	// Somebody else has changed the cart since: the flow must not guess.
	b.Gives(t, "add-to-cart", b.url(paper))
	b.tellsNothing(t, a)
}

// tellsNothing expects that the reconcile flow leaves the question to a person.
func (b buyer) tellsNothing(t *testing.T, a *flowtest.Attempt) {
	t.Helper()
	if verdict, _, err := b.Site.Reconcile(t.Context(), b.Page.Rod(), a.Job); err == nil || !strings.Contains(err.Error(), "does not tell") {
		t.Errorf("%+v, %v", verdict, err)
	}
}

// The cart is as it was before, and yet the item was bought.
func (b buyer) orderedCart(t *testing.T) {
	a := b.inDoubt(t, "add-to-cart", b.url(paper), kit.After, "/api/cart")
	b.Gives(t, "checkout", toChicago)
	b.tellsNothing(t, a)
}

func (b buyer) otherOrder(t *testing.T) {
	a := b.inDoubt(t, "buy-now", map[string]any{"asin": paper}, kit.Before, "/api/buy-now")
	// By a checkout: one, which has a reference.
	b.Gives(t, "add-to-cart", b.url(paper))
	b.Gives(t, "checkout", toChicago)
	b.tellsNothing(t, a)
	b.byHand(t, paper, 5)
	b.tellsNothing(t, a)
	// One, with something else.
	b.Gives(t, "add-to-cart", b.url(sandbox.ItemNumber("Copy paper A4, 80 g, 1 ream")))
	b.byHand(t, paper, 1)
	b.tellsNothing(t, a)
}

// byHand has the user, signed in there in the browser, put so many of an item
// into the cart and order what is in it, without a reference.
func (b buyer) byHand(t *testing.T, asin string, quantity int) {
	t.Helper()
	page, orders := b.Page.Rod(), len(b.shop.State().Orders)
	if err := page.Navigate(b.Site.BaseURL + "/cart"); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	_, err := page.Eval(`async (asin, quantity, address, card) => {
		const {ask} = await import('/assets/parts/part.js');
		await ask('/api/cart', {asin, quantity});
		await ask('/api/checkout', {address, card, purchaseOrder: '', reference: ''});
	}`, asin, quantity, toChicago["addressId"], toChicago["creditCardLastFour"])
	if err != nil || len(b.shop.State().Orders) != orders+1 {
		t.Fatalf("%v; %d orders before, %d after", err, orders, len(b.shop.State().Orders))
	}
}

func (b buyer) lostCartRequest(t *testing.T) {
	a := b.inDoubt(t, "add-to-cart", b.url(paper), kit.Before, "/api/cart")
	if b.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}
