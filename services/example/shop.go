package main

import (
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

//go:embed pages
var files embed.FS

var pages = template.Must(template.ParseFS(files, "pages/*.html"))

// item is on the shelf; refusal is what the shop answers to its order.
type item struct {
	ID, Name, Price, Refusal string
	SoldOut                  bool
}

var shelf = []item{
	{ID: "CRN0000001", Name: "Apple juice, 1 l", Price: "2,40 €"},
	{ID: "CRN0000002", Name: "Apple cake", Price: "1.012,50 €", SoldOut: true},
	{ID: "CRN0000003", Name: "Apple brandy", Price: "31,00 €", Refusal: "We may not send spirits by post."},
	{ID: "CRN0000004", Name: "Box of matches", Price: "0,80 €"},
}

type order struct {
	Number, Reference, Address, Payment string
	item
}

// shop is the application: one customer, a shelf and a list of orders.
type shop struct {
	http.Handler
	mu       sync.Mutex
	sessions map[string]bool
	orders   []order
}

func newShop() *shop {
	s := &shop{sessions: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/account", http.StatusFound) })
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { show(w, http.StatusOK, "login", "") })
	mux.HandleFunc("POST /login", s.signIn)
	mux.HandleFunc("GET /account", s.guarded(func(w http.ResponseWriter, _ *http.Request) { show(w, http.StatusOK, "account", nil) }))
	mux.HandleFunc("GET /search", search)
	mux.HandleFunc("GET /item/{id}", s.guarded(showItem))
	mux.HandleFunc("POST /item/{id}", s.guarded(s.placeOrder))
	mux.HandleFunc("GET /orders", s.guarded(s.listOrders))
	mux.HandleFunc("GET /orders/{number}", s.guarded(s.showOrder))
	s.Handler = mux
	return s
}

func show(w http.ResponseWriter, status int, page string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, page+".html", data)
}

func (s *shop) signIn(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("user") != "pat" || r.FormValue("password") != "corner" {
		show(w, http.StatusOK, "login", "Wrong user name or password.")
		return
	}
	session := rand.Text()
	s.mu.Lock()
	s.sessions[session] = true
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil}) //nolint:gosec // over plain HTTP, a secure cookie would not come back
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

// guarded shows the sign-in page to who is not signed in.
func (s *shop) guarded(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("session")
		s.mu.Lock()
		known := err == nil && s.sessions[cookie.Value]
		s.mu.Unlock()
		if !known {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		page(w, r)
	}
}

func search(w http.ResponseWriter, r *http.Request) {
	var found []item
	for _, i := range shelf {
		if strings.Contains(strings.ToLower(i.Name), strings.ToLower(r.FormValue("q"))) {
			found = append(found, i)
		}
	}
	show(w, http.StatusOK, "search", found)
}

func ordered(r *http.Request) (item, bool) {
	at := slices.IndexFunc(shelf, func(i item) bool { return i.ID == r.PathValue("id") })
	if at < 0 {
		return item{}, false
	}
	return shelf[at], true
}

func showItem(w http.ResponseWriter, r *http.Request) {
	i, there := ordered(r)
	if !there {
		show(w, http.StatusNotFound, "missing", nil)
		return
	}
	show(w, http.StatusOK, "item", map[string]any{"Item": i, "Refusal": r.FormValue("refusal")})
}

func (s *shop) placeOrder(w http.ResponseWriter, r *http.Request) {
	i, there := ordered(r)
	if !there || i.SoldOut {
		show(w, http.StatusNotFound, "missing", nil)
		return
	}
	if i.Refusal != "" {
		http.Redirect(w, r, "/item/"+i.ID+"?refusal="+url.QueryEscape(i.Refusal), http.StatusSeeOther)
		return
	}
	s.mu.Lock()
	o := order{Number: fmt.Sprintf("C-%d", 1001+len(s.orders)), Reference: r.FormValue("reference"), Address: "Pat Lee, 3 Mill Lane, Oxford", Payment: "Invoice", item: i}
	s.orders = append(s.orders, o)
	s.mu.Unlock()
	http.Redirect(w, r, "/orders/"+o.Number, http.StatusSeeOther)
}

func (s *shop) listOrders(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	all := slices.Clone(s.orders)
	s.mu.Unlock()
	slices.Reverse(all)
	show(w, http.StatusOK, "orders", all)
}

func (s *shop) showOrder(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	at := slices.IndexFunc(s.orders, func(o order) bool { return o.Number == r.PathValue("number") })
	var o order
	if at >= 0 {
		o = s.orders[at]
	}
	s.mu.Unlock()
	if at < 0 {
		show(w, http.StatusNotFound, "missing", nil)
		return
	}
	show(w, http.StatusOK, "order", o)
}
