package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// page lets only signed-in users see a page; all others are sent to the sign-in
// page, and come back from there to the page they were on.
func (s *Site) page(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		back := "/account"
		if r.Method == http.MethodGet {
			back = r.URL.RequestURI()
		}
		http.Redirect(w, r, "/sign-in?"+url.Values{"return": {back}}.Encode(), http.StatusSeeOther)
	})
}

// signInForm is what the sign-in page shows.
type signInForm struct {
	Email    string
	Return   string
	Rejected bool
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) {
	back := kit.OwnPath(r.URL.Query().Get("return"), "/account")
	session := s.Session(w, r)
	if session.User() != "" {
		http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the shop
		return
	}
	s.show(w, http.StatusOK, "sign-in", s.newFrame(r, session, "Sign in", signInForm{Return: back}))
}

func (s *Site) postSignIn(w http.ResponseWriter, r *http.Request) {
	email := strings.ToLower(strings.TrimSpace(r.PostFormValue("email")))
	back := kit.OwnPath(r.PostFormValue("return"), "/account")
	session := s.Session(w, r)
	if !s.Authenticate(email, r.PostFormValue("password")) {
		form := signInForm{Email: email, Return: back, Rejected: true}
		s.show(w, http.StatusOK, "sign-in", s.newFrame(r, session, "Sign in", form))
		return
	}
	session.SignIn(email)
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the shop
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

// postDefaults makes an address or a card of the user the default.
func (s *Site) postDefaults(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	if !s.choose(session.User(), r.PostFormValue("address"), r.PostFormValue("card")) {
		s.message(w, r, session, http.StatusBadRequest, "Your account", "Choose one of your own addresses or cards.")
		return
	}
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func (s *Site) choose(user, addressID, lastFour string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[user]
	switch {
	case slices.ContainsFunc(a.Addresses, func(x address) bool { return x.ID == addressID }):
		a.DefaultAddress = addressID
	case slices.ContainsFunc(a.Cards, func(x card) bool { return x.LastFour == lastFour }):
		a.DefaultCard = lastFour
	default:
		return false
	}
	s.Effect("defaults")
	return true
}
