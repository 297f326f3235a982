package flow_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fixtureServer is the web application of one fixture, at two origins of the
// site, and a foreign origin that no flow may reach.
type fixtureServer struct {
	base      string
	other     string // the same application under another host name: another site to Chromium
	elsewhere string
	addresses *strings.Replacer
	name      string // of the fixture, with its folder
	visits    atomic.Int64
	last      atomic.Value // path of the last visit elsewhere
	never     chan struct{}
}

// slowness is how late a slow page is.
const slowness = 400 * time.Millisecond

func newFixtureServer(t *testing.T, name string) *fixtureServer {
	t.Helper()
	s := &fixtureServer{name: name, never: make(chan struct{})}
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.visits.Add(1)
		s.last.Store(r.URL.Path)
		_, _ = fmt.Fprint(w, "<!doctype html><title>Elsewhere</title>")
	}))
	t.Cleanup(foreign.Close)
	own := httptest.NewServer(s.routes())
	t.Cleanup(own.Close)
	t.Cleanup(func() { close(s.never) })
	s.base, s.elsewhere = own.URL, foreign.URL
	s.other = strings.Replace(own.URL, "127.0.0.1", "localhost", 1)
	s.addresses = strings.NewReplacer("BASE", s.base, "OTHER", s.other, "ELSEWHERE", s.elsewhere)
	return s
}

// routes are what every fixture's application answers. Its own files come last.
func (s *fixtureServer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(max(code, http.StatusOK))
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%d</title><p id=status>%d</p>", code, code)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { // answers
		select {
		case <-r.Context().Done():
		case <-s.never:
		}
	})
	mux.HandleFunc("/slow/{name}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(slowness):
			s.serveFile(w, r)
		case <-r.Context().Done():
		}
	})
	s.members(mux)
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/{name}", s.serveFile)
	return mux
}

// echo answers with the request that it got.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "query": r.URL.RawQuery, "type": r.Header.Get("Content-Type"), "cookie": r.Header.Get("Cookie"),
		"body": string(body), "headers": r.Header,
	})
}

// serveFile answers /page with the fixture's page and /name with its further
// file of that name, .html or .json.
func (s *fixtureServer) serveFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file := s.name + ".html"
	if name != "page" {
		if file = s.name + "." + name + ".html"; !s.has(file) {
			file = s.name + "." + name + ".json"
		}
	}
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if strings.HasSuffix(file, ".json") {
		w.Header().Set("Content-Type", "application/json")
	}
	_, _ = io.WriteString(w, s.addresses.Replace(string(text)))
}

func (s *fixtureServer) has(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// file reads a file of the fixture and fills in the addresses.
func (s *fixtureServer) file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(s.addresses.Replace(string(text)))
}

func (s *fixtureServer) checkElsewhere(t *testing.T, reached bool) {
	t.Helper()
	if n := s.visits.Load(); n > 0 && !reached {
		t.Errorf("the foreign origin was reached %d times, at %v", n, s.last.Load())
	} else if n == 0 && reached {
		t.Error("the foreign origin was not reached")
	}
}
