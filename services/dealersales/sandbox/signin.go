package sandbox

import (
	"net/http"
	"net/url"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// signedIn lets only signed-in users pass; all others are sent to the sign-in
// page, and come back from there to the page they were on.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		back := "/"
		if r.Method == http.MethodGet && r.URL.Path != "/calendar/frame" {
			back = r.URL.RequestURI()
		}
		http.Redirect(w, r, "/sign-in?"+url.Values{"return": {back}}.Encode(), http.StatusSeeOther)
	})
}

// signInForm is what the sign-in page shows.
type signInForm struct {
	User     string
	Return   string
	Rejected bool
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) {
	back := kit.OwnPath(r.URL.Query().Get("return"), "/")
	session := s.Session(w, r)
	if session.User() != "" {
		http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the application
		return
	}
	s.show(w, http.StatusOK, "sign-in", page{Title: "Sign in", session: session, Content: signInForm{Return: back}})
}

func (s *Site) postSignIn(w http.ResponseWriter, r *http.Request) {
	user := strings.ToLower(strings.TrimSpace(r.PostFormValue("user")))
	back := kit.OwnPath(r.PostFormValue("return"), "/")
	session := s.Session(w, r)
	if !s.Authenticate(user, r.PostFormValue("password")) {
		s.show(w, http.StatusUnprocessableEntity, "sign-in", page{Title: "Sign in", session: session, Content: signInForm{User: user, Return: back, Rejected: true}})
		return
	}
	session.SignIn(user)
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the application
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
