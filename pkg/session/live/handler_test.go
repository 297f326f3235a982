package live_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"integration.gateway/contracts/sessions"
	"integration.gateway/pkg/session/live"
)

func request(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, http.NoBody)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	live.Handler().ServeHTTP(w, r)
	return w
}

func TestFilesAreServedWithWhatGuardsThem(t *testing.T) {
	t.Parallel()
	at := sessions.Path(session) + sessions.LivePath
	for path, kind := range map[string]string{
		at: "text/html; charset=utf-8", at + "/app.js": "text/javascript; charset=utf-8", at + "/style.css": "text/css; charset=utf-8",
	} {
		res := request(t, http.MethodGet, path, nil)
		if res.Code != http.StatusOK || res.Header().Get("Content-Type") != kind {
			t.Errorf("%s: %d, %s", path, res.Code, res.Header().Get("Content-Type"))
		}
		policy := res.Header().Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q does not say %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || res.Header().Get("Referrer-Policy") != "no-referrer" || res.Header().Get("X-Content-Type-Options") != "nosniff" ||
			res.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: header %v", path, res.Header())
		}
		again := request(t, http.MethodGet, path, http.Header{"If-None-Match": {res.Header().Get("ETag")}})
		if again.Code != http.StatusNotModified {
			t.Errorf("%s, when it is known: %d", path, again.Code)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	at := sessions.Path(session) + sessions.LivePath
	for _, path := range []string{at + "/", at + "/index.html", at + "/page/app.js", at + "/../live.go", at + "/none.js", "/"} {
		if res := request(t, http.MethodGet, path, nil); res.Code == http.StatusOK {
			t.Errorf("%s: %d", path, res.Code)
		}
	}
	if res := request(t, http.MethodPost, at, nil); res.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", res.Code)
	}
}
