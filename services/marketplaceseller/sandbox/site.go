// Package sandbox is the stand-in for the seller edition of an online shop:
// Marlowe Seller Desk, where a seller looks at sales, listings and the orders
// that are to be shipped. It renders its pages on the server. The sign-in has
// two steps: the user name on one page, the password on the next.
package sandbox

import (
	"embed"
	"net/http"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed assets
var assets embed.FS

// Site is one running stand-in.
type Site struct {
	*kit.Kit

	handler http.Handler
	now     func() time.Time
}

// New opens a stand-in. All start out the same.
func New() *Site {
	s := &Site{
		Kit: kit.New(kit.Config{Name: "marketplace-seller", Users: []kit.User{Jane, Omar}}),
		now: time.Now,
	}
	s.handler = s.Handler(s.routes())
	return s
}

// ServeHTTP serves the site's pages and its control endpoints.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

func (s *Site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("GET /sign-in", s.showSignIn)
	mux.HandleFunc("POST /sign-in", s.postName)
	mux.HandleFunc("GET /sign-in/password", s.showPassword)
	mux.HandleFunc("POST /sign-in/password", s.postPassword)
	mux.HandleFunc("POST /sign-out", s.postSignOut)
	mux.HandleFunc("GET /{$}", s.signedIn(s.showDashboard))
	mux.HandleFunc("GET /listings", s.signedIn(s.showListings))
	mux.HandleFunc("GET /orders", s.signedIn(s.showOrders))
	mux.HandleFunc("GET /", s.signedIn(s.notFound))
	return mux
}
