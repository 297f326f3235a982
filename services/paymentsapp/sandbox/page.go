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
	Framed  bool    // it stands in another page's frame
	User    *person // who is signed in, or nil
	Here    string
	Content any

	session *kit.Session
}

// Token returns a fresh anti-forgery token for one form.
func (p *page) Token() string { return p.session.Token() }

func (s *Site) newPage(w http.ResponseWriter, r *http.Request, title string, content any) *page {
	p := &page{Title: title, Here: r.URL.Path, Content: content, session: s.kit.Session(w, r)}
	if user := p.session.User(); user != "" {
		p.User = s.person(user)
	}
	return p
}

func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, view, title string, content any) {
	views.Show(w, status, view, s.newPage(w, r, title, content))
}

// showFramed shows a page that stands in a frame.
func (s *Site) showFramed(w http.ResponseWriter, r *http.Request, view string, form signInForm) {
	p := s.newPage(w, r, "Sign in", form)
	p.Framed = true
	views.Show(w, http.StatusOK, view, p)
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusNotFound, "message", "Page not found", "There is no such page. Your money is where it was.")
}
