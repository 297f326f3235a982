package sandbox

import (
	"net/http"
	"net/url"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// The sellers. Each signs in with a user name, which is an e-mail address.
var (
	// Jane is the seller whose account demonstrations use.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Omar has nothing listed and nothing sold yet.
	Omar = kit.User{Username: "omar.said@fernhill.example", Password: "maple-Harbor-41"}
)

// signInStep is what a page of the sign-in shows.
type signInStep struct {
	Name     string // what was given as user name
	Return   string // where the sign-in leads
	Rejected bool
}

// signedIn lets only signed-in sellers pass; all others are sent to the
// sign-in, and come back from there to the page that they were on.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sign-in?"+url.Values{"return": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	})
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) {
	s.step(w, r, "sign-in", signInStep{Return: kit.OwnPath(r.URL.Query().Get("return"), "/")})
}

// postName takes any user name: whether there is such a seller is not told
// before the password is.
func (s *Site) postName(w http.ResponseWriter, r *http.Request) {
	query := url.Values{"name": {clean(r.PostFormValue("name"))}, "return": {kit.OwnPath(r.PostFormValue("return"), "/")}}
	http.Redirect(w, r, "/sign-in/password?"+query.Encode(), http.StatusSeeOther)
}

func (s *Site) showPassword(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	name, back := clean(query.Get("name")), kit.OwnPath(query.Get("return"), "/")
	if name == "" {
		http.Redirect(w, r, "/sign-in?"+url.Values{"return": {back}}.Encode(), http.StatusSeeOther)
		return
	}
	s.step(w, r, "password", signInStep{Name: name, Return: back})
}

// postPassword answers the form itself, without a redirect: the page that it shows
// stays in the history with the password that led to it.
func (s *Site) postPassword(w http.ResponseWriter, r *http.Request) {
	name, back := clean(r.PostFormValue("name")), kit.OwnPath(r.PostFormValue("return"), "/")
	if !s.Authenticate(name, r.PostFormValue("password")) {
		s.step(w, r, "password", signInStep{Name: name, Return: back, Rejected: true})
		return
	}
	session := s.Session(w, r)
	session.SignIn(name)
	show(w, http.StatusOK, "signed-in", "Welcome back", session, back)
}

// step shows a page of the sign-in, unless somebody is signed in already.
func (s *Site) step(w http.ResponseWriter, r *http.Request, view string, content signInStep) {
	session := s.Session(w, r)
	if session.User() != "" {
		http.Redirect(w, r, content.Return, http.StatusSeeOther)
		return
	}
	views.Show(w, http.StatusOK, view, &page{Title: "Sign in", Content: content, session: session})
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

func clean(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
