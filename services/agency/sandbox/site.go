// Package sandbox is the stand-in for an insurance agency's management
// application: Quillbrook, which renders its pages on the server, writes dates
// as MM/DD/YYYY and picks them in a calendar of its own. It keeps the agency's
// employees, whose employment is ended in a dialog, and shows the invoices and
// policies that the agency looks after. The policies come late, by script.
package sandbox

import (
	"embed"
	"net/http"
	"sync"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// The users of the application.
var (
	// Jane is whose account demonstrations use.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir works in the same office.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
)

// The agency, as the application knows it.
const (
	AccountID  = "AG-10482"
	AgencyName = "Prairie Insurance Agency"
)

//go:embed assets
var assets embed.FS

// Site is one running stand-in. It serves HTTP, its control endpoints included
// (see [kit]); it is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler  http.Handler
	now      func() time.Time
	invoices []Invoice
	policies []Policy

	mu        sync.Mutex
	employees []*Employee // in the order in which they were entered
	entries   int         // in all employees' histories
	touched   []string    // who was entered or changed since the start
}

// State is what really happened at the application.
type State struct {
	kit.Traffic
	Employees []Employee `json:"employees"` // those entered or changed since the start, as they are now
}

// maxTouched bounds what the state tells.
const maxTouched = 1000

// New opens a stand-in. All that are opened on one day start out the same.
func New() *Site {
	s := &Site{now: time.Now}
	s.Kit = kit.New(kit.Config{
		Name:  "agency",
		Users: []kit.User{Jane, Amir},
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.seed()
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the site's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Traffic: t, Employees: []Employee{}}
	for _, id := range s.touched {
		state.Employees = append(state.Employees, s.find(id).copy())
	}
	return state
}

// Employees returns all employees, former ones too, in the application's order.
func (s *Site) Employees() []Employee {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Employee, 0, len(s.employees))
	for _, e := range s.employees {
		all = append(all, e.copy())
	}
	return all
}

// Invoices returns the agency's invoices in the application's order.
func (s *Site) Invoices() []Invoice { return s.invoices }

// Policies returns the agency's policies in the application's order.
func (s *Site) Policies() []Policy { return s.policies }

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postSignIn)
	mux.HandleFunc("POST /sign-out", s.postSignOut)
	mux.HandleFunc("GET /{$}", s.signedIn(s.showHome))
	mux.HandleFunc("GET /agency", s.signedIn(s.showAgency))
	mux.HandleFunc("GET /employees", s.signedIn(s.showEmployees))
	mux.HandleFunc("GET /hire", s.signedIn(s.showNewEmployee))
	mux.HandleFunc("POST /hire", s.signedIn(s.postNewEmployee))
	mux.HandleFunc("GET /employees/{id}", s.signedIn(s.showEmployee))
	mux.HandleFunc("GET /employees/{id}/edit", s.signedIn(s.showEditEmployee))
	mux.HandleFunc("POST /employees/{id}/edit", s.signedIn(s.postEditEmployee))
	mux.HandleFunc("POST /employees/{id}/termination", s.signedIn(s.postTermination))
	mux.HandleFunc("GET /invoices", s.signedIn(s.showInvoices))
	mux.HandleFunc("GET /invoices/{id}/document", s.signedIn(s.showInvoice))
	mux.HandleFunc("GET /policies", s.signedIn(s.showPolicies))
	mux.HandleFunc("GET /policies/rows", s.signedIn(s.servePolicies))
	mux.HandleFunc("GET /", s.signedIn(s.notFound))
	return mux
}
