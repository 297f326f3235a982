package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow"
)

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return bytes.Equal(left, right)
}

func TestDocumentsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 10)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	t.Cleanup(elsewhere.Close)
	for name, steps := range map[string]string{
		"by a link":     "  - {type: navigate, url: /page}\n  - {type: click, selectors: ['#a']}\n",
		"by a redirect": "  - {type: navigate, url: /redirect}\n",
		"by a script":   "  - {type: navigate, url: /script}\n  - {type: waitForElement, selectors: ['#never']}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one(steps)
			s := newShop(t, site, files, map[string]string{
				"/page":   `<a id=a href="` + elsewhere.URL + `/link?secret">x</a>`,
				"/script": `<script>setTimeout(() => location = "` + elsewhere.URL + `/script", 50)</script>`,
			})
			s.mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+"/redirect", http.StatusFound)
			})
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if err == nil || !strings.Contains(err.Error(), "navigation to "+elsewhere.URL+" was refused") || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a frame's is no failure", func(t *testing.T) {
		t.Parallel()
		site, files := one("  - {type: navigate, url: /page}\n  - {type: customStep, name: extract, parameters: {fields: {a: p}}}\n")
		s := newShop(t, site, files, map[string]string{"/page": `<iframe src="` + elsewhere.URL + `/frame"></iframe><p>here`})
		if result, _, err := s.play(s.load(nil), flow.Job{Operation: "op"}); err != nil || result != `{"a":"here"}` {
			t.Errorf("got %s, %v", result, err)
		}
	})
	t.Cleanup(func() {
		select {
		case path := <-reached:
			t.Errorf("%s was reached", path)
		default:
		}
	})
}

func TestNothingWaitsForEver(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, timeout: 500, url: /slow}\n")
	s := newShop(t, site, files, map[string]string{})
	ctx, cancel := context.WithCancel(s.ctx)
	t.Cleanup(cancel)
	s.mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ctx.Done():
		}
	})
	started := time.Now()
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || !strings.Contains(err.Error(), "op.yaml step 1 (navigate /slow): ") || time.Since(started) > 10*time.Second || trace.Unclean != nil {
		t.Errorf("%v after %s, %v", err, time.Since(started), trace.Unclean)
	}
}
