package sandbox_test

import (
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/services/marketplace/sandbox"
)

func TestBuyNowPlacesOneOrder(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/dp/" + dripper)
	v.Submit("/buy-now", nil)
	orders := v.State().Orders
	if len(orders) != 1 {
		t.Fatalf("%d orders, want 1", len(orders))
	}
	order := orders[0]
	if !regexp.MustCompile(`^\d{3}-\d{7}-\d{7}$`).MatchString(order.ID) || v.Path != "/orders/"+order.ID+"/thank-you" {
		t.Errorf("order %q, page %s", order.ID, v.Path)
	}
	v.Sees(order.ID, "Thank you, Jane", "$31.48", "Jane Roe, 12 Elm Street, Springfield, IL 62704",
		"Visa ending in 4242", `datetime="`+order.Delivery+`"`)
	if day, err := time.Parse(time.DateOnly, order.Delivery); err != nil || !day.After(order.PlacedAt) {
		t.Errorf("delivery on %q, placed at %v", order.Delivery, order.PlacedAt)
	}
	want := []sandbox.OrderLine{{ASIN: dripper, Title: "Ceramic pour-over coffee dripper, size 02", Quantity: 1, Price: 2649}}
	if diff := cmp.Diff(want, order.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	v.Open("/orders")
	v.Sees(order.ID, "14 orders")
	v.Open("/dp/" + dripper)
	v.Sees(`data-order="` + order.ID + `"`)
	v.Open("/buy-again")
	if titles, _ := v.shelf(); titles[0] != order.Lines[0].Title {
		t.Errorf("buy again begins with %q", titles[0])
	}
}

func TestDoubleSubmitOrdersTwice(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/dp/" + dripper)
	product := v.Page
	v.Submit("/buy-now", nil)
	v.Page = product
	v.Submit("/buy-now", nil)
	state := v.State()
	if len(state.Orders) != 2 || state.Orders[0].ID == state.Orders[1].ID {
		t.Errorf("orders %v, want two", state.Orders)
	}
	if diff := cmp.Diff(map[string]int{"POST /buy-now": 1}, state.Repeated); diff != "" {
		t.Errorf("repeated (-want +got):\n%s", diff)
	}
}

func TestBuyNowNeedsDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		user   kit.User
		notice string
		choice url.Values // what puts it right
	}{
		{sandbox.Sam, "You have no default delivery address.", url.Values{"address": {"home"}}},
		{sandbox.Ines, "You have no default payment method.", nil},
	} {
		t.Run(c.notice, func(t *testing.T) {
			t.Parallel()
			v := visit(t)
			v.signIn(c.user)
			v.Open("/dp/" + dripper)
			v.Sees(c.notice, "disabled")
			v.Submit("/buy-now", nil) // in spite of the notice
			v.Sees(c.notice)
			state := v.State()
			if len(state.Orders) != 0 || len(state.Refusals) != 1 {
				t.Errorf("%d orders, %d refusals; want 0, 1", len(state.Orders), len(state.Refusals))
			}
			if c.choice == nil {
				return
			}
			v.Open("/account")
			v.Submit("/account/defaults", c.choice)
			v.Open("/dp/" + dripper)
			v.SeesNot(c.notice)
			v.Submit("/buy-now", nil)
			if got := len(v.State().Orders); got != 1 {
				t.Errorf("%d orders after choosing a default, want 1", got)
			}
		})
	}
}

func TestDeclinedPaymentOrdersNothing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Viktor)
	v.Open("/dp/" + dripper)
	v.SeesNot("declined")
	v.Submit("/buy-now", nil)
	v.Sees("Your bank declined the payment. Nothing was ordered.")
	if got := len(v.State().Orders); got != 0 {
		t.Errorf("%d orders, want none", got)
	}
}

func TestGuestIsAskedToSignInBeforeOrdering(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/dp/" + dripper)
	v.Submit("/buy-now", nil)
	v.Submit("/sign-in", url.Values{"email": {sandbox.Amir.Username}, "password": {sandbox.Amir.Password}})
	v.At("/dp/" + dripper)
	if got := len(v.State().Orders); got != 0 {
		t.Errorf("%d orders, want none", got)
	}
}

func TestFormsWithoutTokenAreRefused(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	for _, path := range []string{"/buy-now", "/cart", "/checkout", "/sign-out", "/account/defaults"} {
		v.Send(http.MethodPost, path, url.Values{"asin": {dripper}})
		v.Answered(http.StatusForbidden)
	}
	state := v.State()
	if len(state.Orders) != 0 || len(state.Carts) != 0 || state.Forged != 5 {
		t.Errorf("%d orders, %d carts, %d forged; want 0, 0, 5", len(state.Orders), len(state.Carts), state.Forged)
	}
}

func TestCartOfAGuestFollowsTheSignIn(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.Open("/dp/" + dripper)
	v.Submit("/cart", url.Values{"quantity": {"2"}})
	v.Sees("Added to cart", "$52.98", "Subtotal")
	if cart := v.State().Carts["guest-1"]; len(cart) != 1 || cart[0].Quantity != 2 {
		t.Errorf("the guest's cart holds %v", cart)
	}
	v.Open("/dp/" + dripper)
	v.Sees("2 in your cart")
	v.signIn(sandbox.Jane)
	v.Open("/dp/" + v.asin(milk))
	v.Submit("/cart", nil)
	want := map[string][]sandbox.CartLine{sandbox.Jane.Username: {
		{ASIN: dripper, Title: "Ceramic pour-over coffee dripper, size 02", Quantity: 2, Price: 2649},
		{ASIN: v.asin(milk), Title: milk, Quantity: 1, Price: 409},
	}}
	if diff := cmp.Diff(want, v.State().Carts); diff != "" {
		t.Errorf("carts (-want +got):\n%s", diff)
	}
	v.Open("/cart")
	v.Submit("/cart/remove", nil) // the first line
	v.Sees("$4.09")
	v.Submit("/checkout", nil)
	v.Sees("Thank you, Jane", milk)
	if state := v.State(); len(state.Carts) != 0 || len(state.Orders) != 1 {
		t.Errorf("%d carts, %d orders; want 0, 1", len(state.Carts), len(state.Orders))
	}
}

func TestCartTakesOnlyWhatTheShopSells(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, typed := range []url.Values{
		{"asin": {"B000000000"}},
		{"asin": {""}},
		{"quantity": {"0"}},
		{"quantity": {"-1"}},
		{"quantity": {"31"}},
		{"quantity": {"many"}},
	} {
		v.Open("/dp/" + dripper)
		v.Submit("/cart", typed)
		if v.Status != http.StatusBadRequest {
			t.Errorf("%v: status %d, want 400", typed, v.Status)
		}
	}
	if got := v.State().Carts; len(got) != 0 {
		t.Errorf("carts %v, want none", got)
	}
}

func TestRefusedCheckoutKeepsTheCart(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Viktor)
	v.Open("/dp/" + dripper)
	v.Submit("/cart", nil)
	v.Submit("/checkout", nil)
	v.Sees("declined", "$26.49")
	if state := v.State(); len(state.Orders) != 0 || len(state.Carts) != 1 {
		t.Errorf("%d orders, %d carts; want 0, 1", len(state.Orders), len(state.Carts))
	}
}

func TestHistoryHasPages(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/orders")
	v.Sees("Older", "13 orders")
	v.Open("/orders?page=2")
	v.Sees("Newer", "Braided USB-C cable, 6 ft")
	v.SeesNot("Older")
	v.Open("/orders?page=3")
	v.Answered(http.StatusNotFound)
}

func TestBuyAgainListsEachProductOnce(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/buy-again")
	titles, asins := v.shelf()
	if len(titles) != 17 || len(asins) != 17 || titles[0] != milk {
		t.Errorf("%d products, %d different, the first %q; want 17, 17, %q", len(titles), len(asins), titles[0], milk)
	}
	amir := enter(t, v.Shop)
	amir.signIn(sandbox.Amir)
	amir.Open("/buy-again")
	amir.Sees("Nothing to buy again yet")
}

func TestOrdersOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	v.Open("/dp/" + dripper)
	v.Submit("/buy-now", nil)
	amir := enter(t, v.Shop)
	amir.signIn(sandbox.Amir)
	amir.Open("/orders/" + v.State().Orders[0].ID)
	amir.Answered(http.StatusNotFound)
}

func TestManyOrdersAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	v := visit(t)
	const buyers, each = 8, 5
	visitors := make([]*visitor, buyers)
	for i := range visitors {
		visitors[i] = enter(t, v.Shop)
		visitors[i].signIn(sandbox.Jane)
		visitors[i].Open("/dp/" + dripper)
	}
	var wg sync.WaitGroup
	for _, buyer := range visitors {
		product := buyer.Page
		wg.Go(func() {
			for range each {
				buyer.Page = product
				buyer.Submit("/buy-now", nil)
			}
		})
	}
	wg.Wait()
	numbers := map[string]bool{}
	for _, order := range v.State().Orders {
		numbers[order.ID] = true
	}
	if len(numbers) != buyers*each {
		t.Errorf("%d different orders, want %d", len(numbers), buyers*each)
	}
}
