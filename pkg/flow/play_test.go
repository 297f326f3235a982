package flow_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/flow"
)

const searchFlow = `
title: Search
steps:
  - {type: navigate, url: "{{ baseUrl }}/s?q={{ query }}"}
  - type: customStep
    name: extract
    parameters:
      into: items
      each: .card
      distinct: asin
      fields:
        asin: {selector: a, attribute: href, match: "/dp/([A-Z0-9]{10})"}
        title: .name
        itemUrl: {selector: a, as: url}
        price: {selector: .price, as: money}
        available: {selector: .in-stock, as: exists}
`

const card = `<div class=card><a href=/dp/%[1]s><span class=name>  Coffee
  dripper %[1]s</span></a> <b class=price>$1,024.99</b> <i class=in-stock>in stock</i></div>`

func searchShop(t testing.TB) *shop {
	return newShop(t, "operations: {search: {flow: search.yaml, public: true, ignores: [isGroceryChain]}}\n",
		map[string]string{"search.yaml": searchFlow},
		map[string]string{"/s": strings.ReplaceAll(card, "%[1]s", "B0CX23V2ZK") + strings.ReplaceAll(card, "%[1]s", "B0CX23V2ZL") +
			strings.ReplaceAll(card, "%[1]s", "B0CX23V2ZK") + `<div class=card><a href=/dp/B000000000><span class=name>Filter</span></a></div>`})
}

func TestSearchReadsRows(t *testing.T) {
	t.Parallel()
	s := searchShop(t)
	site := s.load(shopContracts)
	result, trace, err := s.play(site, flow.Job{Operation: "search", Request: map[string]any{"query": "a&b"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"items":[` +
		`{"asin":"B0CX23V2ZK","available":true,"itemUrl":"` + s.url + `/dp/B0CX23V2ZK","price":{"amount":"1024.99","currency":"USD"},"title":"Coffee dripper B0CX23V2ZK"},` +
		`{"asin":"B0CX23V2ZL","available":true,"itemUrl":"` + s.url + `/dp/B0CX23V2ZL","price":{"amount":"1024.99","currency":"USD"},"title":"Coffee dripper B0CX23V2ZL"},` +
		`{"asin":"B000000000","available":false,"itemUrl":"` + s.url + `/dp/B000000000","title":"Filter"}]}`
	if diff := cmp.Diff(want, result); diff != "" {
		t.Error(diff)
	}
	if trace.Unclean != nil || len(trace.Steps) != 2 {
		t.Errorf("trace: %+v", trace)
	}
	t.Logf("%d calls", trace.Calls)
	if _, _, err = s.play(site, flow.Job{Operation: "search", Request: map[string]any{"query": "again"}}); err != nil {
		t.Errorf("the page is not fit for a second play: %v", err)
	}
}

type recorder struct {
	started atomic.Int32
	kind    string
	err     error
}

func (r *recorder) Started(_ context.Context, kind string, _ map[string]any) error {
	r.started.Add(1)
	r.kind = kind
	return r.err
}

func (r *recorder) Act(context.Context) error { return nil }

func (r *recorder) Holds() bool { return true }

const buyNow = `
steps:
  - type: customStep
    name: when
    parameters:
      given: asin
      then: [{type: navigate, url: "{{ baseUrl }}/dp/{{ asin }}"}]
      else: [{type: navigate, url: "{{ itemUrl }}"}]
  - {type: customStep, name: when, parameters: {status: 404, then: [{type: customStep, name: fail, parameters: {outcome: not-found, message: no such item}}]}}
  - {type: customStep, name: when, parameters: {visible: "#no-address", then: [{type: customStep, name: fail, parameters: {outcome: precondition, messageFrom: "#no-address"}}]}}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: click, selectors: ["#gone", "#buy"]}
  - type: customStep
    name: oneOf
    parameters:
      within: 2000
      cases:
        - visible: "#confirmation"
        - visible: ".toast"
          steps: [{type: customStep, name: fail, parameters: {outcome: rejected, messageFrom: .toast}}]
  - type: customStep
    name: extract
    parameters:
      fields:
        orderId: {value: "{{ page.url }}", match: "/order/(\\d+)"}
        asin: "@data-none"
`

func buyShop(t testing.TB, product string) *shop {
	flowText := strings.Replace(buyNow, `        asin: "@data-none"
`, `        asin: .asin
        title: .title
        quantity: {selector: .quantity, as: integer}
        total: {selector: .total, as: money}
        deliveryAddress: .address
        paymentMethod: .payment
`, 1)
	return newShop(t, "operations: {buy-now: {flow: buy-now.yaml, public: true}}\n", map[string]string{"buy-now.yaml": flowText}, map[string]string{
		"/dp/B0CX23V2ZK": product,
		"/order/77": `<div id=confirmation><p class=asin>B0CX23V2ZK</p><p class=title>Dripper<p class=quantity>1<p class=total>$9.00
			<p class=address>12 Elm<p class=payment>Visa</div>`,
	})
}

func TestBuyNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		product string
		request map[string]any
		outcome flow.Outcome
		message string
		started int32
		effect  bool
		fails   bool
	}{
		"ordered":    {product: `<a id=buy href=/order/77>Buy</a>`, started: 1, effect: true},
		"by address": {product: `<a id=buy href=/order/77>Buy</a>`, request: map[string]any{"itemUrl": "BASE/dp/B0CX23V2ZK"}, started: 1, effect: true},
		"no address": {product: `<p id=no-address>Add an address first</p>`, fails: true, outcome: flow.Precondition, message: "Add an address first"},
		"no button":  {product: `nothing here`, fails: true, message: "buy-now.yaml step 5 (click #gone): no alternative matched within 3s"},
		"refused":    {product: `<p class=toast>old toast</p><button id=buy onclick="this.insertAdjacentHTML('afterend', '<p class=toast>sold out</p>'); document.querySelector('.toast').remove">Buy</button>`, fails: true, outcome: flow.Rejected, message: "sold out", started: 1, effect: true},
		"in doubt":   {product: `<p class=toast>old toast</p><button id=buy>Buy</button>`, fails: true, message: "none of the cases came within 2s", started: 1, effect: true},
		"not found":  {request: map[string]any{"asin": "B0CX23V2Z0"}, fails: true, outcome: flow.NotFound, message: "no such item"},
		"other site": {request: map[string]any{"itemUrl": "https://evil.example/dp/1"}, fails: true, outcome: flow.Invalid, message: "the address is not one of the site's"},
		"no choice":  {request: map[string]any{}, fails: true, outcome: flow.Invalid, message: "{{ itemUrl }} has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := buyShop(t, c.product)
			request := map[string]any{}
			if c.request == nil {
				request["asin"] = "B0CX23V2ZK"
			}
			for k, v := range c.request {
				request[k] = strings.ReplaceAll(v.(string), "BASE", s.url)
			}
			rec := &recorder{}
			result, trace, err := s.play(s.load(shopContracts), flow.Job{Operation: "buy-now", Request: request, Effect: rec})
			if got := rec.started.Load(); got != c.started {
				t.Errorf("the effect was started %d times", got)
			}
			if !c.fails {
				if err != nil || !strings.Contains(result, `"orderId":"77"`) {
					t.Fatalf("%s, %v", result, err)
				}
				if choices := trace.Steps[len(trace.Steps)-3].Choices; len(choices) != 1 || choices[0].Won != 1 {
					t.Errorf("the winning alternative is not noted: %+v", trace.Steps)
				}
				return
			}
			var f *flow.Failure
			if !errors.As(err, &f) || f.Outcome != c.outcome || !strings.Contains(err.Error(), c.message) || f.EffectStarted != c.effect {
				t.Errorf("failed with %+v: %v", f, err)
			}
		})
	}
}

func TestEffectThatCannotBeRecordedIsNotBegun(t *testing.T) {
	t.Parallel()
	s := buyShop(t, `<a id=buy href=/order/77>Buy</a>`)
	s.mux.HandleFunc("/order/", func(http.ResponseWriter, *http.Request) { t.Error("the click was made") })
	_, _, err := s.play(s.load(shopContracts), flow.Job{Operation: "buy-now", Request: map[string]any{"asin": "B0CX23V2ZK"}, Effect: &recorder{err: errors.New("no log")}})
	var f *flow.Failure
	if !errors.As(err, &f) || f.EffectStarted {
		t.Errorf("failed with %+v", err)
	}
}

func TestReconcileFindsTheEffect(t *testing.T) {
	t.Parallel()
	s := newShop(t, "operations: {buy-now: {flow: buy-now.yaml, reconcile: look.yaml, public: true}}\n", map[string]string{
		"buy-now.yaml": strings.Replace(buyNow, "  - {type: customStep, name: effect,", "  - {type: customStep, name: remember, parameters: {fields: {before: li}}}\n  - {type: customStep, name: effect,", 1),
		"look.yaml": `
steps:
  - {type: navigate, url: "{{ baseUrl }}/orders"}
  - {type: customStep, name: remember, parameters: {fields: {newest: "li:first-child"}}}
  - type: customStep
    name: when
    parameters:
      equals: ["{{ vars.newest }}", "{{ vars.before }}"]
      then: [{type: customStep, name: extract, parameters: {fields: {applied: {const: false}}}}]
      else: [{type: customStep, name: extract, parameters: {fields: {applied: {const: true}, evidence: {fields: {orderId: "li"}}}}}]
`,
	}, map[string]string{"/orders": "<ul><li>78<li>77</ul>"})
	site := s.load(nil)
	for before, want := range map[string]flow.Verdict{
		"77": {Applied: true, Evidence: []byte(`{"orderId":"78"}`)},
		"78": {Applied: false, Evidence: []byte("null")},
	} {
		job := flow.Job{Operation: "buy-now", Vars: map[string]any{"before": before}}
		verdict, _, err := site.Reconcile(s.ctx, newPage(t, s.ctx), job)
		if diff := cmp.Diff(want, verdict); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	raw, err := site.Complete("buy-now", []byte(`{"asin":"x"}`), []byte(`{"asin":"y","orderId":"78"}`))
	if err != nil || string(raw) != `{"asin":"x","orderId":"78"}` {
		t.Errorf("completed to %s, %v", raw, err)
	}
}

func TestPageThatGoesAwayEndsThePlay(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, url: /page}\n  - {type: waitForElement, timeout: 30000, selectors: ['#never']}\n")
	s := newShop(t, site, files, map[string]string{"/page": "<img src=/seen>"})
	s.page = newPage(t, s.ctx)
	s.mux.HandleFunc("/seen", func(http.ResponseWriter, *http.Request) {
		// Closing answers only once the page is gone.
		go func() { _ = s.page.Close() }()
	})
	started := time.Now()
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || time.Since(started) > 15*time.Second || trace.Unclean == nil {
		t.Errorf("%v after %s, unclean: %v", err, time.Since(started), trace.Unclean)
	}
}

func TestResultThatDoesNotFitNamesItsSelector(t *testing.T) {
	t.Parallel()
	cards := ""
	for i := range 20 {
		cards += strings.ReplaceAll(card, "%[1]s", fmt.Sprintf("B0CX23V2%02d", i))
	}
	s := newShop(t, "operations: {search: {flow: search.yaml, public: true, ignores: [isGroceryChain]}}\n",
		map[string]string{"search.yaml": strings.Replace(searchFlow, ", as: money", "", 1)},
		map[string]string{"/s": cards})
	_, _, err := s.play(s.load(shopContracts), flow.Job{Operation: "search", Request: map[string]any{"query": "x"}})
	if err == nil || !strings.Contains(err.Error(), "search.yaml step 2 (extract .card): the result does not fit the contract: items[0].price: ") ||
		!strings.Contains(err.Error(), "(selector .price)") || strings.Contains(err.Error(), "items[5]") || !strings.HasSuffix(err.Error(), "; and 15 more") {
		t.Errorf("got %v", err)
	}
}

func TestResultInPartComesWithAFailureAfterTheEffect(t *testing.T) {
	t.Parallel()
	s := buyShop(t, `<a id=buy href=/order/78>Buy</a>`)
	s.serve("/order/78", `<div id=confirmation><p class=asin>B0CX23V2ZK</p></div>`)
	result, _, err := s.play(s.load(shopContracts), flow.Job{Operation: "buy-now", Request: map[string]any{"asin": "B0CX23V2ZK"}, Effect: &recorder{}})
	var f *flow.Failure
	if !errors.As(err, &f) || f.Declared || !f.EffectStarted || result != `{"asin":"B0CX23V2ZK","orderId":"78"}` ||
		!strings.Contains(err.Error(), "field title (selector .title) did not come within 3s") {
		t.Errorf("got %s, %v", result, err)
	}
}
