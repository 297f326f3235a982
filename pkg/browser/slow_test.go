package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"integration.gateway/pkg/browser"
)

// TestAPageThatWaitsForASlowSiteDoesNotHang: such a page answers nothing
// until its next document comes.
func TestAPageThatWaitsForASlowSiteDoesNotHang(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{Heartbeat: 20 * time.Millisecond, HangAfter: 2 * time.Second})
	answer, release := context.WithCancel(context.Background())
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-answer.Done():
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(release)
	b.origins = []string{slow.URL}
	page := b.acquire("anna")
	defer page.Release(true)
	shown := b.visit(page, "/blank.html")
	if _, err := shown.Eval("url => { setTimeout(() => { location = url }) }", slow.URL); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(6*time.Second, release)
	select {
	case <-page.Context().Done():
		t.Errorf("the page ended with %v", page.Err())
	case <-answer.Done():
	}
}
