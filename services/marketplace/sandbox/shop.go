// Package sandbox is the stand-in for an online retail marketplace: a small
// shop named Larkspur, with a grocery store in it. It renders its pages on
// the server, and has a sign-in, a catalogue with search, carts, one-click
// orders and a history of orders. A double submit of its forms really orders
// twice, as at a real shop; its state shows that it did.
package sandbox

import (
	"embed"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Variants of the shop's pages, for the fault "markup".
const (
	// NewIDs gives every element another id, as a front-end build does.
	NewIDs = "new-ids"
	// Redesign changes ids, classes and labels: the same shop after its
	// designers have been at it.
	Redesign = "redesign"
	// CookieWall lays the cookie banner over the whole page until it is
	// answered, instead of along the bottom.
	CookieWall = "cookie-wall"
)

//go:embed assets
var assets embed.FS

// Shop is one running shop. It serves HTTP, its control endpoints included
// (see [kit]); it is safe for concurrent use.
type Shop struct {
	kit       *kit.Kit
	handler   http.Handler
	catalogue *catalogue
	now       func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	carts    map[string][]CartLine
	orders   []Order            // placed here, oldest first
	past     map[string][]Order // from before the shop was started, newest first
	refusals []Refusal
	numbered int
}

// State is what really happened at the shop.
type State struct {
	kit.Traffic
	Orders   []Order               `json:"orders"`   // placed since the shop was started, oldest first
	Refusals []Refusal             `json:"refusals"` // orders that the shop refused
	Carts    map[string][]CartLine `json:"carts"`    // by user, or guest
}

// New opens a shop. All shops start out the same.
func New() *Shop {
	s := &Shop{
		catalogue: newCatalogue(),
		now:       time.Now,
		accounts:  newAccounts(),
		carts:     map[string][]CartLine{},
		past:      map[string][]Order{},
		orders:    []Order{},
		refusals:  []Refusal{},
	}
	s.kit = kit.New(kit.Config{
		Name:   "marketplace",
		Users:  Users,
		Markup: []string{NewIDs, Redesign, CookieWall},
		State:  func(t kit.Traffic) any { return s.state(t) },
	})
	s.seedPast()
	s.handler = s.kit.Handler(s.routes())
	return s
}

// ServeHTTP serves the shop's pages and its control endpoints.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
}

// State returns what really happened at the shop so far.
func (s *Shop) State() State { return s.state(s.kit.Traffic()) }

// SetFaults switches to exactly these faults.
func (s *Shop) SetFaults(f kit.Faults) { s.kit.SetFaults(f) }

func (s *Shop) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	carts := maps.Clone(s.carts)
	for owner, lines := range carts {
		carts[owner] = slices.Clone(lines)
	}
	return State{
		Traffic:  t,
		Orders:   slices.Clone(s.orders),
		Refusals: slices.Clone(s.refusals),
		Carts:    carts,
	}
}

func (s *Shop) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("GET /search", s.search)
	mux.HandleFunc("GET /departments/{slug}", s.department)
	mux.HandleFunc("GET /dp/{asin}", s.product)
	mux.HandleFunc("GET /images/{file}", s.image)
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /assets/shop.css", s.stylesheet)

	mux.HandleFunc("GET /cart", s.showCart)
	mux.HandleFunc("POST /cart", s.postCart)
	mux.HandleFunc("POST /cart/remove", s.postRemove)
	mux.HandleFunc("POST /buy-now", s.signedIn(s.postBuyNow))
	mux.HandleFunc("POST /checkout", s.signedIn(s.postCheckout))

	mux.HandleFunc("GET /orders", s.signedIn(s.showOrders))
	mux.HandleFunc("GET /orders/{id}", s.signedIn(s.showOrder))
	mux.HandleFunc("GET /orders/{id}/thank-you", s.signedIn(s.showOrder))
	mux.HandleFunc("GET /buy-again", s.signedIn(s.showBuyAgain))

	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postSignIn)
	mux.HandleFunc("POST /sign-out", s.postSignOut)
	mux.HandleFunc("GET /account", s.signedIn(s.showAccount))
	mux.HandleFunc("POST /account/defaults", s.signedIn(s.postDefaults))
	mux.HandleFunc("GET /", s.notFound)
	return mux
}
