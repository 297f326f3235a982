package gateway_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"integration.gateway/gateway"
	"integration.gateway/pkg/testenv"
)

// FuzzRequest sends any request to the whole handler, with every operation
// answering behind it. Under /v1 there are five statuses and one form of error
// body, and nothing panics.
func FuzzRequest(f *testing.F) {
	for _, seed := range []struct{ method, path, query, authorization, account, contentType, body string }{
		{"GET", "/v1/marketplace/items/search", "query=dripper&isGroceryChain=true", "Bearer " + accessToken, accountToken, "", ""},
		{"POST", buyPath, "", "Bearer " + accessToken, accountToken, "application/json", buyBody},
		{"POST", buyPath, "", "bearer  " + accessToken, accountToken, "application/json; charset=utf-8", `{"asin":"a","ASIN":"b"}`},
		{"PUT", "/v1/dispatch/customers/%2e%2e", "", "Bearer " + accessToken, accountToken, "text/plain", "{"},
		{"GET", "/v1/clinic-records/clients/7/appointments", "page=1&pageSize=x", "Bearer " + accessToken, accountToken, "", ""},
		{"GET", "/v1/clinic-records/appointments", "clinicId=1&startDate=2026-11-21&endDate=2026-11-22&providerIds=1,2&providerIds=3", "Bearer " + accessToken, accountToken, "", ""},
		{"DELETE", "/v1/agency/employees/e\x00", "a;b", "Bearer " + accessToken, accountToken, "application/json", "{}\xff"},
		{"CONNECT", "/v1", "%", "Basic", "", "a/b;", "[[[["},
		{"HEAD", "/v1/marketplace/items/search", "query=x", "Bearer " + accessToken, accountToken, "", ""},
		{"GET", "/admin/v1/callers", "limit=3", "Bearer " + adminToken, "", "", ""},
		{"GET", "//v1/./x/../", "", "", "", "", ""},
	} {
		f.Add(seed.method, seed.path, seed.query, seed.authorization, seed.account, seed.contentType, seed.body)
	}
	natsURL := testenv.NATSURL(f)
	nc := connect(f, natsURL)
	serveAuthorize(f, nc)
	services := serveEverything(f, nc)
	log := &lines{}
	server, err := gateway.New(config(f, nil), gateway.Deps{Bus: connect(f, natsURL), Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, path, query, authorization, account, contentType, body string) {
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method = method
		r.URL = parsedPath(path)
		r.URL.RawQuery = query
		for name, value := range map[string]string{"Authorization": authorization, "X-Account-Token": account, "Content-Type": contentType} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		server.Handler().ServeHTTP(w, r)
		if _, err := uuid.Parse(w.Header().Get("Command-Id")); err != nil {
			t.Errorf("Command-Id %q", w.Header().Get("Command-Id"))
		}
		services.take(t)
		if text := log.take(); strings.Contains(text, "panic") {
			t.Fatal(text)
		}
		if !strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/admin/") {
			return
		}
		switch w.Code {
		case http.StatusOK:
			generic(t, w.Body.String())
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound, http.StatusInternalServerError:
			errorMessage(t, w.Body.String())
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}

// parsedPath is a path as net/http's server hands it on: parsed where it can
// be, so that escapes are met, and raw where it cannot.
func parsedPath(path string) *url.URL {
	if u, err := url.ParseRequestURI(path); err == nil && u.Host == "" {
		u.RawQuery = ""
		return u
	}
	return &url.URL{Path: path}
}
