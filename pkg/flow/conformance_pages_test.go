package flow_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/browser"
)

// fixturePages are the pages that the fixtures are played on, one after another
// on each. A context for every fixture would be a process of Chromium for every
// one, which takes longer to start than most take to be played.
type fixturePages struct {
	pool     *browser.Pool
	accounts chan string // that no fixture has now
}

func newFixturePages(t *testing.T, ctx context.Context) *fixturePages {
	t.Helper()
	n := runtime.GOMAXPROCS(0)
	pages := &fixturePages{pool: newPool(t, ctx), accounts: make(chan string, n)}
	for i := range n {
		pages.accounts <- fmt.Sprint("fixtures ", i)
	}
	return pages
}

// lease gives a fixture a page for itself until it ends, in a context that
// keeps nothing of the fixture.
func (p *fixturePages) lease(ctx context.Context, t *testing.T, server *fixtureServer) *browser.Page {
	t.Helper()
	account := <-p.accounts
	t.Cleanup(func() { p.accounts <- account })
	page, err := p.pool.Acquire(ctx, browser.Tenant{
		Account: account, Origins: []string{server.base, server.other, server.elsewhere}, // to show that the player keeps it out
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Release(server.forget(page)) })
	return page
}

// forget removes from the page's context what the application has kept there.
func (s *fixtureServer) forget(page *browser.Page) bool {
	kept := page.Rod().Context(context.Background())
	if err := (proto.NetworkClearBrowserCookies{}).Call(kept); err != nil {
		return false // the page is gone, and its context with it
	}
	for _, origin := range []string{s.base, s.other, s.elsewhere} {
		if err := (proto.StorageClearDataForOrigin{Origin: origin, StorageTypes: "all"}).Call(kept); err != nil {
			return false
		}
	}
	return true
}
