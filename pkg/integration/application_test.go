package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
)

// application is a small shop for one user. Like many, it shows its sign-in
// form to nobody who is signed in.
type application struct {
	*httptest.Server
	signIns, orders atomic.Int32
	strangers       atomic.Int32           // refused to sign in
	forms           atomic.Int32           // how often somebody was shown the sign-in form
	entering        atomic.Pointer[func()] // is done before a sign-in is answered
	refuses         atomic.Bool            // to place orders
	deaf, mute      atomic.Bool            // hangs up before, or after, placing an order
	terse           atomic.Bool            // does not show how an order was paid
	slow            atomic.Bool            // answers no page for members
	held            sync.Map               // orders that a visit has placed and was not shown; it is shown one rather than place another
	closed          atomic.Bool            // shows nobody what was ordered
	history, homes  atomic.Int32           // how often somebody asked for it, or for the account's page
	meanwhile       atomic.Pointer[func()] // is done before that is answered
	pressed         atomic.Pointer[func()] // is done between the press of the button and the order
	asked           atomic.Pointer[string] // the item whose page was asked for last
	session         atomic.Uint32          // that is valid; another one is signed out
	ended           context.Context        // at the end of the test
}

func newApplication(t *testing.T) *application {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	a := &application{ended: ended}
	a.session.Store(1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", a.signInForm)
	mux.HandleFunc("POST /login", a.signIn)
	mux.HandleFunc("GET /account", a.member(func(w http.ResponseWriter, _ *http.Request) {
		a.homes.Add(1)
		html(w, "<p id=menu>Jane")
	}))
	mux.HandleFunc("GET /again", a.member(func(w http.ResponseWriter, _ *http.Request) {
		html(w, `<p class=item data-asin=B0CX23V2ZK><a href=/dp/B0CX23V2ZK>Dripper</a>`)
	}))
	mux.HandleFunc("GET /dp/{asin}", a.member(a.product))
	mux.HandleFunc("GET /orders", a.member(a.showHistory))
	mux.HandleFunc("GET /pressed", func(http.ResponseWriter, *http.Request) { (*a.pressed.Load())() })
	mux.HandleFunc("POST /order", a.order)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	t.Cleanup(end)
	return a
}

func (a *application) signInForm(w http.ResponseWriter, r *http.Request) {
	if a.knows(r) {
		http.Redirect(w, r, "/account", http.StatusSeeOther)
		return
	}
	a.forms.Add(1)
	html(w, `<form id=login method=post action=/login><input id=user name=user><input id=password name=password type=password><button id=enter>Enter</button></form>`)
}

func (a *application) signIn(w http.ResponseWriter, r *http.Request) {
	if do := a.entering.Load(); do != nil {
		(*do)()
	}
	if r.FormValue("password") != password {
		a.strangers.Add(1)
		html(w, `<form id=login></form><p class=error>This password is wrong</p>`)
		return
	}
	a.signIns.Add(1)
	http.SetCookie(w, &http.Cookie{Name: "session", Value: fmt.Sprint(a.session.Load()), Path: "/"})
	http.SetCookie(w, &http.Cookie{Name: "visit", Value: fmt.Sprint(a.signIns.Load()), Path: "/"})
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

// member serves a page that only the user sees.
func (a *application) member(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !a.knows(r):
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		case a.slow.Load():
			select {
			case <-r.Context().Done():
			case <-a.ended.Done():
			}
		default:
			page(w, r)
		}
	}
}

func (a *application) product(w http.ResponseWriter, r *http.Request) {
	asin := r.PathValue("asin")
	a.asked.Store(&asin)
	if asin == "ZZZZZZZZZZ" {
		http.NotFound(w, r)
		return
	}
	ask := ""
	if a.pressed.Load() != nil {
		ask = `onclick="const r = new XMLHttpRequest(); r.open('GET', '/pressed', false); r.send()"`
	}
	html(w, fmt.Sprintf(`<p id=newest>%d<form method=post action=/order><button id=buy %s>Buy</button></form>`, a.orders.Load(), ask))
}

func (a *application) showHistory(w http.ResponseWriter, _ *http.Request) {
	a.history.Add(1)
	if do := a.meanwhile.Load(); do != nil {
		(*do)()
	}
	if a.closed.Load() {
		http.Error(w, "closed for stocktaking", http.StatusServiceUnavailable)
		return
	}
	html(w, fmt.Sprintf(`<p id=newest>%d`, a.orders.Load()))
}

func (a *application) order(w http.ResponseWriter, r *http.Request) {
	if a.refuses.Load() {
		html(w, `<p id=refused>The card of Jane Roe was declined`)
		return
	}
	if a.deaf.Load() {
		hangUp(w)
	}
	visit := ""
	if c, err := r.Cookie("visit"); err == nil {
		visit = c.Value
	}
	number, placed := a.held.Load(visit)
	if !placed {
		number = a.orders.Add(1)
		a.held.Store(visit, number)
	}
	if a.mute.Load() {
		hangUp(w)
	}
	a.held.Delete(visit)
	confirmation := fmt.Sprintf(`<p id=order>%d`, number)
	if !a.terse.Load() {
		confirmation += "<p id=payment>Visa"
	}
	html(w, confirmation)
}

func (a *application) knows(r *http.Request) bool {
	c, err := r.Cookie("session")
	return err == nil && c.Value == fmt.Sprint(a.session.Load())
}

func html(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(w, "<!doctype html>", body)
}

// hangUp ends the connection in the middle of a page, of which Chromium has
// enough to show it.
func hangUp(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "100000")
	html(w, strings.Repeat(" ", 2000))
	_ = http.NewResponseController(w).Flush() // it ends here either way
	panic(http.ErrAbortHandler)
}

// shopSite is the folder of a site for the application.
var shopSite = fstest.MapFS{
	"sites/shop/site.yaml": {Data: []byte(`
site: shop
integration: marketplace
baseUrl: http://unused.example
timeout: 3000
signIn:
  flow: sign-in.yaml
  home: /account
  signedIn: {selectors: ["#menu"]}
  signedOut: {selectors: ["#login"]}
  rejected: {selectors: [".error"]}
  remember: {name: "#menu"}
operations:
  buy-again: {flow: buy-again.yaml}
  buy-now: {flow: buy-now.yaml, reconcile: buy-now.reconcile.yaml, ignores: [itemUrl]}
  add-to-cart: {flow: add-to-cart.yaml, ignores: [itemUrl]}
`)},
	"sites/shop/sign-in.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/login"}
  - {type: change, selectors: ["#user"], value: "{{ account.username }}"}
  - {type: change, selectors: ["#password"], value: "{{ account.password }}"}
  - {type: click, selectors: ["#enter"]}
`)},
	"sites/shop/buy-again.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/again?of={{ session.name }}"}
  - {type: waitForElement, selectors: [.item]}
  - {type: customStep, name: extract, parameters: {into: items, each: .item, fields: {
      asin: "@data-asin", title: a, itemUrl: {selector: a, as: url}, available: {const: true}}}}
`)},
	"sites/shop/buy-now.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/dp/{{ asin }}"}
  - {type: customStep, name: when, parameters: {status: 404, then: [{type: customStep, name: fail, parameters: {outcome: not-found, message: no such item}}]}}
  - {type: customStep, name: remember, parameters: {fields: {newest: "#newest"}}}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: click, selectors: ["#buy"]}
  - {type: customStep, name: oneOf, parameters: {within: 1000, cases: [{visible: "#order"},
      {visible: "#refused", steps: [{type: customStep, name: fail, parameters: {outcome: rejected, messageFrom: "#refused"}}]}]}}
  - {type: customStep, name: extract, parameters: {fields: {orderId: "#order", asin: {value: "{{ asin }}"}, title: {const: Dripper},
      quantity: {const: 1}, total: {const: {amount: "9.00", currency: USD}}, deliveryAddress: {const: 12 Elm}, paymentMethod: "#payment"}}}
`)},
	// The application may let it wait until another process has come to look, however busy the machine is.
	"sites/shop/buy-now.reconcile.yaml": {Data: []byte(`steps:
  - {type: navigate, timeout: 30000, url: "{{ baseUrl }}/orders"}
  - {type: waitForElement, timeout: 1000, selectors: ["#newest"]}
  - {type: customStep, name: remember, parameters: {fields: {now: "#newest"}}}
  - {type: customStep, name: when, parameters: {equals: ["{{ vars.now }}", "{{ vars.newest }}"],
      then: [{type: customStep, name: extract, parameters: {fields: {applied: {const: false}}}}],
      else: [{type: customStep, name: extract, parameters: {fields: {applied: {const: true}, evidence: {fields: {
        orderId: "#newest", asin: {value: "{{ asin }}"}, title: {const: Dripper}, quantity: {const: 1}, total: {const: {amount: "9.00", currency: USD}},
        deliveryAddress: {const: "12 Elm, as the history has it"}, paymentMethod: {const: Mastercard}}}}}}]}}
`)},
	"sites/shop/add-to-cart.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/dp/{{ asin }}"}
  - {type: customStep, name: effect, parameters: {kind: cart}}
  - {type: click, selectors: ["#buy"]}
  - {type: waitForElement, timeout: 300, selectors: ["#cart"]}
  - {type: customStep, name: extract, parameters: {fields: {asin: {value: "{{ asin }}"}, title: {const: x}, quantity: {const: 1}, cartCount: {const: 1}}}}
`)},
}
