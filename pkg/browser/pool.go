package browser

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts"
)

// Pool leases pages of accounts' contexts in one Chromium. It is safe for use
// by many goroutines.
type Pool struct {
	cfg     Config
	log     *slog.Logger
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	workers sync.WaitGroup // all goroutines of the pool; started with spawn

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever a waiter should look again
	closed   bool          // no new leases
	finished bool          // no new goroutines
	waiting  int           // Acquires in line
	current  *chromium     // serves new leases; nil while none runs
	running  map[*chromium]struct{}
	accounts map[string]*isolated
	recency  *list.List                     // of the contexts in accounts, the last used first
	open     int                            // accounts' contexts that are not disposed of
	targets  map[proto.TargetTargetID]*Page // pages, and popups by their page
	trouble  error                          // why the last start failed; nil once one succeeds
}

// Open starts Chromium and returns its pool. It fails if Chromium does not
// start; later, it is started again for as long as it takes.
func Open(ctx context.Context, cfg Config) (*Pool, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Pool{
		cfg: cfg, log: cfg.Log, changed: make(chan struct{}), running: map[*chromium]struct{}{},
		accounts: map[string]*isolated{}, recency: list.New(), targets: map[proto.TargetTargetID]*Page{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	first, err := p.startChromium(ctx)
	if err != nil {
		p.cancel()
		return nil, err
	}
	p.install(first)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spawn(p.supervise)
	return p, nil
}

// Close refuses new leases, waits until ctx ends for those that are out, then
// ends Chromium. Leases that are still out end with ErrClosed, and Close says
// how many. When it returns, nothing of the pool is left.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.broadcast()
	p.mu.Unlock()
	left := p.awaitLeases(ctx)
	p.cancel()
	p.mu.Lock()
	p.finished = true
	for c := range p.running {
		c.conn.fail(ErrClosed)
	}
	p.mu.Unlock()
	p.workers.Wait()
	if left > 0 {
		return fmt.Errorf("browser: closed with %d pages leased: %w", left, context.Cause(ctx))
	}
	return nil
}

// awaitLeases returns how many leases are out when ctx ends, or zero.
func (p *Pool) awaitLeases(ctx context.Context) int {
	for {
		p.mu.Lock()
		leases, changed := 0, p.changed
		for c := range p.running {
			leases += c.leases
		}
		p.mu.Unlock()
		if leases == 0 {
			return 0
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return leases
		}
	}
}

// Forget drops an account's warm context, as when it is unlinked or its
// sign-in has gone bad. Leases of it go on; the next one gets a fresh context.
func (p *Pool) Forget(account string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if in := p.accounts[account]; in != nil {
		p.condemn(in)
	}
}

// Trouble is why there is no Chromium to lease pages of: why its last start
// failed. It is nil while one runs, or has not failed to start.
func (p *Pool) Trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		return nil
	}
	return p.trouble
}

// spawn starts a goroutine that Close waits for. The mutex is held.
func (p *Pool) spawn(work func()) {
	if !p.finished {
		p.workers.Go(work)
	}
}

// broadcast wakes all that wait for a change. The mutex is held.
func (p *Pool) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// register makes a page known to the watch over Chromium's events.
func (p *Pool) register(page *Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.targets[page.target] = page
}

// condemn takes an account's context out of use. It is disposed of when its
// last lease ends. The mutex is held.
func (p *Pool) condemn(in *isolated) {
	if in.condemned {
		return
	}
	in.condemned = true
	if p.accounts[in.account] == in {
		delete(p.accounts, in.account)
	}
	if in.recency != nil {
		p.recency.Remove(in.recency)
	}
	p.disposeUnused(in)
	p.broadcast()
}

// disposeUnused ends a condemned context that has no lease. The mutex is held.
func (p *Pool) disposeUnused(in *isolated) {
	if !in.condemned || in.leases > 0 {
		return
	}
	p.open--
	for _, page := range in.idle {
		page.end(ErrPageClosed)
	}
	in.idle = nil
	for target, page := range p.targets {
		if page.in == in {
			delete(p.targets, target)
		}
	}
	if in.id != "" && in.on.conn.ctx.Err() == nil {
		p.spawn(func() { in.on.dispose(in) })
	}
}

// beginLease counts a lease that is about to begin. The mutex is held.
func (p *Pool) beginLease(in *isolated) {
	in.leases++
	in.on.leases++
	in.on.served++
	p.recency.MoveToFront(in.recency)
	if in.on.served == p.cfg.RecycleAfter {
		p.broadcast() // wakes the supervisor
	}
}

// endLease counts a lease that has ended. The mutex is held.
func (p *Pool) endLease(in *isolated) {
	in.leases--
	in.on.leases--
	p.disposeUnused(in)
	p.broadcast()
}

// busy is what a caller gets that found no room.
func busy(cause error) error {
	return &contracts.Error{
		Kind: contracts.Busy, Message: "all browser pages are in use",
		RetryAfter: retryAfter, Err: cause,
	}
}

// unavailable is what a caller gets when there is no browser to lease from.
func unavailable(message string, cause error) error {
	return &contracts.Error{Kind: contracts.Unavailable, Message: message, RetryAfter: retryAfter, Err: cause}
}
