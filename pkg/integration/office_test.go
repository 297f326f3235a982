package integration

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const password = "correct horse"

var keeperURL = "base64key://" + base64.URLEncoding.EncodeToString(make([]byte, 32))

// application is a small shop for one user. Like many, it shows its sign-in
// form to nobody who is signed in.
type application struct {
	*httptest.Server
	signIns, orders atomic.Int32
	refuses         atomic.Bool            // to place orders
	deaf, mute      atomic.Bool            // hangs up before, or after, placing an order
	terse           atomic.Bool            // does not show how an order was paid
	slow            atomic.Bool            // answers no page for members
	closed          atomic.Bool            // shows nobody what was ordered
	history         atomic.Int32           // how often somebody asked for it
	meanwhile       atomic.Pointer[func()] // is done before that is answered
	session         atomic.Uint32          // that is valid; another one is signed out
}

func newApplication(t *testing.T) *application {
	t.Helper()
	a := &application{}
	a.session.Store(1)
	ended, end := context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		if a.knows(r) {
			http.Redirect(w, r, "/account", http.StatusSeeOther)
			return
		}
		html(w, `<form id=login method=post action=/login><input id=user name=user><input id=password name=password type=password><button id=enter>Enter</button></form>`)
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("password") != password {
			html(w, `<form id=login></form><p class=error>This password is wrong</p>`)
			return
		}
		a.signIns.Add(1)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: fmt.Sprint(a.session.Load()), Path: "/"})
		http.Redirect(w, r, "/account", http.StatusSeeOther)
	})
	for path, body := range map[string]string{
		"/account": "<p id=menu>Jane", "/again": `<p class=item data-asin=B0CX23V2ZK><a href=/dp/B0CX23V2ZK>Dripper</a>`,
		"/dp/{asin}": `<p id=newest>%d<form method=post action=/order><button id=buy>Buy</button></form>`,
		"/orders":    `<p id=newest>%d`,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case !a.knows(r):
				http.Redirect(w, r, "/login", http.StatusSeeOther)
			case a.slow.Load():
				select {
				case <-r.Context().Done():
				case <-ended.Done():
				}
			case r.PathValue("asin") == "ZZZZZZZZZZ":
				http.NotFound(w, r)
			case r.URL.Path == "/orders":
				a.history.Add(1)
				if h := a.meanwhile.Load(); h != nil {
					(*h)()
				}
				if a.closed.Load() {
					http.Error(w, "closed for stocktaking", http.StatusServiceUnavailable)
					return
				}
				fallthrough
			default:
				html(w, strings.ReplaceAll(body, "%d", fmt.Sprint(a.orders.Load())))
			}
		})
	}
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, _ *http.Request) {
		if a.refuses.Load() {
			html(w, `<p id=refused>The card of Jane Roe was declined`)
			return
		}
		if a.deaf.Load() {
			hangUp(w)
		}
		order := fmt.Sprintf(`<p id=order>%d`, a.orders.Add(1))
		if a.mute.Load() {
			hangUp(w)
		}
		if !a.terse.Load() {
			order += "<p id=payment>Visa"
		}
		html(w, order)
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	t.Cleanup(end)
	return a
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
	"sites/sandbox/site.yaml": {Data: []byte(`
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
	"sites/sandbox/sign-in.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/login"}
  - {type: change, selectors: ["#user"], value: "{{ account.username }}"}
  - {type: change, selectors: ["#password"], value: "{{ account.password }}"}
  - {type: click, selectors: ["#enter"]}
`)},
	"sites/sandbox/buy-again.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/again?of={{ session.name }}"}
  - {type: waitForElement, selectors: [.item]}
  - {type: customStep, name: extract, parameters: {into: items, each: .item, fields: {
      asin: "@data-asin", title: a, itemUrl: {selector: a, as: url}, available: {const: true}}}}
`)},
	"sites/sandbox/buy-now.yaml": {Data: []byte(`steps:
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
	"sites/sandbox/buy-now.reconcile.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/orders"}
  - {type: waitForElement, timeout: 1000, selectors: ["#newest"]}
  - {type: customStep, name: remember, parameters: {fields: {now: "#newest"}}}
  - {type: customStep, name: when, parameters: {equals: ["{{ vars.now }}", "{{ vars.newest }}"],
      then: [{type: customStep, name: extract, parameters: {fields: {applied: {const: false}}}}],
      else: [{type: customStep, name: extract, parameters: {fields: {applied: {const: true}, evidence: {fields: {
        orderId: "#newest", asin: {value: "{{ asin }}"}, title: {const: Dripper}, quantity: {const: 1}, total: {const: {amount: "9.00", currency: USD}},
        deliveryAddress: {const: "12 Elm, as the history has it"}, paymentMethod: {const: Mastercard}}}}}}]}}
`)},
	"sites/sandbox/add-to-cart.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/dp/{{ asin }}"}
  - {type: customStep, name: effect, parameters: {kind: cart}}
  - {type: click, selectors: ["#buy"]}
  - {type: waitForElement, timeout: 300, selectors: ["#cart"]}
  - {type: customStep, name: extract, parameters: {fields: {asin: {value: "{{ asin }}"}, title: {const: x}, quantity: {const: 1}, cartCount: {const: 1}}}}
`)},
}

// office is an account at the application, with real stores.
type office struct {
	*testing.T
	application *application
	database    string // its address
	pool        *pgxpool.Pool
	vault       *vault.Vault
	log         *eventlog.Log
	account     string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{T: t, application: newApplication(t), database: testenv.DatabaseURL(t), account: uuid.NewString()}
	for _, migrate := range []func(context.Context, string) error{eventlog.Migrate, command.Migrate, vault.Migrate} {
		o.must(migrate(t.Context(), o.database))
	}
	var err error
	o.pool, err = pgxpool.New(t.Context(), o.database)
	o.must(err)
	t.Cleanup(o.pool.Close)
	o.vault, err = vault.Open(t.Context(), o.pool, keeperURL)
	o.must(err)
	t.Cleanup(func() { _ = o.vault.Close() })
	o.log = eventlog.New(o.pool)
	o.link(password)
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// link stores credentials for the account.
func (o *office) link(password string) {
	o.Helper()
	text, err := json.Marshal(accounts.Credentials{Username: "jane", Password: password})
	o.must(err)
	o.must(o.vault.Put(o.Context(), o.account, accounts.CredentialsName, text))
}

// instance is one process of the service: a browser of its own.
type instance struct {
	*office
	player   *Player
	log      command.Log
	instance *command.Instance
	die      context.CancelFunc // its lease is not renewed any more
}

func (o *office) instance() *instance {
	o.Helper()
	site, err := loadSite(Integration{Name: "marketplace", Sites: shopSite, Operations: marketplace.Operations}, o.application.URL)
	o.must(err)
	browsers, err := browser.Open(o.Context(), browser.Config{Path: testenv.Chromium(o), MaxPages: 2, Reserve: 1, Prepare: flow.Prepare})
	o.must(err)
	o.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := browsers.Close(ctx); err != nil {
			o.Error(err)
		}
	})
	in := &instance{office: o, player: &Player{site: site, browsers: browsers, vault: o.vault, log: o.log, logger: slog.New(slog.DiscardHandler)}, log: o.log}
	in.instance, err = command.NewInstance(o.Context(), o.pool, lease, in.player.logger)
	o.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { in.instance.Run(ctx) })
	in.die = func() {
		cancel()
		running.Wait()
	}
	o.Cleanup(in.die)
	return in
}

// lease is how long an instance may be silent in these tests.
const lease = 3 * time.Second

func (in *instance) recorder() command.Recorder {
	return command.Recorder{
		Log: in.log, Sealer: in.vault, Register: command.NewRegister(in.pool), Instance: in.instance,
		Site: func() (string, string) { return "shop", "hash" },
	}
}

// outcome is how a command ended.
type outcome[Res any] struct {
	res    *Res
	err    *contracts.Error
	events string // their types, in order
	stored string // their data
	id     string // of the command
}

// run carries out an operation as a command.
func run[Req, Res any](ctx context.Context, in *instance, op contracts.Operation[Req, Res], req *Req) (out outcome[Res]) {
	in.Helper()
	out.id = uuid.NewString()
	carryOut := in.recorder().Middleware(op.Info())(func(ctx context.Context, request any) (res any, err error) {
		defer func() { // as the bus does
			if value := recover(); value != nil {
				err = contracts.Errorf(contracts.Fault, "panic: %v", value)
			}
		}()
		return Play(ctx, in.player, op, request.(*Req))
	})
	res, err := carryOut(bus.WithIdentity(ctx, bus.Identity{CommandID: out.id, CallerID: "caller", AccountID: in.account}), req)
	if out.res, _ = res.(*Res); err != nil {
		out.err = contracts.AsError(err)
	}
	events, err := in.office.log.Stream(in.Context(), event.CommandStream(out.id))
	if err != nil {
		in.Error(err)
	}
	for _, e := range events {
		out.events += " " + e.Type
		out.stored += string(e.Data)
	}
	out.events = strings.TrimSpace(out.events)
	return out
}

func (in *instance) list() outcome[marketplace.BuyAgainList] {
	in.Helper()
	return run(in.Context(), in, marketplace.BuyAgain, &marketplace.BuyAgainRequest{})
}

func (in *instance) order(asin string) outcome[marketplace.Order] {
	in.Helper()
	return run(in.Context(), in, marketplace.BuyNow, &marketplace.BuyNowRequest{Body: marketplace.ItemChoice{ASIN: asin}})
}

// mustList lists and fails the test if it cannot.
func (in *instance) mustList() {
	in.Helper()
	if out := in.list(); out.err != nil || len(out.res.Items) != 1 {
		in.Fatalf("%+v (cause %v)", out.err, out.err.Unwrap())
	}
}

func (o *office) expectSignIns(want int32) {
	o.Helper()
	if got := o.application.signIns.Load(); got != want {
		o.Errorf("signed in %d times, want %d", got, want)
	}
}
