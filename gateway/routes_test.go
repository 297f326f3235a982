package gateway_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"integration.gateway/contracts/catalog"
)

func TestWhatIsNotInTheCatalogueIs404(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for _, route := range []string{
		"GET /",
		"GET /v1",
		"GET /v1/",
		"GET /v2/marketplace/items/search?query=x",
		"GET /v1/marketplace",
		"GET /v1/marketplace/items/search/",
		"GET /v1/Marketplace/items/search?query=x",
		"GET /v1//marketplace/items/search?query=x",
		"GET /v1/x/../marketplace/items/search?query=x",
		"GET /v1/x/%2e%2e/marketplace/items/search?query=x",
		"GET /v1/clinic-records/clients/..",
		"GET /v1/clinic-records/clients/%2e%2e",
		"POST /v1/marketplace/items/search?query=x",
		"GET " + buyPath,
		"DELETE " + buyPath,
		"OPTIONS " + buyPath,
		"TRACE " + buyPath,
		"PROPFIND " + buyPath,
		"GET /admin/v1/nothing",
		"POST /healthz",
		"GET /docs/nothing/at/all",
	} {
		t.Run(route, func(t *testing.T) {
			method, path, _ := strings.Cut(route, " ")
			a := send(t, e.request(t, method, path, ""))
			if strings.HasPrefix(path, "/docs/") {
				if a.StatusCode != http.StatusNotFound {
					t.Errorf("status %d", a.StatusCode)
				}
				return
			}
			a.wantError(t, http.StatusNotFound)
		})
	}
	if a := send(t, e.request(t, http.MethodHead, searchPath, "")); a.StatusCode != http.StatusNotFound {
		t.Errorf("HEAD: status %d", a.StatusCode)
	}
	if msgs := services.take(t); len(msgs) != 0 {
		t.Errorf("%s was sent", msgs[0].Subject)
	}
}

func TestMetricsCountRequestsByOperationAndStatus(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	serveEverything(t, e.bus)
	send(t, e.request(t, http.MethodGet, searchPath, ""))
	send(t, e.request(t, http.MethodGet, searchPath, ""))
	send(t, e.request(t, http.MethodPost, buyPath, `{}`))
	send(t, e.request(t, http.MethodGet, "/nothing", ""))
	metrics := send(t, e.request(t, http.MethodGet, "/metrics", "")).body
	for _, want := range []string{
		`gateway_requests_total{operation="marketplace-search",status="200"} 2`,
		`gateway_requests_total{operation="marketplace-buy-now",status="400"} 1`,
		`gateway_requests_total{operation="none",status="404"} 1`,
		`gateway_request_duration_seconds_count{operation="marketplace-search"} 2`,
		`gateway_requests_in_flight 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

func TestTheDocumentsAreTheCataloguesOwn(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	for path, file := range map[string]string{
		"/openapi.yaml":  "../contracts/catalog/openapi.gen.yaml",
		"/asyncapi.yaml": "../contracts/catalog/asyncapi.gen.yaml",
	} {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		yaml := send(t, e.request(t, http.MethodGet, path, ""))
		if yaml.body != string(want) {
			t.Errorf("%s is not %s", path, file)
		}
		if got := yaml.Header.Get("Content-Type"); got != "application/yaml" {
			t.Errorf("%s: Content-Type %q", path, got)
		}
	}
	document := send(t, e.request(t, http.MethodGet, "/openapi.json", "")).body
	paths := generic(t, document).(map[string]any)["paths"].(map[string]any)
	for _, entry := range catalog.All() {
		if paths[entry.Info().Path] == nil {
			t.Errorf("/openapi.json lacks %s", entry.Info().Path)
		}
	}
}

func TestTheDocsPageNeedsNothingFromOutside(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	page := send(t, e.request(t, http.MethodGet, "/docs/", ""))
	if page.StatusCode != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("status %d, %s", page.StatusCode, page.Header)
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") {
		t.Errorf("Content-Security-Policy: %s", policy)
	}
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page.body, -1)
	if len(links) < 3 {
		t.Errorf("only %d links: %s", len(links), page.body)
	}
	for _, link := range links {
		if !strings.HasPrefix(link[1], "/docs/") {
			t.Errorf("the page needs %s", link[1])
			continue
		}
		if a := send(t, e.request(t, http.MethodGet, link[1], "")); a.StatusCode != http.StatusOK || a.body == "" {
			t.Errorf("%s: status %d", link[1], a.StatusCode)
		}
	}
	redirect := send(t, e.request(t, http.MethodGet, "/docs", ""))
	if redirect.Header.Get("Location") != "/docs/" {
		t.Errorf("/docs: status %d to %q", redirect.StatusCode, redirect.Header.Get("Location"))
	}
}

func TestNeitherDatabaseNorBrowserIsInTheBuild(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 50 {
		t.Fatalf("go list names only %d packages", len(packages))
	}
	for _, name := range packages {
		for _, unwanted := range []string{"jackc/", "lib/pq", "go-rod/", "chromedp/", "coder/websocket", "integration.gateway/services", "integration.gateway/pkg/browser", "integration.gateway/pkg/devtools", "integration.gateway/pkg/session", "integration.gateway/pkg/eventlog"} {
			if strings.Contains(name, unwanted) {
				t.Errorf("the gateway is built with %s", name)
			}
		}
	}
}
