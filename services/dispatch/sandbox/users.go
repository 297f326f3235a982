package sandbox

import (
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// The users of the application.
var (
	// Jane is the office manager, whose account demonstrations use.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir takes calls in the same office.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
)

// Users are all users of the application.
var Users = []kit.User{Jane, Amir}

var userNames = map[string]string{Jane.Username: "Jane Roe", Amir.Username: "Amir Khan"}

// signedIn answers 401 to whoever is not signed in; the page then shows its
// sign-in.
func (s *Site) signedIn(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "Please sign in.")
	})
}

func (s *Site) postSession(w http.ResponseWriter, r *http.Request) {
	var form struct{ Email, Password string }
	if !decode(w, r, &form) {
		return
	}
	email := strings.ToLower(strings.TrimSpace(form.Email))
	if !s.Authenticate(email, form.Password) {
		refuse(w, http.StatusUnprocessableEntity, "That e-mail address and password do not belong together. Please try again.")
		return
	}
	s.Session(w, r).SignIn(email)
	kit.WriteJSON(w, http.StatusOK, struct{}{})
}

func (s *Site) deleteSession(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	kit.WriteJSON(w, http.StatusOK, struct{}{})
}

func (s *Site) getMe(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	kit.WriteJSON(w, http.StatusOK, map[string]string{"name": userNames[session.User()], "email": session.User()})
}
