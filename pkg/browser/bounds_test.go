package browser_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
)

func assertKind(t *testing.T, err error, kind contracts.Kind) {
	t.Helper()
	var got *contracts.Error
	if !errors.As(err, &got) || got.Kind != kind {
		t.Errorf("got %v, want an error of kind %s", err, kind)
	}
}

func TestTheLeastRecentlyUsedContextMakesRoom(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 2})
	for _, account := range []string{"anna", "bert", "anna"} {
		page := b.acquire(account)
		b.visit(page, "/sign-in?who="+account)
		page.Release(true)
	}
	b.acquire("carl").Release(true)
	restored := map[string]bool{}
	for _, account := range []string{"anna", "bert"} {
		page, err := b.pool.Acquire(b.ctx, browser.Tenant{Account: account, Restore: func(context.Context) (*browser.State, error) {
			restored[account] = true
			return nil, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		page.Release(true)
	}
	if restored["anna"] || !restored["bert"] {
		t.Errorf("made anew: %v", restored)
	}
}

func TestAcquireAnswersBusyAtItsBounds(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 1, MaxPages: 1, MaxWait: 50 * time.Millisecond, MaxWaiting: 1})
	held := b.acquire("anna")
	for _, account := range []string{"anna", "bert"} {
		_, err := b.pool.Acquire(b.ctx, b.tenant(account))
		assertKind(t, err, contracts.Busy)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	_, err := b.pool.Acquire(ctx, b.tenant("anna"))
	assertKind(t, err, contracts.Busy)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is lost: %v", err)
	}
	held.Release(true)
}

func TestALineThatIsFullAnswersBusyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 1, MaxPages: 1, MaxWait: patience, MaxWaiting: 1})
	held := b.acquire("anna")
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			page, err := b.pool.Acquire(b.ctx, b.tenant("anna"))
			if err == nil {
				page.Release(true)
			}
			errs <- err
		}()
	}
	assertKind(t, <-errs, contracts.Busy)
	held.Release(true)
	if err := <-errs; err != nil {
		t.Errorf("the one in line got %v", err)
	}
}

func TestManyCallersOfManyAccountsAllGetTheirTurn(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 2, MaxPages: 2, MaxWait: time.Minute, RecycleAfter: 15})
	var callers sync.WaitGroup
	for n := range 8 {
		account := string(rune('a' + n%4))
		callers.Go(func() {
			for range 4 {
				page, err := b.pool.Acquire(b.ctx, b.tenant(account))
				if err != nil {
					t.Error(err)
					return
				}
				if err := page.Rod().Timeout(patience).Navigate(b.site.URL + "/blank.html"); err != nil {
					t.Error(err)
				}
				page.Release(true)
			}
		})
	}
	callers.Wait()
}

func TestARestoreThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{MaxContexts: 1})
	broken := errors.New("the vault is sealed")
	_, err := b.pool.Acquire(b.ctx, browser.Tenant{Account: "anna", Restore: func(context.Context) (*browser.State, error) { return nil, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	b.acquire("anna").Release(true)
}

func TestAWornProcessIsReplacedWhileItsLeasesGoOn(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{RecycleAfter: 2, MaxPages: 1})
	before := processes(t, b.dir)
	held := b.acquire("anna")
	b.acquire("bert").Release(true)
	eventually(t, "a second process", func() bool {
		page := b.acquire("carl")
		defer page.Release(true)
		return page.Rod().Browser().GetContext() != nil && len(processes(t, b.dir)) > len(before)
	})
	b.visit(held, "/blank.html")
	held.Release(true)
	eventually(t, "the first process's end", func() bool {
		now := map[int]bool{}
		for _, pid := range processes(t, b.dir) {
			now[pid] = true
		}
		return !now[before[0]]
	})
}

func TestCloseEndsLeasesThatStayOut(t *testing.T) {
	t.Parallel()
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	ctx, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	if err := b.pool.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close: %v", err)
	}
	if err := ended(t, page); !errors.Is(err, browser.ErrClosed) {
		t.Errorf("the page ended with %v", err)
	}
	page.Release(true)
	_, err := b.pool.Acquire(b.ctx, b.tenant("anna"))
	assertKind(t, err, contracts.Unavailable)
}
