package sandbox

import (
	"embed"
	"net/http"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html")

// page is what every view is given.
type page struct {
	Title   string
	User    string // who is signed in, or ""
	Content any

	session *kit.Session
}

// Token returns a fresh anti-forgery token for one form.
func (p *page) Token() string { return p.session.Token() }

func show(w http.ResponseWriter, status int, view, title string, session *kit.Session, content any) {
	views.Show(w, status, view, &page{Title: title, User: session.User(), Content: content, session: session})
}

func (s *Site) showDashboard(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	show(w, http.StatusOK, "dashboard", "Dashboard", session, figuresOf(session.User(), s.now()))
}

func (s *Site) showListings(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	show(w, http.StatusOK, "listings", "Listings", session, listingsOf(session.User()))
}

func (s *Site) showOrders(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	show(w, http.StatusOK, "orders", "Orders to ship", session, ordersOf(session.User(), s.now()))
}

func (s *Site) notFound(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	show(w, http.StatusNotFound, "message", "Page not found", session, "There is no such page at the desk.")
}
