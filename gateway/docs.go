package gateway

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/swaggest/swgui/v5emb"

	"integration.gateway/contracts/catalog"
)

// docsPolicy lets the document's page load from and call this gateway, and
// nothing else. Swagger UI writes style attributes and pictures into the page.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed docs
var docsFiles embed.FS

// mountDocs shows the API document to people under /docs/: Swagger UI, from
// files in this binary. The page is our own, since the library's holds inline
// scripts, which the policy forbids.
func mountDocs(mux *http.ServeMux) {
	assets := v5emb.New("", "", "/docs/")
	page := http.FileServerFS(docsFiles)
	mux.Handle("GET /docs/", secured(assets))
	mux.Handle("GET /docs/{$}", secured(page))
	mux.Handle("GET /docs/start.js", secured(page))
}

// secured sets the headers that keep a page to itself.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// mountDocument serves the API document and that of the events, which are the
// catalogue's own.
func mountDocument(mux *http.ServeMux) error {
	asJSON, err := documentJSON()
	if err != nil {
		return fmt.Errorf("render the API document: %w", err)
	}
	mux.HandleFunc("GET /openapi.yaml", serve("application/yaml", []byte(catalog.OpenAPI()))) // RFC 9512
	mux.HandleFunc("GET /asyncapi.yaml", serve("application/yaml", []byte(catalog.AsyncAPI())))
	mux.HandleFunc("GET /openapi.json", serve("application/json", asJSON))
	return nil
}

// documentJSON is the API document for those who want JSON, rendered once a
// process.
var documentJSON = sync.OnceValues(func() ([]byte, error) { return json.Marshal(catalog.Document()) })

func serve(contentType string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(data)
	}
}
