package flow_test

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

// newPool opens a pool of warm pages, as the services have one.
func newPool(t testing.TB, ctx context.Context) *browser.Pool {
	t.Helper()
	pool, err := browser.Open(ctx, browser.Config{Path: testenv.Chromium(t), Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close(context.WithoutCancel(ctx)) })
	return pool
}

func TestWarmPagesOfThePoolArePlayedOnAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := searchShop(t)
	site := s.load(shopContracts)
	pool := newPool(t, s.ctx)
	job := flow.Job{Operation: "search", Request: map[string]any{"query": "x"}}
	var calls []int64
	for range 4 {
		page, err := pool.Acquire(s.ctx, browser.Tenant{Account: "anna", Origins: []string{s.url}})
		if err != nil {
			t.Fatal(err)
		}
		if err := flow.Prepare(s.ctx, page.Rod()); err != nil {
			t.Fatal(err)
		}
		_, trace, err := site.Play(s.ctx, page.Rod(), job)
		if err != nil || trace.Unclean != nil {
			t.Fatal(err, trace.Unclean)
		}
		calls = append(calls, trace.Calls)
		page.Release(true)
	}
	// Guard on and off, for the page and for what it opens, no dialog left, navigate, let the document through, one evaluate.
	if last := calls[len(calls)-1]; last != 8 {
		t.Errorf("a search on a warm page takes %d calls: %v", last, calls)
	}
}

func TestBrowserThatIsKilledEndsThePlay(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, url: /page}\n  - {type: waitForElement, timeout: 50000, selectors: ['#never']}\n")
	s := newShop(t, site, files, map[string]string{"/page": "<img src=/seen>"})
	page, err := newPool(t, s.ctx).Acquire(s.ctx, browser.Tenant{Account: "anna", Origins: []string{s.url}})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Release(false)
	process := browserProcess(t, page)
	s.mux.HandleFunc("/seen", func(http.ResponseWriter, *http.Request) { _ = syscall.Kill(process, syscall.SIGKILL) })
	started := time.Now()
	_, trace, err := s.load(nil).Play(s.ctx, page.Rod(), flow.Job{Operation: "op"})
	var f *flow.Failure
	if !errors.As(err, &f) || f.EffectStarted || trace.Unclean == nil || time.Since(started) > 20*time.Second {
		t.Errorf("%v after %s, unclean: %v", err, time.Since(started), trace.Unclean)
	}
}

// browserProcess asks Chromium for the id of its main process.
func browserProcess(t *testing.T, page *browser.Page) int {
	t.Helper()
	info, err := proto.SystemInfoGetProcessInfo{}.Call(page.Rod().Browser())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range info.ProcessInfo {
		if p.Type == "browser" {
			return p.ID
		}
	}
	t.Fatal("Chromium names no main process")
	return 0
}
