// Package sandbox is the stand-in for a professional social network, Peerline:
// its members have profiles, and write to each other in a messaging overlay, a
// web component with a shadow tree that lies over every page and comes back
// open on the next one. A cookie banner lies over that, and so does an invitation
// to get the app, which comes with a page or when a conversation is opened. A
// message that is sent twice is there twice.
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

// Site is one running network. It is safe for concurrent use.
type Site struct {
	*kit.Kit

	handler http.Handler
	now     func() time.Time
	members []*Member
	byName  map[string]*Member

	mu       sync.Mutex
	threads  map[threadKey][]Message
	sent     []Message
	refusals []Refusal
	today    map[string]int // messages sent today, by user
	lastID   int
}

// State is what really happened at the network.
type State struct {
	kit.Traffic
	Sent     []Message `json:"sent"`     // by users since the start, oldest first
	Refusals []Refusal `json:"refusals"` // messages that the network did not take
}

// New opens a network. All start out the same.
func New() *Site {
	s := &Site{
		now: time.Now, threads: map[threadKey][]Message{}, sent: []Message{}, refusals: []Refusal{},
		today: map[string]int{Sam.Username: dailyLimit},
	}
	s.Kit = kit.New(kit.Config{Name: "professional-network", Users: Users, State: func(t kit.Traffic) any { return s.state(t) }})
	s.members, s.byName = seededMembers()
	s.seedThreads()
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the network's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the network so far.
func (s *Site) State() State { return s.state(s.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{Traffic: t, Sent: slices.Clone(s.sent), Refusals: slices.Clone(s.refusals)}
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /{$}", s.signedIn(s.showFeed))
	mux.HandleFunc("GET /network", s.signedIn(s.showNetwork))
	mux.HandleFunc("GET /in/{name}", s.signedIn(s.showProfile))
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postSignIn)
	mux.HandleFunc("POST /sign-out", s.postSignOut)
	mux.HandleFunc("GET /", s.signedIn(s.showMissing))

	mux.HandleFunc("GET /api/threads", s.api(s.listThreads))
	mux.HandleFunc("GET /api/threads/{name}", s.api(s.getThread))
	mux.HandleFunc("POST /api/threads/{name}/messages", s.api(s.postMessage))
	return mux
}
