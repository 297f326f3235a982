package sandbox

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html", "parts.html")

// page is what every view is given: the frame around its own content.
type page struct {
	Title       string
	Query       string // in the search box
	Grocery     bool   // the search is restricted to the grocery store
	Departments []department
	Department  string // slug of the one that is shown
	Account     *account
	CartCount   int
	AskConsent  bool // the cookie banner shows
	CookieWall  bool // ... over the whole page
	Redesigned  bool
	Here        string // path to come back to
	Content     any

	session *kit.Session
}

// Token returns a fresh anti-forgery token for one form.
func (p *page) Token() string { return p.session.Token() }

// Say is the label of a button, a link or a field: the text itself, or what
// the redesign calls it.
func (p *page) Say(text string) string {
	if renamed, ok := redesignedLabels[text]; ok && p.Redesigned {
		return renamed
	}
	return text
}

// part is what a part of a page is given: its own data, and the page.
type part struct {
	Page *page
	Data any
}

// Tile returns the data of a product's tile.
func (p *page) Tile(product *Product, note string) part {
	return part{Page: p, Data: tile{Product: product, Note: note}}
}

type tile struct {
	Product *Product
	Note    string // a line below the price, or ""
}

// newPage returns the frame of a page for the visitor.
func (s *Shop) newPage(w http.ResponseWriter, r *http.Request, title string, content any) *page {
	session := s.kit.Session(w, r)
	_, err := r.Cookie("consent")
	p := &page{
		Title:       title,
		Departments: departments,
		CartCount:   count(s.cart(owner(session))),
		AskConsent:  err != nil,
		CookieWall:  s.kit.Markup(CookieWall),
		Redesigned:  s.kit.Markup(Redesign),
		Here:        r.URL.RequestURI(),
		Content:     content,
		session:     session,
	}
	if user := session.User(); user != "" {
		p.Account = s.account(user)
	}
	return p
}

// owner is whose cart the session fills.
func owner(session *kit.Session) string {
	if user := session.User(); user != "" {
		return user
	}
	return session.Guest()
}

// account returns a copy of the user's account.
func (s *Shop) account(user string) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := *s.accounts[user]
	a.Addresses = slices.Clone(a.Addresses)
	a.Payments = slices.Clone(a.Payments)
	return &a
}

// FirstName is how the shop greets the user.
func (a *account) FirstName() string {
	first, _, _ := strings.Cut(a.Name, " ")
	return first
}

// show writes a page.
func (s *Shop) show(w http.ResponseWriter, status int, view string, p *page) {
	html, err := views.Render(view, p)
	if err != nil {
		http.Error(w, "cannot show this page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	switch {
	case p.Redesigned:
		html = redesign(html)
	case s.kit.Markup(NewIDs):
		html = renameIDs(html)
	}
	kit.WriteHTML(w, status, html)
}

// message shows a page that says one thing.
func (s *Shop) message(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	s.show(w, status, "message", s.newPage(w, r, title, text))
}

func (s *Shop) notFound(w http.ResponseWriter, r *http.Request) {
	s.message(w, r, http.StatusNotFound, "Page not found", "We looked on every shelf, but there is no such page.")
}
