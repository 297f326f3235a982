package sandbox

import (
	"embed"
	"net/http"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html")

// showPage answers the one page of the network; its script knows what to show
// at which address.
func (s *Site) showPage(w http.ResponseWriter, r *http.Request) {
	views.Show(w, http.StatusOK, "layout", map[string]string{"Token": s.Session(w, r).Token()})
}

// member lets only signed-in members pass.
func (s *Site) member(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "Sign in first.")
	})
}

// refuse answers the page's script with the reason for a refusal.
func refuse(w http.ResponseWriter, status int, reason string) {
	kit.WriteJSON(w, status, map[string]string{"error": reason})
}

func (s *Site) postSignIn(w http.ResponseWriter, r *http.Request) {
	email := strings.ToLower(strings.TrimSpace(r.PostFormValue("email")))
	if !s.Authenticate(email, r.PostFormValue("password")) {
		refuse(w, http.StatusForbidden, "No member has this e-mail address and password.")
		return
	}
	s.Session(w, r).SignIn(email)
	kit.WriteJSON(w, http.StatusOK, map[string]bool{"ok": true})
}

func (s *Site) postSignOut(w http.ResponseWriter, r *http.Request) {
	s.Session(w, r).SignOut()
	kit.WriteJSON(w, http.StatusOK, map[string]bool{"ok": true})
}

func (s *Site) serveMe(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	kit.WriteJSON(w, http.StatusOK, map[string]any{"email": session.User(), "plan": plans[janesPlan], "deals": len(s.deals)})
}
