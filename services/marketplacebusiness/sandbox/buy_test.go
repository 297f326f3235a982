package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

type wanted struct {
	ASIN     string `json:"asin"`
	Quantity int    `json:"quantity"`
}

type chosen struct {
	Address       string `json:"address"`
	Card          string `json:"card"`
	PurchaseOrder string `json:"purchaseOrder"`
	Reference     string `json:"reference"`
}

func TestCartHoldsWhatIsPutIntoIt(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	v.Open("/dp/" + paper)
	v.Sees(`in-cart="0"`, `price="$20.15"`)
	v.post("/api/cart", wanted{paper, 2})
	v.post("/api/cart", wanted{paper, 1})
	v.Sees(`"count": 3`, `"subtotal": "$60.45"`)
	v.Open("/dp/" + paper)
	v.Sees(`in-cart="3"`)
	v.post("/api/cart/quantity", wanted{paper, 5})
	v.Sees(`"quantity": 5`, `"sum": "$100.75"`)
	v.post("/api/cart/quantity", wanted{paper, 0})
	if state := v.State(); len(state.Carts[sandbox.Jane.Username]) != 0 || state.Effects["cart"] != 4 {
		t.Errorf("carts %v, effects %v", state.Carts, state.Effects)
	}
	v.post("/api/cart/quantity", wanted{paper, 1})
	v.Answered(http.StatusNotFound, "is not in your cart")
}

func TestCartTakesOnlyWhatCanBeBought(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	for _, test := range []struct {
		wanted
		status int
		words  string
	}{
		{wanted{"B000000000", 1}, http.StatusUnprocessableEntity, "Choose an item"},
		{wanted{paper, 0}, http.StatusUnprocessableEntity, "Choose an item"},
		{wanted{paper, 1000}, http.StatusUnprocessableEntity, "Choose an item"},
		{wanted{sandbox.ItemNumber("Drum unit, series 700"), 1}, http.StatusConflict, "out of stock"},
		{wanted{sandbox.ItemNumber("Paper towels, two ply, pack of 2"), 4}, http.StatusConflict, "quantities of 5"},
	} {
		v.post("/api/cart", test.wanted)
		v.Answered(test.status, test.words)
	}
	v.post("/api/cart", wanted{sandbox.ItemNumber("Paper towels, two ply, pack of 2"), 5})
	v.post("/api/cart", "nonsense")
	v.Answered(http.StatusBadRequest, "cannot be read")
	if state := v.State(); state.Effects["cart"] != 1 {
		t.Errorf("effects %v, want 1", state.Effects)
	}
}

func TestCheckoutOrdersTheCartAndEmptiesIt(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	v.post("/api/cart", wanted{paper, 2})
	v.Open("/api/checkout?address=adr-90417")
	v.Sees(`"subtotal": "$45.12"`, `"purchaseOrder": "PO-2231"`)
	v.post("/api/checkout", chosen{"adr-90417", "5100", " PO-77 ", "for the café"})
	state := v.State()
	if len(state.Orders) != 1 || len(state.Carts[sandbox.Jane.Username]) != 0 {
		t.Fatalf("orders %+v, carts %v", state.Orders, state.Carts)
	}
	order := state.Orders[0]
	if order.Total != 4512 || order.Payment != "Mastercard ending in 5100" || order.PurchaseOrder != "PO-77" || order.Reference != "for the café" || order.AwaitsApproval() {
		t.Errorf("%+v", order)
	}
	v.Sees("/orders/" + order.ID + "/placed")
	v.Open("/orders/" + order.ID + "/placed")
	v.Sees("Your order is placed.", "for the café", "Hillcrest Bakery North", "$45.12")
}

func TestLargeOrdersWaitForAnApprover(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Jane)
	v.post("/api/cart", wanted{paper, 25})
	v.Open("/api/checkout")
	v.Sees("Orders above $500.00 wait for Martin Holt")
	v.post("/api/checkout", chosen{Address: "adr-88213", Card: "4242"})
	order := v.State().Orders[0]
	if order.Status != sandbox.Waiting {
		t.Errorf("%+v", order)
	}
	v.Open("/orders/" + order.ID + "/placed")
	v.Sees("Your order waits for Martin Holt to approve it.")
}

func TestRefusedCheckoutKeepsTheCart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		user   kit.User
		choice chosen
		words  string
	}{
		"empty":      {sandbox.Amir, chosen{Address: "adr-51007", Card: "5454"}, "Your cart is empty."},
		"no address": {sandbox.Sam, chosen{Address: "adr-51007", Card: "1881"}, "no default delivery address"},
		"no card":    {sandbox.Ines, chosen{Address: "adr-51007", Card: "2020"}, "no default payment method"},
		"declined":   {sandbox.Viktor, chosen{Address: "adr-51007", Card: "1117"}, "Your bank declined the payment."},
		"elsewhere":  {sandbox.Rosa, chosen{Address: "adr-51032", Card: "0077"}, "cannot be delivered to 99801"},
		"not hers":   {sandbox.Rosa, chosen{Address: "adr-88213", Card: "0077"}, "not one of your delivery addresses"},
		"no such":    {sandbox.Rosa, chosen{Address: "adr-51007", Card: "4242"}, "not one of your cards"},
		"long":       {sandbox.Rosa, chosen{Address: "adr-51007", Card: "0077", Reference: strings.Repeat("x", 65)}, "at most 64 characters"},
		"sold out":   {sandbox.Nora, chosen{Address: "adr-51007", Card: "3030"}, "out of stock"},
		"nothing":    {sandbox.Nora, chosen{}, "not one of your delivery addresses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := visit(t, test.user)
			before := len(v.State().Carts[test.user.Username])
			v.post("/api/checkout", test.choice)
			v.Answered(http.StatusConflict, test.words)
			if state := v.State(); len(state.Orders) != 0 || len(state.Refusals) != 1 || len(state.Carts[test.user.Username]) != before {
				t.Errorf("orders %v, refusals %v, carts %v", state.Orders, state.Refusals, state.Carts)
			}
		})
	}
}

func TestDefaultsCanBeChosen(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Sam)
	v.Open("/dp/" + paper)
	v.Sees("You have no default delivery address.")
	v.Open("/account/addresses")
	v.Submit("/account/defaults", url.Values{"address": {"adr-88213"}})
	v.Answered(http.StatusBadRequest, "one of your own addresses or cards")
	v.Open("/account/addresses")
	v.Submit("/account/defaults", url.Values{"address": {"adr-51007"}})
	v.Open("/account/addresses")
	v.Sees("Default")
	v.post("/api/buy-now", wanted{ASIN: paper})
	if state := v.State(); len(state.Orders) != 1 || len(state.Carts[sandbox.Sam.Username]) != 1 {
		t.Errorf("orders %v, carts %v", state.Orders, state.Carts)
	}
	v.Open("/dp/" + paper)
	v.Sees("You last ordered this on")
}

// A double click orders twice, as at a real shop.
func TestEachRequestIsAnOrder(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Amir)
	v.Open("/dp/" + paper)
	var clicks sync.WaitGroup
	for range 8 {
		other := *v.Visitor // the browser's cookies, and the token of the page that was opened
		clicks.Go(func() { other.Send(http.MethodPost, "/api/buy-now", wanted{ASIN: paper}) })
	}
	clicks.Wait()
	numbers := map[string]bool{}
	for _, order := range v.State().Orders {
		numbers[order.ID] = true
	}
	if len(numbers) != 8 {
		t.Errorf("%d orders, want 8", len(numbers))
	}
}

func TestWhatHasNoTokenIsRefused(t *testing.T) {
	t.Parallel()
	v := visit(t, sandbox.Amir)
	v.Token = ""
	v.post("/api/buy-now", wanted{ASIN: paper})
	v.Answered(http.StatusForbidden)
	if state := v.State(); len(state.Orders) != 0 || state.Forged != 1 {
		t.Errorf("%d orders, %d forged", len(state.Orders), state.Forged)
	}
}
