// Package sandbox is the stand-in for a payments application between people: a
// small one named Quitly. It renders its pages on the server. Its sign-in form
// stands in a frame, and one-time codes are typed digit by digit into six
// fields. Its users have a balance, a list of their activity, and a form to pay
// others, with a page on which each payment is looked over once more. A double
// submit really pays twice, and the state shows it.
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
	kit     *kit.Kit
	handler http.Handler
	people  []*person
	now     func() time.Time

	mu       sync.Mutex
	balances map[string]cents    // by user
	activity map[string][]*entry // by user, newest first
	payments []Payment           // made here, oldest first
}

// State is what really happened at the application.
type State struct {
	kit.Traffic
	Payments []Payment `json:"payments"` // made since it was started, oldest first
}

// Payment is one that a user has made.
type Payment struct {
	ID     string `json:"id"`
	From   string `json:"from"`   // the user
	To     string `json:"to"`     // a person's handle
	Amount string `json:"amount"` // such as 12.50
	Note   string `json:"note"`
}

// New opens an application. All start out the same.
func New() *Site {
	s := &Site{now: time.Now, balances: map[string]cents{}, activity: map[string][]*entry{}, payments: []Payment{}}
	s.seed()
	s.kit = kit.New(kit.Config{
		Name:  "payments-app",
		Users: Users,
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.handler = s.kit.Handler(s.routes())
	return s
}

// ServeHTTP serves the application's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the application so far.
func (s *Site) State() State { return s.state(s.kit.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Traffic: t, Payments: slices.Clone(s.payments)}
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("GET /sign-in/form", s.showForm)
	mux.HandleFunc("POST /sign-in/form", s.postForm)
	mux.HandleFunc("GET /sign-in/code", s.showCode)
	mux.HandleFunc("POST /sign-in/code", s.postCode)
	mux.HandleFunc("POST /sign-out", s.postSignOut)

	mux.HandleFunc("GET /{$}", s.signedIn(s.showWallet))
	mux.HandleFunc("GET /activity", s.signedIn(s.showActivity))
	mux.HandleFunc("GET /activity/{id}", s.signedIn(s.showEntry))
	mux.HandleFunc("GET /pay", s.signedIn(s.showPay))
	mux.HandleFunc("POST /pay", s.signedIn(s.postPay))
	mux.HandleFunc("POST /pay/confirm", s.signedIn(s.postConfirm))
	mux.HandleFunc("GET /", s.notFound)
	return mux
}
