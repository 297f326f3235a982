package sandbox

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html")

// page is what every view is given: the frame around its own content.
type page struct {
	Title   string
	Me      *Member // nil for a guest
	Content any

	session *kit.Session
}

// Token returns a fresh anti-forgery token.
func (p *page) Token() string { return p.session.Token() }

func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, view, title string, content any) {
	session := s.Session(w, r)
	views.Show(w, status, view, &page{title, s.byName[ownProfile[session.User()]], content, session})
}

// signedIn lets only signed-in users pass; all others are sent to the sign-in
// page, and come back from there.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sign-in?"+url.Values{"return": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	})
}

// signInForm is what the sign-in page shows.
type signInForm struct {
	Email, Return string
	Rejected      bool
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "sign-in", "Sign in", signInForm{Return: kit.OwnPath(r.URL.Query().Get("return"), "/")})
}

func (s *Site) postSignIn(w http.ResponseWriter, r *http.Request) {
	email := strings.ToLower(strings.TrimSpace(r.PostFormValue("email")))
	back := kit.OwnPath(r.PostFormValue("return"), "/")
	if !s.Authenticate(email, r.PostFormValue("password")) {
		s.show(w, r, http.StatusOK, "sign-in", "Sign in", signInForm{email, back, true})
		return
	}
	s.Session(w, r).SignIn(email)
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the network
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

func (s *Site) showFeed(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	const posts = 8
	s.show(w, r, http.StatusOK, "feed", "Home", s.members[2:2+posts])
}

func (s *Site) showNetwork(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusOK, "network", "My network", s.members[1:])
}

func (s *Site) showProfile(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	member, known := s.byName[r.PathValue("name")]
	if !known {
		s.showMissing(w, r, session)
		return
	}
	s.show(w, r, http.StatusOK, "profile", member.FullName, member)
}

func (s *Site) showMissing(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusNotFound, "missing", "This page does not exist", nil)
}
