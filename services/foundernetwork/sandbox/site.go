// Package sandbox is the stand-in for a network that offers startup founders
// deals: Kindling, a single page that draws what it fetches as JSON. The list
// of deals grows as it is scrolled; a deal opens in a dialog, where a member
// says that it is used.
package sandbox

import (
	"embed"
	"net/http"
	"sync"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// The members who can sign in. Their plan is the first one.
var (
	// Jane has used a deal before; demonstrations use her account.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir has used none.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
)

//go:embed assets
var assets embed.FS

// Site is one running stand-in. It serves HTTP, its control endpoints included
// (see [kit]); it is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler http.Handler
	now     func() time.Time
	deals   []Deal

	mu   sync.Mutex
	uses []Use // oldest first
}

// Use is a deal that a member has marked as used.
type Use struct {
	User   string    `json:"user"`
	DealID string    `json:"dealId"`
	At     time.Time `json:"at"`    // the last time
	Times  int       `json:"times"` // that it was marked
}

// State is what really happened at the network.
type State struct {
	kit.Traffic
	Uses []Use `json:"uses"` // those from before the start too, oldest first
}

// New opens a stand-in. All that are opened on one day start out the same.
func New() *Site {
	s := &Site{now: time.Now}
	s.Kit = kit.New(kit.Config{
		Name:  "founder-network",
		Users: []kit.User{Jane, Amir},
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.seed()
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the network's page, what it fetches, and the control
// endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Traffic: t, Uses: append([]Use{}, s.uses...)}
}

// Deals returns all deals in the network's order.
func (s *Site) Deals() []Deal { return s.deals }

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /{$}", s.showPage)
	mux.HandleFunc("GET /sign-in", s.showPage)
	mux.HandleFunc("GET /deals", s.showPage)
	mux.HandleFunc("GET /deals/{id}", s.showPage)

	mux.HandleFunc("POST /api/sign-in", s.postSignIn)
	mux.HandleFunc("POST /api/sign-out", s.postSignOut)
	mux.HandleFunc("GET /api/me", s.member(s.serveMe))
	mux.HandleFunc("GET /api/deals", s.member(s.serveDeals))
	mux.HandleFunc("GET /api/deals/{id}", s.member(s.serveDeal))
	mux.HandleFunc("POST /api/deals/{id}/using", s.member(s.postUsing))
	return mux
}
