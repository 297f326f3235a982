package sandbox

import (
	"bytes"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Views are the pages of a site by name, each with the site's layout around it.
type Views map[string]*template.Template

// ParseViews reads all pages/*.html of a site. Common names those that every
// page is given, the first of which must define the template "layout"; each of
// the others is a view of its own, which fills in what the layout leaves open.
// It panics at a template that cannot be parsed.
func ParseViews(files fs.FS, common ...string) Views {
	var parts []string
	for _, name := range common {
		parts = append(parts, "pages/"+name)
	}
	layout := template.Must(template.ParseFS(files, parts...))
	pages, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		panic(err)
	}
	views := Views{}
	for _, file := range pages {
		view := template.Must(template.Must(layout.Clone()).ParseFS(files, file))
		views[strings.TrimSuffix(path.Base(file), ".html")] = view
	}
	return views
}

// Render returns the HTML of a view.
func (v Views) Render(view string, data any) ([]byte, error) {
	var body bytes.Buffer
	err := v[view].ExecuteTemplate(&body, "layout", data)
	return body.Bytes(), err
}

// Show writes a view as the answer.
func (v Views) Show(w http.ResponseWriter, status int, view string, data any) {
	html, err := v.Render(view, data)
	if err != nil {
		http.Error(w, "cannot show this page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	WriteHTML(w, status, html)
}

// WriteHTML writes a page that loads nothing from elsewhere.
func WriteHTML(w http.ResponseWriter, status int, html []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(html) // the browser may be gone; nobody is left to tell
}

// WriteJSON writes a value as a JSON answer.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, "cannot encode the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone; nobody is left to tell
}

// OwnPath keeps a path of the site as it is, and turns an address elsewhere,
// or none, into home: nobody is led away by a link to the sign-in.
func OwnPath(text, home string) string {
	address, err := url.Parse(text)
	if err != nil || address.Host != "" || address.Scheme != "" || strings.ContainsRune(text, '\\') ||
		!strings.HasPrefix(address.Path, "/") || strings.HasPrefix(address.Path, "//") {
		return home
	}
	return text
}

// SignedIn lets only requests of a user who is signed in pass, and has refuse
// answer all others.
func (k *Kit) SignedIn(next func(http.ResponseWriter, *http.Request, *Session), refuse http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session := k.Session(w, r)
		if session.User() == "" {
			refuse(w, r)
			return
		}
		next(w, r, session)
	}
}
