package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// visit is what the scripts are told of the session that they run in.
type visit struct {
	Member     *face  `json:"member"`     // who is signed in, if anyone
	AwaitsCode bool   `json:"awaitsCode"` // the password was given, and the one-time code is missing
	Token      string `json:"token"`      // the anti-forgery token to go on with
}

func (s *Site) tellVisit(w http.ResponseWriter, session *kit.Session) {
	v := visit{AwaitsCode: session.Awaited() != "", Token: session.Token()}
	if user := session.User(); user != "" {
		v.Member = s.member(handles[user]).face()
	}
	kit.WriteJSON(w, http.StatusOK, v)
}

func (s *Site) getSession(w http.ResponseWriter, r *http.Request) {
	s.tellVisit(w, s.kit.Session(w, r))
}

func (s *Site) postSignIn(w http.ResponseWriter, r *http.Request) {
	var typed struct{ Email, Password string }
	if err := json.NewDecoder(r.Body).Decode(&typed); err != nil {
		refuse(w, http.StatusBadRequest, "Fill in your e-mail address and your password.")
		return
	}
	user := strings.ToLower(strings.TrimSpace(typed.Email))
	if !s.kit.Authenticate(user, typed.Password) {
		refuse(w, http.StatusForbidden, "Sorry, that e-mail address and password do not belong together.")
		return
	}
	if reason := suspended[user]; reason != "" {
		refuse(w, http.StatusForbidden, reason)
		return
	}
	session := s.kit.Session(w, r)
	if s.kit.HasSecret(user) {
		session.AwaitCode(user)
	} else {
		session.SignIn(user)
	}
	s.tellVisit(w, session)
}

func (s *Site) postCode(w http.ResponseWriter, r *http.Request) {
	var typed struct{ Code string }
	session := s.kit.Session(w, r)
	user := session.Awaited()
	switch err := json.NewDecoder(r.Body).Decode(&typed); {
	case user == "":
		refuse(w, http.StatusConflict, "Sign in with your password first.")
	case err != nil || !s.kit.CheckCode(user, typed.Code):
		refuse(w, http.StatusForbidden, "That code is not right. Codes can be used once; wait for the next one.")
	default:
		session.SignIn(user)
		s.tellVisit(w, session)
	}
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	session := s.kit.Session(w, r)
	session.SignOut()
	s.tellVisit(w, session)
}

// postSavedLogin notes that the user wants this browser to be remembered.
func (s *Site) postSavedLogin(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	s.kit.Effect("saved-login")
	s.tellVisit(w, session)
}
