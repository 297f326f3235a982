// Package sandbox is the stand-in for the sales application of a group of
// vehicle dealers: the Crossroads desk. It renders its pages on the server:
// tables with filters, which stand in the address, and pages of rows, forms in
// dialogs, and a calendar that lives in a frame of its own and asks before it
// books. It has a stock of vehicles, customers, their leads, calls and
// appointments. A double submit of its forms really enters twice, where
// nothing forbids it; its state shows that it did.
package sandbox

import (
	"embed"
	"net/http"
	"slices"
	"sync"
	"time"
	_ "time/tzdata" // the dealers' time zone must be there on every machine

	kit "integration.gateway/pkg/sandbox"
)

// The users of the application.
var (
	// Jane manages the sales of all dealers; demonstrations use her account.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir signs in for her office, and the application takes him for her.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
)

//go:embed assets
var assets embed.FS

// Site is one running stand-in. It serves HTTP, its control endpoints included
// (see [kit]); it is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler  http.Handler
	zone     *time.Location
	now      func() time.Time
	users    table[User]
	vehicles table[Vehicle]

	mu           sync.Mutex
	customers    table[Customer]
	leads        table[Lead]
	calls        table[Call]
	appointments table[Appointment]
	turns        map[string]int // whose turn it is to get a lead, by dealer
	seeded       seeded
}

// seeded counts what was there when the stand-in was started.
type seeded struct{ customers, leads, calls, appointments int }

// State is what was entered since the stand-in was started, oldest first.
type State struct {
	kit.Traffic
	Customers    []Customer    `json:"customers"`
	Leads        []Lead        `json:"leads"`
	Calls        []Call        `json:"calls"`
	Appointments []Appointment `json:"appointments"`
}

// New opens a stand-in. All that are opened on one day start out the same.
func New() *Site {
	zone, err := time.LoadLocation(timeZone)
	if err != nil {
		panic(err) // the zone is embedded
	}
	s := &Site{zone: zone, now: time.Now, turns: map[string]int{}}
	s.seed()
	s.Kit = kit.New(kit.Config{
		Name:  "dealer-sales",
		Users: []kit.User{Jane, Amir},
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the site's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what was entered so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{
		Traffic:      t,
		Customers:    slices.Clone(s.customers.rows[s.seeded.customers:]),
		Leads:        slices.Clone(s.leads.rows[s.seeded.leads:]),
		Calls:        slices.Clone(s.calls.rows[s.seeded.calls:]),
		Appointments: slices.Clone(s.appointments.rows[s.seeded.appointments:]),
	}
}

// Users returns all users, in the order of their numbers.
func (s *Site) Users() []User { return all(s, &s.users) }

// Vehicles returns all vehicles, in the order of their numbers.
func (s *Site) Vehicles() []Vehicle { return all(s, &s.vehicles) }

// Customers returns all customers, in the order of their numbers.
func (s *Site) Customers() []Customer { return all(s, &s.customers) }

// Leads returns all leads, in the order of their numbers.
func (s *Site) Leads() []Lead { return all(s, &s.leads) }

// Appointments returns all appointments, in the order of their numbers.
func (s *Site) Appointments() []Appointment { return all(s, &s.appointments) }

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postSignIn)
	mux.HandleFunc("POST /sign-out", s.postSignOut)

	mux.HandleFunc("GET /{$}", s.signedIn(s.showToday))
	mux.HandleFunc("GET /dealers", s.signedIn(s.showDealers))
	mux.HandleFunc("GET /users", s.signedIn(s.showUsers))
	mux.HandleFunc("GET /lists/{list}", s.signedIn(s.showList))
	mux.HandleFunc("GET /vehicles", s.signedIn(s.showVehicles))
	mux.HandleFunc("GET /vehicles/{id}", s.signedIn(s.showVehicle))
	mux.HandleFunc("GET /pictures/{file}", s.picture)

	mux.HandleFunc("GET /customers", s.signedIn(s.showCustomers))
	mux.HandleFunc("POST /customers", s.signedIn(s.postCustomer))
	mux.HandleFunc("GET /customers/{id}", s.signedIn(s.showCustomer))
	mux.HandleFunc("POST /customers/{id}/calls", s.signedIn(s.postCall))

	mux.HandleFunc("GET /leads", s.signedIn(s.showLeads))
	mux.HandleFunc("GET /leads/new", s.signedIn(s.showNewLead))
	mux.HandleFunc("POST /leads", s.signedIn(s.postLead))
	mux.HandleFunc("GET /leads/{id}", s.signedIn(s.showLead))

	mux.HandleFunc("GET /calendar", s.signedIn(s.showCalendar))
	mux.HandleFunc("GET /calendar/frame", s.signedIn(s.showFrame))
	mux.HandleFunc("POST /calendar/frame", s.signedIn(s.postAppointment))
	mux.HandleFunc("GET /appointments", s.signedIn(s.showAppointments))
	mux.HandleFunc("GET /appointments/{id}", s.signedIn(s.showAppointment))
	mux.HandleFunc("GET /", s.signedIn(s.notFound))
	return mux
}
