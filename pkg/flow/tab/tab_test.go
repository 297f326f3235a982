package tab_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/tab"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/testenv/chromium"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// bench is a page of a real browser, under control, and the site that it sees.
type bench struct {
	*testing.T
	ctx  context.Context
	page *rod.Page
	tab  *tab.Tab
	mux  *http.ServeMux
	site string

	neighbour string // the same site's pages from another port: another origin, in the same process
	other     string // and from another host: another site, in a process of its own
	elsewhere string // where nothing may go
	visits    *visits
}

// shared puts each site into a process of its own, as the services' Chromium does.
var shared = chromium.Chromium{Adjust: func(l *launcher.Launcher) {
	l.Delete("disable-site-isolation-trials").Delete("disable-features").Set("site-per-process")
}}

// newBench opens a page; each fixture is served at /name as one document.
func newBench(t *testing.T, fixtures map[string]string) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	b := &bench{T: t, ctx: ctx, page: shared.Context(t).Context(ctx).MustPage(), mux: http.NewServeMux()}
	server, neighbour := httptest.NewServer(b.mux), httptest.NewServer(b.mux)
	t.Cleanup(server.Close)
	t.Cleanup(neighbour.Close)
	b.visits = &visits{}
	foreign := httptest.NewServer(b.visits)
	t.Cleanup(foreign.Close)
	b.site, b.neighbour, b.other = server.URL, neighbour.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	b.elsewhere = foreign.URL
	addresses := strings.NewReplacer("SITE", b.site, "NEIGHBOUR", b.neighbour, "OTHER", b.other, "ELSEWHERE", b.elsewhere)
	for name, body := range fixtures {
		b.mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", name, addresses.Replace(body))
		})
	}
	attached, err := tab.Attach(ctx, b.page, tab.Options{Allowed: b.allows})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = attached.Detach(ctx) })
	b.tab = attached
	return b
}

// serveHops serves a redirect to anywhere, and a worker's script that asks for
// what is elsewhere.
func (b *bench) serveHops() {
	b.mux.HandleFunc("/hop", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	})
	b.mux.HandleFunc("/worker", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprintf(w, "fetch('%s/worker', {mode: 'no-cors'})", b.elsewhere)
	})
}

func (b *bench) allows(address string) bool {
	return strings.HasPrefix(address, b.site) || strings.HasPrefix(address, b.neighbour) || strings.HasPrefix(address, b.other)
}

// visits counts what has reached a server by method and path.
type visits struct{ seen sync.Map }

func (v *visits) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/favicon.ico" {
		v.seen.Store(r.Method+" "+r.URL.Path, true)
	}
}

func (v *visits) none(t *testing.T) {
	t.Helper()
	v.seen.Range(func(visit, _ any) bool {
		t.Errorf("elsewhere was reached: %s", visit)
		return true
	})
}

func (b *bench) open(name string) {
	b.Helper()
	if err := b.tab.Navigate(b.ctx, b.site+"/"+name); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) look(timeout time.Duration, goals ...tab.Goal) tab.Found {
	b.Helper()
	found, err := b.tab.Look(b.ctx, timeout, goals...)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

func (b *bench) click(selector string) {
	b.Helper()
	found := b.look(5*time.Second, tab.Goal{Kind: tab.Point, Selectors: css(selector)})
	if found.Goal != 0 {
		b.Fatalf("%s: %v", selector, found.Reasons)
	}
	if err := b.tab.Click(b.ctx, found.X, found.Y, proto.InputMouseButtonLeft, 1, 0); err != nil {
		b.Fatal(err)
	}
}

func css(selector string) tab.Selectors { return tab.Selectors{{{By: "css", Value: selector}}} }

func TestNavigationIsDoneWhenTheNewDocumentIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"links": `<a id=plain href=/two>x</a> <a id=hash href=#part>x</a>
			<button id=assign onclick="location.assign('/two')">x</button>
			<button id=later onclick="setTimeout(() => location.href='/two', 50)">x</button>
			<button id=push onclick="history.pushState(0,'','/pushed')">x</button>
			<form action=/two><button id=submit>x</button></form>
			<form action=/two id=f></form><button id=script onclick="document.getElementById('f').submit()">x</button>
			<select id=select onchange="location.href='/two'"><option>a<option>b</select>`,
		"two": `<p id=two>two</p><iframe src=/inner></iframe>`, "inner": "inner",
	})
	for id, path := range map[string]string{"plain": "/two", "assign": "/two", "submit": "/two?", "script": "/two?", "hash": "/links#part", "push": "/pushed"} {
		b.open("links")
		b.click("#" + id)
		if got := b.tab.Address(); got != b.site+path {
			t.Errorf("%s leads to %s", id, got)
		}
	}
	b.open("links")
	b.click("#later")
	if found := b.look(5*time.Second, tab.Goal{Kind: tab.Visible, Selectors: css("#two")}); found.Text != "two" {
		t.Errorf("the later document is not followed: %+v", found)
	}
	b.open("links")
	found := b.look(5*time.Second, tab.Goal{Kind: tab.Change, Selectors: css("#select"), Value: "b"})
	if found.Goal != 0 || b.tab.Address() != b.site+"/two" {
		t.Errorf("the change leads to %s: %+v", b.tab.Address(), found)
	}
}
