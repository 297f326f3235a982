package sandbox

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed shell.html
var shellFile embed.FS

var shellPage = template.Must(template.ParseFS(shellFile, "shell.html"))

func (s *Site) showShell(w http.ResponseWriter, r *http.Request) { s.shell(w, r, http.StatusOK) }

// shell serves the empty page that the application's script fills in, whoever
// asks: the script finds out who is signed in.
func (s *Site) shell(w http.ResponseWriter, r *http.Request, status int) {
	var html bytes.Buffer
	if err := shellPage.Execute(&html, s.Session(w, r).Token()); err != nil {
		http.Error(w, "cannot show this page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	kit.WriteHTML(w, status, html.Bytes())
}

// me tells who is signed in.
type me struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Token string `json:"token"` // for what is to be changed
}

func newMe(session *kit.Session) me {
	return me{Email: session.User(), Name: userNames[session.User()], Token: session.Token()}
}

func (s *Site) getMe(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	kit.WriteJSON(w, http.StatusOK, newMe(session))
}

func (s *Site) postSession(w http.ResponseWriter, r *http.Request) {
	var typed struct{ Email, Password string }
	if err := json.NewDecoder(r.Body).Decode(&typed); err != nil {
		invalid("Type your e-mail address and your password.").write(w)
		return
	}
	email := strings.ToLower(strings.TrimSpace(typed.Email))
	if !s.Authenticate(email, typed.Password) {
		invalid("This e-mail address and password do not belong together.").write(w)
		return
	}
	session := s.Session(w, r)
	session.SignIn(email)
	kit.WriteJSON(w, http.StatusOK, newMe(session))
}

func (s *Site) deleteSession(w http.ResponseWriter, r *http.Request) {
	session := s.Session(w, r)
	session.SignOut()
	kit.WriteJSON(w, http.StatusOK, map[string]string{"token": session.Token()})
}
