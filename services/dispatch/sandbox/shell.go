package sandbox

import (
	"embed"
	"encoding/json"
	"net/http"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html")

// shell serves the one page of the application, which finds out by its address
// what to draw. It is the same for guests.
func (s *Site) shell(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		views.Show(w, status, "shell", s.Session(w, r))
	}
}

// decode reads the JSON of a request, or answers that it cannot.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "This request cannot be read.")
		return false
	}
	return true
}

// refuse answers with words for the person at the screen.
func refuse(w http.ResponseWriter, status int, words ...string) {
	kit.WriteJSON(w, status, map[string][]string{"errors": words})
}
