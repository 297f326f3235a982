// Package live is the page that shows a session's browser: its picture as it
// changes, and a mouse and a keyboard for who may use them.
//
// The page is a client of the DevTools protocol like any other, with the ticket
// that stands in its address's fragment, which no server is told. So it holds no
// secret and needs no ticket itself; what the ticket allows is decided where it is
// used (package devtools).
package live

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"time"

	"integration.gateway/contracts/sessions"
)

//go:embed page
var embedded embed.FS

// document is the file that LivePath serves; all others are below it.
const document = "index.html"

// policy allows what the page needs: its own scripts and styles, pictures that
// come as data, and a talk with the server that it came from.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Handler serves the page at sessions.LivePath of any session, and its files
// below.
func Handler() http.Handler {
	mux := http.NewServeMux()
	files, err := fs.ReadDir(embedded, "page")
	if err != nil {
		panic(fmt.Sprintf("live: embedded files: %v", err)) // the build has put them there
	}
	for _, file := range files {
		mux.Handle(pattern(file.Name()), serve(file.Name()))
	}
	return mux
}

func pattern(name string) string {
	at := "GET " + sessions.Path("{id}") + sessions.LivePath
	if name == document {
		return at
	}
	return at + "/" + name
}

// serve answers with a file. A browser may keep it, but asks each time whether
// it is still the one.
func serve(name string) http.Handler {
	content, err := embedded.ReadFile(path.Join("page", name))
	if err != nil {
		panic(fmt.Sprintf("live: embedded file: %v", err))
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", tag)
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Permissions-Policy", "clipboard-read=(self), clipboard-write=(self), camera=(), microphone=(), geolocation=()")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}
