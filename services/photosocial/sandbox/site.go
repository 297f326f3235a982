// Package sandbox is the stand-in for a photo-sharing network: a small one named
// Fernlight. It is a single-page application: one document, whose scripts draw
// every view from a JSON API and change the address as they go. It has a sign-in
// with one-time codes, a question after it that must be answered before anything
// else shows, a feed without an end, stories, likes and profiles.
package sandbox

import (
	"embed"
	"maps"
	"net/http"
	"slices"
	"sync"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed assets
var assets embed.FS

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "app.html")

// Site is one running network. It is safe for concurrent use.
type Site struct {
	kit     *kit.Kit
	handler http.Handler
	members []*member
	posts   []*post // newest first

	mu    sync.Mutex
	likes map[string][]string
}

// State is what really happened at the network.
type State struct {
	kit.Traffic
	Likes map[string][]string `json:"likes"` // ids of posts, by user
}

// New opens a network. All start out the same.
func New() *Site {
	s := &Site{likes: map[string][]string{}}
	s.members, s.posts = seed()
	s.kit = kit.New(kit.Config{
		Name:  "photo-social",
		Users: Users,
		State: func(t kit.Traffic) any { return s.state(t) },
	})
	s.handler = s.kit.Handler(s.routes())
	return s
}

// ServeHTTP serves the network's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// State returns what really happened at the network so far.
func (s *Site) State() State { return s.state(s.kit.Traffic()) }

func (s *Site) state(t kit.Traffic) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	likes := maps.Clone(s.likes)
	for user, posts := range likes {
		likes[user] = slices.Clone(posts)
	}
	return State{Traffic: t, Likes: likes}
}

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, view := range []string{"/{$}", "/sign-in", "/sign-in/code", "/members/{handle}"} {
		mux.HandleFunc("GET "+view, s.app)
	}
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /pictures/{file}", s.showPicture)
	mux.HandleFunc("GET /faces/{file}", s.showFace)

	mux.HandleFunc("GET /api/session", s.getSession)
	mux.HandleFunc("POST /api/sign-in", s.postSignIn)
	mux.HandleFunc("POST /api/sign-in/code", s.postCode)
	mux.HandleFunc("POST /api/sign-out", s.postSignOut)
	mux.HandleFunc("POST /api/saved-login", s.signedIn(s.postSavedLogin))
	mux.HandleFunc("GET /api/stories", s.signedIn(s.getStories))
	mux.HandleFunc("GET /api/feed", s.signedIn(s.getFeed))
	mux.HandleFunc("GET /api/members/{handle}", s.signedIn(s.getMember))
	mux.HandleFunc("PUT /api/posts/{id}/like", s.signedIn(s.putLike))
	mux.HandleFunc("DELETE /api/posts/{id}/like", s.signedIn(s.deleteLike))
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "There is nothing here.") })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { s.document(w, r, http.StatusNotFound) })
	return mux
}

// app is the one document of the application.
func (s *Site) app(w http.ResponseWriter, r *http.Request) { s.document(w, r, http.StatusOK) }

func (s *Site) document(w http.ResponseWriter, r *http.Request, status int) {
	views.Show(w, status, "app", s.kit.Session(w, r).Token())
}

// signedIn lets only signed-in users pass; all others are told to sign in.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.kit.SignedIn(next, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "Please sign in.")
	})
}

// refuse answers an error as the application's scripts expect it.
func refuse(w http.ResponseWriter, status int, message string) {
	kit.WriteJSON(w, status, map[string]string{"error": message})
}
