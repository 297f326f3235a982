package browser_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// soon is how long a lease may take to notice that it is lost, on a machine
// that does ten other things.
const soon = 10 * time.Second

func TestAKilledChromiumEndsEveryWaitAndIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	shown := b.visit(page, "/blank.html")
	waited, evaluated := make(chan struct{}), make(chan error, 1)
	wait := shown.EachEvent(func(*proto.PageFrameNavigated) bool { return true })
	go func() { defer close(waited); wait() }()
	go func() {
		_, err := shown.Eval("() => new Promise(() => {})")
		evaluated <- err
	}()

	began := time.Now()
	for _, pid := range processes(t, b.dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-waited
	if err := <-evaluated; err == nil {
		t.Error("the evaluation ended without an error")
	}
	if err := ended(t, page); !errors.Is(err, browser.ErrGone) {
		t.Errorf("the page ended with %v", err)
	}
	if took := time.Since(began); took > soon {
		t.Errorf("that took %v", took)
	}
	page.Release(true)
	next := b.acquire("anna")
	b.visit(next, "/blank.html")
	next.Release(true)
}

func TestACrashedRendererEndsThePageAndReplacesItsContext(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page, bystander := b.acquire("anna"), b.acquire("bert")
	defer bystander.Release(true)
	shown := b.visit(page, "/blank.html")
	evaluated := make(chan error, 1)
	go func() {
		// An unrelated context: the call ends nevertheless.
		_, err := shown.Context(context.Background()).Eval("() => new Promise(() => {})")
		evaluated <- err
	}()
	go func() { _ = proto.PageCrash{}.Call(shown) }()
	if err := ended(t, page); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("the page ended with %v", err)
	}
	if err := <-evaluated; err == nil {
		t.Error("the evaluation ended without an error")
	}
	page.Release(true)
	next := b.acquire("anna")
	defer next.Release(true)
	b.visit(next, "/blank.html")
	b.visit(bystander, "/blank.html")
}

func TestAHungPageEndsAndIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{Heartbeat: 50 * time.Millisecond, HangAfter: 2 * time.Second})
	page := b.acquire("anna")
	shown := b.visit(page, "/blank.html")
	if _, err := shown.Eval("() => { while (true); }"); !errors.Is(err, browser.ErrHung) {
		t.Errorf("the evaluation ended with %v", err)
	}
	page.Release(false)
	next := b.acquire("anna")
	defer next.Release(true)
	b.visit(next, "/blank.html")
}

func TestAPageThatHangsIsFreedByReleaseAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 1, MaxPages: 1})
	page := b.acquire("anna")
	shown := b.visit(page, "/blank.html").Timeout(300 * time.Millisecond)
	if _, err := shown.Eval("() => { while (true); }"); err == nil {
		t.Fatal("the loop ended")
	}
	page.Release(true) // the caller has not noticed
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		next, err := b.pool.Acquire(ctx, b.tenant("anna"))
		if err == nil {
			b.visit(next, "/blank.html")
			next.Release(true)
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestAChromiumThatStandsStillIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{Heartbeat: 50 * time.Millisecond, HangAfter: 2 * time.Second})
	page := b.acquire("anna")
	for _, pid := range processes(t, b.dir) {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	if err := ended(t, page); !errors.Is(err, browser.ErrGone) && !errors.Is(err, browser.ErrHung) {
		t.Errorf("the page ended with %v", err)
	}
	page.Release(false)
	// A lease from before Chromium is given up ends too; the next works.
	eventually(t, "a page that works", func() bool {
		next, err := b.pool.Acquire(b.ctx, b.tenant("anna"))
		if err != nil {
			return false
		}
		err = next.Rod().Timeout(patience).Navigate(b.site.URL + "/blank.html")
		if err != nil && !errors.Is(err, browser.ErrGone) && !errors.Is(err, browser.ErrHung) {
			t.Errorf("a lease ended with %v", err)
		}
		next.Release(err == nil)
		return err == nil
	})
}

func TestAChromiumThatDoesNotStartAgainIsSaidAndTriedOn(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	broken := filepath.Join(dir, "broken")
	path := script(t, "[ -e "+broken+" ] && exit 1; exec "+testenv.Chromium(t)+` "$@"`)
	pool, err := browser.Open(t.Context(), browser.Config{Path: path, Dir: dir, MaxWait: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pool.Close(t.Context()); err != nil {
			t.Error(err)
		}
		assertNothingLeft(t, dir)
	}()
	if err := os.WriteFile(broken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, pid := range processes(t, dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	eventually(t, "an error that says so", func() bool {
		page, err := pool.Acquire(t.Context(), browser.Tenant{Account: "anna"})
		if err == nil {
			page.Release(true)
			return false
		}
		var e *contracts.Error
		return errors.As(err, &e) && e.Kind == contracts.Unavailable
	})
	if pool.Trouble() == nil {
		t.Error("it is in no trouble")
	}
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a page", func() bool {
		page, err := pool.Acquire(t.Context(), browser.Tenant{Account: "anna"})
		if err != nil {
			return false
		}
		page.Release(true)
		return true
	})
	if err := pool.Trouble(); err != nil {
		t.Errorf("it is still in trouble: %v", err)
	}
}

func TestAPageThatClosesItselfEnds(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	// The page may end before the answer to what ends it has come.
	if _, err := (proto.TargetCloseTarget{TargetID: page.Rod().TargetID}).Call(page.Rod().Browser()); err != nil && !errors.Is(err, browser.ErrPageClosed) {
		t.Error(err)
	}
	if err := ended(t, page); !errors.Is(err, browser.ErrPageClosed) {
		t.Errorf("the page ended with %v", err)
	}
	page.Release(true)
	next := b.acquire("anna")
	defer next.Release(true)
	b.visit(next, "/blank.html")
}

func TestBindEndsWithWhicheverEndsFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	ctx, cancel := context.WithCancel(b.ctx)
	bound, done := page.Bind(ctx)
	defer done()
	cancel()
	if err := bound.Navigate("about:blank"); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context's end: %v", err)
	}
	bound, done = page.Bind(b.ctx)
	defer done()
	page.Release(true)
	if err := bound.Navigate("about:blank"); !errors.Is(err, browser.ErrReleased) {
		t.Errorf("after the lease's end: %v", err)
	}
}
