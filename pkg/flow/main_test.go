package flow_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/testenv/chromium"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var shared chromium.Chromium

func newPage(t testing.TB, ctx context.Context) *rod.Page {
	t.Helper()
	return shared.Context(t).Context(ctx).MustPage()
}

// shop is a web application of a test's own, and the folder that points at it.
type shop struct {
	testing.TB
	ctx   context.Context
	mux   *http.ServeMux
	url   string
	files fstest.MapFS
	page  *rod.Page
}

const siteHead = `
site: test-shop
integration: marketplace
baseUrl: https://unused.example
timeout: 3000
`

// newShop serves the pages by path; site is what follows the head of site.yaml.
func newShop(t testing.TB, site string, files, pages map[string]string) *shop {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // on a busy machine
	t.Cleanup(cancel)
	s := &shop{TB: t, ctx: ctx, mux: http.NewServeMux(), files: fstest.MapFS{}}
	s.files["site.yaml"] = &fstest.MapFile{Data: []byte(siteHead + site)}
	for name, text := range files {
		s.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for path, body := range pages {
		s.serve(path, body)
	}
	server := httptest.NewServer(s.mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *shop) serve(path, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>Shop</title>", body)
	})
}

func (s *shop) load(contracts flow.Contracts) *flow.Site {
	s.Helper()
	site, err := flow.Load(s.files, contracts)
	if err != nil {
		s.Fatal(err)
	}
	if site, err = site.WithBaseURL(s.url); err != nil {
		s.Fatal(err)
	}
	return site
}

// play plays an operation; every test has one page of its own.
func (s *shop) play(site *flow.Site, job flow.Job) (string, flow.Trace, error) {
	s.Helper()
	if s.page == nil {
		s.page = newPage(s, s.ctx)
	}
	result, trace, err := site.Play(s.ctx, s.page, job)
	return string(result), trace, err
}

// one makes the folder of a site with one operation, whose flow is steps.
func one(steps string) (site string, files map[string]string) {
	return "operations: {op: {flow: op.yaml}}\n", map[string]string{"op.yaml": "steps:\n" + steps}
}

var shopContracts = flow.ContractsOf(marketplace.Search, marketplace.BuyNow)
