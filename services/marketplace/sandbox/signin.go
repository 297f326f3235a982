package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// signedIn lets only signed-in users pass; all others are sent to the sign-in
// page, and come back from there to the page they were on.
func (s *Shop) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.kit.SignedIn(next, func(w http.ResponseWriter, r *http.Request) {
		back := r.URL.RequestURI()
		if r.Method == http.MethodPost {
			back = "/"
			if asin := r.PostFormValue("asin"); s.catalogue.byASIN[asin] != nil {
				back = "/dp/" + asin
			}
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

func (s *Shop) showSignIn(w http.ResponseWriter, r *http.Request) {
	back := kit.OwnPath(r.URL.Query().Get("return"), "/account")
	if s.kit.Session(w, r).User() != "" {
		http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the shop
		return
	}
	s.show(w, http.StatusOK, "sign-in", s.newPage(w, r, "Sign in", signInForm{Return: back}))
}

func (s *Shop) postSignIn(w http.ResponseWriter, r *http.Request) {
	email := strings.ToLower(strings.TrimSpace(r.PostFormValue("email")))
	back := kit.OwnPath(r.PostFormValue("return"), "/account")
	if !s.kit.Authenticate(email, r.PostFormValue("password")) {
		form := signInForm{Email: email, Return: back, Rejected: true}
		s.show(w, http.StatusOK, "sign-in", s.newPage(w, r, "Sign in", form))
		return
	}
	session := s.kit.Session(w, r)
	session.SignIn(email)
	s.adopt(session.Guest(), email)
	http.Redirect(w, r, back, http.StatusSeeOther) //nolint:gosec // OwnPath keeps it in the shop
}

func (s *Shop) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.kit.Session(w, r).SignOut()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Shop) showAccount(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, http.StatusOK, "account", s.newPage(w, r, "Your account", nil))
}

// postDefaults makes an address or a payment method of the user the default.
func (s *Shop) postDefaults(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	if !s.choose(session.User(), r.PostFormValue("address"), r.PostFormValue("payment")) {
		s.message(w, r, http.StatusBadRequest, "Your account", "Choose one of your own addresses or payment methods.")
		return
	}
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func (s *Shop) choose(user, addressID, paymentID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[user]
	switch {
	case slices.ContainsFunc(a.Addresses, func(x address) bool { return x.ID == addressID }):
		a.DefaultAddress = addressID
	case slices.ContainsFunc(a.Payments, func(x payment) bool { return x.ID == paymentID }):
		a.DefaultPayment = paymentID
	default:
		return false
	}
	s.kit.Effect("defaults")
	return true
}
