package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	contracts "integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const folder = "sites/marketplace/corner-shop"

// customer plays the example's flows at a shop of its own.
type customer struct {
	*shop
	site    *flow.Site
	page    *browser.Page
	account *flow.Account
	effects int
}

func (c *customer) Started(context.Context, string, map[string]any) error { c.effects++; return nil }

func (c *customer) Act(context.Context) error { return nil }

func (c *customer) Holds() bool { return true }

func newCustomer(t *testing.T, pool *browser.Pool, password string) *customer {
	t.Helper()
	site, err := flow.Load(os.DirFS(folder), flow.ContractsOf(contracts.Operations...))
	if err != nil {
		t.Fatal(err)
	}
	c := &customer{shop: newShop()}
	server := httptest.NewServer(c.shop)
	t.Cleanup(server.Close)
	if c.site, err = site.WithBaseURL(server.URL); err != nil {
		t.Fatal(err)
	}
	c.account = &flow.Account{Credentials: func(context.Context) (flow.Credentials, error) {
		return flow.Credentials{Username: "pat", Password: password}, nil
	}}
	if c.page, err = pool.Acquire(t.Context(), browser.Tenant{Account: t.Name(), Origins: c.site.Origins()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.page.Release(false) })
	return c
}

func (c *customer) job(operation string, request map[string]any) flow.Job {
	return flow.Job{
		Operation: operation, Request: request, CommandID: "0199a0b4-7c1e-7000-8000-00000000c0de",
		StartedAt: time.Now(), Account: c.account, Effect: c,
	}
}

// play carries an operation out; what it gives is compared as JSON.
func (c *customer) play(t *testing.T, operation string, request map[string]any) (string, *flow.Failure) {
	t.Helper()
	raw, _, err := c.site.Play(t.Context(), c.page.Rod(), c.job(operation, request))
	var failure *flow.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return string(raw), failure
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(got), &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Error(diff)
	}
}

func TestTheWorkedExampleWorks(t *testing.T) {
	t.Parallel()
	pool, err := browser.Open(t.Context(), browser.Config{Path: testenv.Chromium(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for name, test := range map[string]func(*testing.T, *customer){
		"a search finds items":           searchFinds,
		"an order is placed and found":   orderIsFound,
		"what cannot be ordered is told": refusals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newCustomer(t, pool, "corner"))
		})
	}
	t.Run("a wrong password is told in the shop's words", func(t *testing.T) {
		t.Parallel()
		c := newCustomer(t, pool, "wrong")
		_, failure := c.play(t, "buy-now", map[string]any{"asin": "CRN0000001"})
		if failure == nil || failure.Outcome != flow.Rejected || failure.Message != "Wrong user name or password." {
			t.Errorf("got %v", failure)
		}
	})
}

func searchFinds(t *testing.T, c *customer) {
	result, failure := c.play(t, "search", map[string]any{"query": "apple"})
	if failure != nil {
		t.Fatal(failure)
	}
	at := c.site.BaseURL + "/item/"
	equal(t, result, `{"items": [
		{"asin": "CRN0000001", "title": "Apple juice, 1 l", "itemUrl": "`+at+`CRN0000001", "price": {"amount": "2.40", "currency": "EUR"}, "available": true},
		{"asin": "CRN0000002", "title": "Apple cake", "itemUrl": "`+at+`CRN0000002", "price": {"amount": "1012.50", "currency": "EUR"}, "available": false},
		{"asin": "CRN0000003", "title": "Apple brandy", "itemUrl": "`+at+`CRN0000003", "price": {"amount": "31.00", "currency": "EUR"}, "available": true}]}`)
}

const placed = `{"orderId": "C-1001", "asin": "CRN0000004", "title": "Box of matches", "quantity": 1,
	"total": {"amount": "0.80", "currency": "EUR"}, "deliveryAddress": "Pat Lee, 3 Mill Lane, Oxford", "paymentMethod": "Invoice"}`

func orderIsFound(t *testing.T, c *customer) {
	request := map[string]any{"itemUrl": c.site.BaseURL + "/item/CRN0000004"}
	verdict, _, err := c.site.Reconcile(t.Context(), c.page.Rod(), c.job("buy-now", nil))
	if err != nil || verdict.Applied {
		t.Fatalf("before the order: %+v, %v", verdict, err)
	}
	result, failure := c.play(t, "buy-now", request)
	if failure != nil {
		t.Fatal(failure)
	}
	equal(t, result, placed)
	if verdict, _, err = c.site.Reconcile(t.Context(), c.page.Rod(), c.job("buy-now", nil)); err != nil || !verdict.Applied {
		t.Fatalf("after the order: %+v, %v", verdict, err)
	}
	equal(t, string(verdict.Evidence), placed)
}

func refusals(t *testing.T, c *customer) {
	for asin, want := range map[string]flow.Failure{
		"CRN0000002": {Outcome: flow.Precondition, Message: "Sold out at present."},
		"CRN0000003": {Outcome: flow.Rejected, Message: "We may not send spirits by post."},
		"CRN0000009": {Outcome: flow.NotFound, Message: "There is no such page in our shop."},
	} {
		_, failure := c.play(t, "buy-now", map[string]any{"asin": asin})
		if failure == nil || failure.Outcome != want.Outcome || failure.Message != want.Message || !failure.Refusal() {
			t.Errorf("%s: got %v", asin, failure)
		}
	}
	if len(c.orders) != 0 || c.effects != 1 {
		t.Errorf("%d orders, %d effects", len(c.orders), c.effects)
	}
}
