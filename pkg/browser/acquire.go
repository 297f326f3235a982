package browser

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// retryAfter is what a caller is told who found no room.
const retryAfter = 2 * time.Second

var errNoRoom = errors.New("browser: no page became free in time")

// grant is what an Acquire may do next; the zero value is to wait.
type grant struct {
	page *Page     // take this warm page
	in   *isolated // its context; without a warm page, open one in it
	new  bool      // the context is new, and has to be made first
}

// Tenant is for whom a page is leased.
type Tenant struct {
	Account string
	// Origins are those of the site that the account is at. Pages reach a
	// private address only as the host of one of them, on its port; a link-local
	// one (and the like, at which clouds tell secrets) only if the origin names
	// the address itself. That does not hold behind another proxy, where
	// http_proxy or https_proxy is set.
	Origins []string
	// Site names the site in the version that the page is leased for. What was
	// proven and remembered (see Page.SetProven) for another one does not count.
	Site string
	// Generation is the oldest generation of the account's state that the lease
	// can use: a warm context of an older one is dropped.
	Generation int64
	// Restore returns the state of an account for a fresh context, nil for an
	// account without one. It may be nil.
	Restore func(context.Context) (*State, error)
}

// Acquire leases a page of the account's context. The first time, and again
// when the context has gone, a fresh one is made and the account's state is
// restored into it.
// When all is in use Acquire waits, and answers with an error of kind Busy
// when ctx ends, when it took longer than Config.MaxWait, or at once when too
// many wait already. Ctx bounds Acquire only, not the lease. When Chromium
// goes in the middle, it is tried once more, and Restore called again.
func (p *Pool) Acquire(ctx context.Context, tenant Tenant) (*Page, error) {
	page, err := p.acquire(ctx, tenant)
	if errors.Is(err, ErrGone) {
		return p.acquire(ctx, tenant)
	}
	return page, err
}

func (p *Pool) acquire(ctx context.Context, tenant Tenant) (*Page, error) {
	granted, err := p.await(ctx, tenant)
	if err != nil {
		return nil, err
	}
	page := granted.page
	err = errors.New("browser: panic") // unless it is set below
	defer func() {
		if err != nil {
			p.giveUp(granted.in)
		}
	}()
	switch {
	case granted.new:
		page, err = p.openContext(ctx, granted.in, tenant.Restore)
	case page == nil:
		page, err = p.addPage(ctx, granted.in)
	default:
		err = nil
	}
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if relay := granted.in.relay; relay != nil {
		// Other leases may be of another version of the site.
		relay.guard.admit(tenant.Origins, granted.in.leases > 1)
	}
	page.leased, page.site = true, tenant.Site
	p.spawn(func() { p.watch(page) })
	return page, nil
}

// giveUp ends a lease that did not come about. Whatever went wrong goes with
// the context.
func (p *Pool) giveUp(in *isolated) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in.pages--
	p.condemn(in)
	p.endLease(in)
}

// await waits for a grant.
func (p *Pool) await(ctx context.Context, tenant Tenant) (grant, error) {
	if err := ctx.Err(); err != nil {
		return grant{}, busy(context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.cfg.MaxWait, errNoRoom)
	defer cancel()
	inLine := false
	for {
		p.mu.Lock()
		granted, err := p.grant(tenant)
		wait := err == nil && granted == grant{}
		if wait && !inLine && p.waiting >= p.cfg.MaxWaiting {
			wait, err = false, busy(errNoRoom)
		}
		p.waiting += count(wait) - count(inLine)
		inLine = wait
		changed, trouble, started := p.changed, p.trouble, p.current != nil
		p.mu.Unlock()
		if !wait {
			return granted, err
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		p.mu.Lock()
		p.waiting--
		p.mu.Unlock()
		if !started && trouble != nil {
			return grant{}, unavailable("the browser cannot be started", trouble)
		}
		return grant{}, busy(context.Cause(ctx))
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// grant decides what a tenant's next lease may do. The mutex is held.
func (p *Pool) grant(tenant Tenant) (grant, error) {
	if p.closed {
		return grant{}, unavailable("the service is shutting down", ErrClosed)
	}
	in := p.accounts[tenant.Account]
	if in != nil && (in.on.hasEnded() || in.ready && in.generation < tenant.Generation) {
		p.condemn(in)
		in = nil
	}
	switch {
	case in == nil:
		return p.grantNew(tenant.Account), nil
	case !in.ready: // another lease restores its state
		return grant{}, nil
	case len(in.idle) > 0:
		page := in.idle[len(in.idle)-1]
		in.idle = in.idle[:len(in.idle)-1]
		if page.tidying != nil {
			page.tidying.Stop()
		}
		p.beginLease(in)
		return grant{page: page, in: in}, nil
	case in.renewing > 0: // sooner ready than a new one
		return grant{}, nil
	case in.pages < p.cfg.MaxPages:
		in.pages++
		p.beginLease(in)
		return grant{in: in}, nil
	}
	return grant{}, nil
}

// grantNew makes room for an account that has no context. The mutex is held.
func (p *Pool) grantNew(account string) grant {
	if p.current == nil || p.current.hasEnded() {
		return grant{}
	}
	if p.open >= p.cfg.MaxContexts {
		oldest := p.leastRecent()
		if oldest == nil {
			return grant{}
		}
		p.condemn(oldest)
	}
	in := &isolated{on: p.current, account: account, pages: 1, turn: make(chan struct{}, 1)}
	in.recency = p.recency.PushFront(in)
	p.accounts[account] = in
	p.open++
	p.beginLease(in)
	return grant{in: in, new: true}
}

// leastRecent is the context to give up for another account's: of those
// without a lease, the one not used for longest. The mutex is held.
func (p *Pool) leastRecent() *isolated {
	for e := p.recency.Back(); e != nil; e = e.Prev() {
		if in, is := e.Value.(*isolated); is && in.leases == 0 {
			return in
		}
	}
	return nil
}

// openContext gives an account its context, from the reserve if it can, and
// restores its state.
func (p *Pool) openContext(ctx context.Context, in *isolated, restore func(context.Context) (*State, error)) (*Page, error) {
	var state *State
	var err error
	if restore != nil {
		if state, err = restore(ctx); err != nil {
			return nil, fmt.Errorf("browser: get the account's state: %w", err)
		}
	}
	page, err := p.blankPage(ctx, in)
	if err != nil {
		return nil, err
	}
	if state != nil {
		if err := page.restore(ctx, state); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if state != nil {
		in.session, in.generation = state.sessionStorage(), state.Generation
	}
	in.ready = true
	p.broadcast()
	return page, nil
}

// blankPage fills in from a blank context, of the reserve or made now, and
// returns its page.
func (p *Pool) blankPage(ctx context.Context, in *isolated) (*Page, error) {
	blank := p.takeReserve(in.on)
	if blank == nil {
		made, page, err := in.on.newIsolated(ctx)
		if err != nil {
			return nil, err
		}
		blank = made
		blank.idle = []*Page{page}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	in.id, in.relay = blank.id, blank.relay
	page := blank.idle[0]
	page.in = in
	return page, nil
}

// takeReserve takes a blank context out of the reserve and has another made.
func (p *Pool) takeReserve(c *chromium) *isolated {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.refill(c)
	for len(c.reserve) > 0 {
		blank := c.reserve[0]
		c.reserve = c.reserve[1:]
		if len(blank.idle) > 0 {
			return blank
		}
		p.spawn(func() { c.dispose(blank) }) // its page was lost
	}
	return nil
}

// addPage opens a further page in an account's context.
func (p *Pool) addPage(ctx context.Context, in *isolated) (*Page, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	page, err := in.newPage(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	session := in.session
	p.mu.Unlock()
	if err := page.restoreStorage(ctx, session); err != nil {
		return nil, err
	}
	return page, nil
}
