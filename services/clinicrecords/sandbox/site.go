// Package sandbox is the stand-in for the records and scheduling application
// of an aesthetic clinic business, named Veranda. It is a single-page
// application in plain JavaScript over a JSON API: clients, providers at clinics
// in two time zones, a calendar of several months, free times by working
// hours, calendar and length of the services, and a stock of 10,000 rows. All
// of its records are made up, and its calendar lies around the day on which it
// is opened.
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

// The users of the application.
var (
	// Jane is whose account demonstrations use.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir works in the same office.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
)

var userNames = map[string]string{Jane.Username: "Jane Roe", Amir.Username: "Amir Khan"}

// Site is one running stand-in. It serves HTTP and is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler http.Handler
	now     func() time.Time

	// What never changes once the site is open.
	accounts  []Account
	clinics   []Clinic
	providers []Provider
	services  []Service
	clients   []*Client
	products  []Product
	stock     []StockRow
	prices    map[int64][]PriceRow // by clinic
	blocked   map[int64][]Blocked  // by provider

	mu       sync.Mutex
	calendar calendar
	seeded   int64 // number of the last appointment that was there at the start
}

// State is what really happened at the site.
type State struct {
	kit.Traffic
	Booked    []Appointment `json:"booked"`    // since the site was opened, oldest first
	Cancelled []int64       `json:"cancelled"` // numbers of appointments cancelled since then
	Told      []int64       `json:"told"`      // numbers of appointments that the client was sent a confirmation of
}

// New opens a stand-in. All that open on one day start out the same.
func New() *Site {
	s := &Site{now: time.Now, accounts: newAccounts(), clinics: newClinics(), providers: newProviders(), services: newServices()}
	s.clients = s.newClients()
	s.products = newProducts()
	s.stock, s.prices = s.newStock(), s.newPrices()
	s.seedCalendar()
	s.Kit = kit.New(kit.Config{Name: "clinic-records", Users: []kit.User{Jane, Amir}, State: func(t kit.Traffic) any { return s.state(t) }})
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the site's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the site so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Traffic: t, Booked: []Appointment{}, Cancelled: slices.Clone(s.calendar.cancelled), Told: slices.Clone(s.calendar.told)}
	for _, a := range s.calendar.inOrder[s.seeded:] {
		state.Booked = append(state.Booked, *a)
	}
	return state
}

// views are the addresses of the single-page application.
var views = []string{
	"/{$}", "/sign-in", "/calendar", "/clients", "/clients/{id}", "/clinics", "/team", "/appointments/new", "/appointments/{id}",
	"/inventory", "/products/{id}", "/prices", "/business",
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, view := range views {
		mux.HandleFunc("GET "+view, s.showShell)
	}
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("POST /api/session", s.postSession)
	mux.HandleFunc("DELETE /api/session", s.deleteSession)
	for path, answer := range map[string]func(*http.Request) (any, *refusal){
		"GET /api/accounts":                  s.getAccounts,
		"GET /api/clinics":                   s.getClinics,
		"GET /api/clinics/{id}":              s.getClinic,
		"GET /api/providers":                 s.getProviders,
		"GET /api/providers/{id}":            s.getProvider,
		"GET /api/clients":                   s.getClients,
		"GET /api/clients/{id}":              s.getClient,
		"GET /api/clients/{id}/appointments": s.getClientAppointments,
		"GET /api/calendar":                  s.getCalendar,
		"GET /api/services":                  s.getServices,
		"GET /api/availability":              s.getAvailability,
		"GET /api/appointments/{id}":         s.getAppointment,
		"GET /api/inventory":                 s.getInventory,
		"GET /api/prices":                    s.getPrices,
		"GET /api/products/{id}":             s.getProduct,
		"POST /api/appointments":             s.postAppointment,
		"POST /api/appointments/{id}/cancel": s.postCancel,
	} {
		mux.HandleFunc(path, s.api(answer))
	}
	mux.HandleFunc("GET /api/me", s.SignedIn(s.getMe, unauthorized))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { s.shell(w, r, http.StatusNotFound) })
	return mux
}
