// Package sandbox is the stand-in for a dispatch and field-service
// application: Crewdeck, with which a heating and plumbing business keeps its
// customers and sends its crews out. It is a single page that draws itself
// from a JSON API: a schedule board, a list of customers, their pages, an
// activity log, and a form with choices, labels and rows of the application's
// own making. A save that is sent twice is carried out twice, unless the
// application finds the second one to be a duplicate or out of date.
package sandbox

import (
	"embed"
	"net/http"
	"slices"
	"sync"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed assets
var assets embed.FS

// Site is one running application. It is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler http.Handler
	now     func() time.Time

	mu        sync.Mutex
	customers map[string]*Customer
	order     []string // customers' ids, those entered last first
	jobs      []Job
	activity  []Activity // newest first
	changed   []string   // ids of customers that were entered or edited here
	entered   int
}

// State is what really happened at the application.
type State struct {
	kit.Traffic
	Activity []Activity `json:"activity"` // of customers entered and edited since the start, newest first
	Changed  []Customer `json:"changed"`  // those customers as they are now, in the order in which they were first changed
}

// New opens an application. All start out the same.
func New() *Site {
	s := &Site{now: time.Now, customers: map[string]*Customer{}}
	s.Kit = kit.New(kit.Config{Name: "dispatch", Users: Users, State: func(t kit.Traffic) any { return s.state(t) }})
	s.seed()
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the application's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the application so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

// Customer returns a customer as the application has them now.
func (s *Site) Customer(id string) (Customer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.customers[id]
	if !known {
		return Customer{}, false
	}
	return c.clone(), true
}

// CustomerIDs lists all customers, those entered last first.
func (s *Site) CustomerIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Traffic: t, Activity: slices.Clone(s.activity), Changed: []Customer{}}
	for _, id := range s.changed {
		state.Changed = append(state.Changed, s.customers[id].clone())
	}
	return state
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/board", http.StatusSeeOther)
	})
	for _, page := range []string{"/sign-in", "/board", "/customers", "/customers/new", "/customers/{id}", "/customers/{id}/edit", "/activity"} {
		mux.HandleFunc("GET "+page, s.shell(http.StatusOK))
	}
	mux.HandleFunc("GET /", s.shell(http.StatusNotFound))

	mux.HandleFunc("POST /api/session", s.postSession)
	mux.HandleFunc("DELETE /api/session", s.deleteSession)
	mux.HandleFunc("GET /api/me", s.signedIn(s.getMe))
	mux.HandleFunc("GET /api/board", s.signedIn(s.getBoard))
	mux.HandleFunc("GET /api/activity", s.signedIn(s.getActivity))
	mux.HandleFunc("GET /api/customers", s.signedIn(s.listCustomers))
	mux.HandleFunc("POST /api/customers", s.signedIn(s.postCustomer))
	mux.HandleFunc("GET /api/customers/{id}", s.signedIn(s.getCustomer))
	mux.HandleFunc("PUT /api/customers/{id}", s.signedIn(s.putCustomer))
	return mux
}
