package browser_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// bench is a pool under test and the site that its pages visit.
type bench struct {
	t    testing.TB
	ctx  context.Context
	pool *browser.Pool
	dir  string // where the pool's Chromium has its directories
	site *httptest.Server
	// origins, besides site's, that pages may reach.
	origins []string
}

// setup opens a pool and a site; both end with the test, and the end fails it
// if the pool leaves a process or a file behind. The pool has no blank contexts
// in reserve unless the test wants some.
func setup(t testing.TB, cfg browser.Config) *bench {
	t.Helper()
	cfg.Dir = openDir(t)
	if cfg.Reserve == 0 {
		cfg.Reserve = -1
	}
	if cfg.Path == "" {
		cfg.Path = testenv.Chromium(t)
	}
	cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	pool, err := browser.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, ctx: ctx, pool: pool, dir: cfg.Dir, site: newSite(t)}
	if len(processes(t, b.dir)) < 3 {
		t.Error("Chromium and its children are not found")
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
		assertNothingLeft(t, b.dir)
	})
	return b
}

// wholeChromium is the browser besides its headless shell.
func wholeChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/lib/chromium/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium but its headless shell: install the package chromium (make prepare does)")
	return ""
}

// openDir is a directory that every user can reach, unlike t.TempDir's.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser-test-") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// newSite serves testdata, and /cookies: what cookies the request brought.
// /sign-in sets a session cookie with the value of the query's who.
func newSite(t testing.TB) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata")))
	mux.HandleFunc("/cookies", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "<p>%s</p>", r.Header.Get("Cookie"))
	})
	mux.HandleFunc("/sign-in", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{
			Name: "session", Value: r.URL.Query().Get("who"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		http.SetCookie(w, &http.Cookie{Name: "lasting", Value: "yes", Path: "/cookies", MaxAge: 3600})
		http.Redirect(w, r, "/stores-what-the-query-says.html?"+r.URL.RawQuery, http.StatusSeeOther)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// acquire leases a page of an account that has no state.
func (b *bench) acquire(account string) *browser.Page {
	b.t.Helper()
	return b.acquireWith(account, nil)
}

// tenant is an account at the sites of the test.
func (b *bench) tenant(account string) browser.Tenant {
	return browser.Tenant{Account: account, Origins: append([]string{b.site.URL}, b.origins...)}
}

// acquireWith leases a page and has state restored if the context is new.
func (b *bench) acquireWith(account string, state *browser.State) *browser.Page {
	b.t.Helper()
	tenant := b.tenant(account)
	tenant.Restore = func(context.Context) (*browser.State, error) { return state, nil }
	page, err := b.pool.Acquire(b.ctx, tenant)
	if err != nil {
		b.t.Fatal(err)
	}
	return page
}

// visit shows a path of the site and returns the page bound to a deadline.
func (b *bench) visit(page *browser.Page, path string) *rod.Page {
	b.t.Helper()
	return visit(b.t, page, b.site.URL+path)
}

func visit(t testing.TB, page *browser.Page, url string) *rod.Page {
	t.Helper()
	p := page.Rod().Timeout(patience)
	err := p.Navigate(url)
	if err != nil && strings.Contains(err.Error(), "ERR_NETWORK_CHANGED") { // a container was started beside the test
		err = p.Navigate(url)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	return p
}

// text evaluates an expression in the page.
func text(t testing.TB, p *rod.Page, expression string) string {
	t.Helper()
	got, err := p.Eval("() => String(" + expression + ")")
	if err != nil {
		t.Fatal(err)
	}
	return got.Value.Str()
}

// eventually fails the test unless check turns true in time.
func eventually(t testing.TB, what string, check func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !check() {
		if time.Now().After(deadline) {
			t.Fatalf("not in %v: %s", patience, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// ended returns the cause with which the page's context ends.
func ended(t testing.TB, page *browser.Page) error {
	t.Helper()
	select {
	case <-page.Context().Done():
		return page.Err()
	case <-time.After(patience):
		t.Fatal("the page's context did not end")
		return nil
	}
}

// assertNothingLeft fails the test if a process or a file of a pool with its
// directories in dir is still there.
func assertNothingLeft(t testing.TB, dir string) {
	t.Helper()
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("%d processes left: %v", len(left), left)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, file := range files {
		t.Errorf("left behind: %s", file.Name())
	}
}

// groups are the process groups of the Chromiums seen in each directory.
var groups sync.Map

// processes returns the processes of the Chromiums that have a directory in
// dir: those that name it (Chromium itself and its janitor), and all in the
// process group of one that was seen to. Zombies do not count.
func processes(t testing.TB, dir string) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	type process struct{ pid, group int }
	var all []process
	for _, entry := range entries {
		cmdline, _ := os.ReadFile(filepath.Join(entry, "cmdline"))
		stat, _ := os.ReadFile(filepath.Join(entry, "stat"))
		var p process
		var state, parent string
		_, after, found := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscan(after, &state, &parent, &p.group); !found || err != nil || state == "Z" {
			continue
		}
		p.pid, _ = strconv.Atoi(filepath.Base(entry))
		all = append(all, p)
		if bytes.Contains(cmdline, []byte(dir+"/igw-")) {
			groups.Store(p.group, dir)
		}
	}
	var found []int
	for _, p := range all {
		if of, seen := groups.Load(p.group); seen && of == dir {
			found = append(found, p.pid)
		}
	}
	return found
}
