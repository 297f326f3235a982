package browser_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

func TestEachLeaseFindsItsPagePrepared(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxPages: 1, Prepare: func(_ context.Context, page *rod.Page) error {
		_, err := page.EvalOnNewDocument("window.prepared = (window.prepared ?? 0) + 1")
		return err
	}})
	for lease := range 3 {
		page := b.acquire("anna")
		if err := page.Rod().Navigate(b.site.URL + "/blank.html"); err != nil {
			t.Fatal(err)
		}
		if err := page.Rod().WaitLoad(); err != nil {
			t.Fatal(err)
		}
		if got := page.Rod().MustEval("() => window.prepared").Int(); got != 1 {
			t.Errorf("lease %d finds its page prepared %d times", lease, got)
		}
		page.Release(true)
	}
}

func TestAPageThatCannotBePreparedIsNotLeased(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var fails atomic.Bool
	b := setup(t, browser.Config{Prepare: func(context.Context, *rod.Page) error {
		if fails.Load() {
			return broken
		}
		return nil
	}})
	b.acquire("anna").Release(true)
	fails.Store(true)
	if _, err := b.pool.Acquire(b.ctx, b.tenant("berta")); !errors.Is(err, broken) {
		t.Errorf("got %v, want what Prepare says", err)
	}
	fails.Store(false)
	b.acquire("berta").Release(true)
}

func TestPagesHaveTheSizeThatFlowsMostlyAskFor(t *testing.T) {
	t.Parallel()
	page := setup(t, browser.Config{}).acquire("anna")
	defer page.Release(true)
	size := page.Rod().MustEval("() => [innerWidth, innerHeight]").Arr()
	// Windows of the full Chromium have a bar, which takes its height from the page.
	bar := !strings.Contains(testenv.Chromium(t), "headless-shell")
	if width, height := size[0].Int(), size[1].Int(); width != 1280 || height != 900 && !bar {
		t.Errorf("a page is %d × %d", width, height)
	}
}
