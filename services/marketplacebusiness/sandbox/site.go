// Package sandbox is the stand-in for the business edition of an online shop:
// Brackenfold, which sells paper, printers, tools and the like to
// organisations. Its pages are made of web components with open shadow roots;
// search results and orders grow while they are scrolled. Prices and
// availability depend on the postal code that goods are delivered to, and
// orders above a buyer's limit wait for an approver. A double submit really
// orders twice; the state shows that it did.
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

//go:embed assets
var assets embed.FS

// Site is one running shop. It serves HTTP, its control endpoints included (see
// [kit]); it is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler   http.Handler
	catalogue *catalogue
	now       func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	carts    map[string][]Line
	orders   []Order            // placed here, oldest first
	past     map[string][]Order // of an organisation, from before the shop was started, newest first
	refusals []Refusal
	numbered int
}

// State is what really happened at the shop.
type State struct {
	kit.Traffic
	Orders   []Order           `json:"orders"`   // placed since the shop was started, oldest first
	Refusals []Refusal         `json:"refusals"` // orders that the shop refused
	Carts    map[string][]Line `json:"carts"`    // by user
}

// New opens a shop. All shops start out the same.
func New() *Site {
	s := &Site{
		catalogue: newCatalogue(),
		now:       time.Now,
		accounts:  newAccounts(),
		orders:    []Order{},
		refusals:  []Refusal{},
	}
	s.Kit = kit.New(kit.Config{
		Name:  "marketplace-business",
		Users: Users,
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.carts = s.seedCarts()
	s.past = s.seedOrders()
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the shop's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the shop so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	carts := maps.Clone(s.carts)
	for user, lines := range carts {
		carts[user] = slices.Clone(lines)
	}
	return State{Traffic: t, Orders: slices.Clone(s.orders), Refusals: slices.Clone(s.refusals), Carts: carts}
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /images/{file}", s.image)
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postSignIn)
	mux.HandleFunc("POST /sign-out", s.postSignOut)

	mux.HandleFunc("GET /{$}", s.page(s.showHome))
	mux.HandleFunc("GET /search", s.page(s.showSearch))
	mux.HandleFunc("GET /dp/{asin}", s.page(s.showProduct))
	mux.HandleFunc("GET /buy-again", s.page(s.showBuyAgain))
	mux.HandleFunc("GET /cart", s.page(s.showCart))
	mux.HandleFunc("GET /checkout", s.page(s.showCheckout))
	mux.HandleFunc("GET /orders", s.page(s.showOrders))
	mux.HandleFunc("GET /orders/{id}", s.page(s.showOrder))
	mux.HandleFunc("GET /orders/{id}/placed", s.page(s.showOrder))
	mux.HandleFunc("GET /invoices/{id}", s.page(s.showInvoice))
	mux.HandleFunc("GET /account", s.page(s.showAccount))
	mux.HandleFunc("GET /account/addresses", s.page(s.showAddresses))
	mux.HandleFunc("POST /account/defaults", s.page(s.postDefaults))

	mux.HandleFunc("GET /api/items", s.data(s.listItems))
	mux.HandleFunc("GET /api/buy-again", s.data(s.listBuyAgain))
	mux.HandleFunc("GET /api/orders", s.data(s.listOrders))
	mux.HandleFunc("GET /api/cart", s.data(s.getCart))
	mux.HandleFunc("POST /api/cart", s.data(s.addToCart))
	mux.HandleFunc("POST /api/cart/quantity", s.data(s.changeCart))
	mux.HandleFunc("GET /api/checkout", s.data(s.getCheckout))
	mux.HandleFunc("POST /api/checkout", s.data(s.checkOut))
	mux.HandleFunc("POST /api/buy-now", s.data(s.buyNow))
	mux.HandleFunc("GET /", s.page(s.notFound))
	return mux
}
