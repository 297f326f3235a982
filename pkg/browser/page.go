package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Page is a lease of one page in an account's context. It is for one
// goroutine at a time, but for Context, Err and Release, which any may call.
type Page struct {
	pool    *Pool
	in      *isolated
	target  proto.TargetTargetID
	session string
	rod     *rod.Page
	life    context.Context
	end     context.CancelCauseFunc
	gone    chan struct{} // closed when the target is destroyed

	blanked bool        // nothing has been shown since the page was blank
	tidying *time.Timer // will blank it; nil if it is blank

	// guarded by the pool's mutex
	leased   bool   // from Acquire to Release
	site     string // Tenant.Site
	released bool
	popups   []proto.TargetTargetID
	awaiting bool // a navigation is under way, and the site has not answered yet
}

// Rod is the page for go-rod. It is bound to Context. To bound a step in time
// as well, derive from its context (rod.Page.Timeout does) or use Bind; with
// an unrelated context, a wait would not notice that Chromium has gone.
func (p *Page) Rod() *rod.Page { return p.rod }

// Context ends when the page is released and when it can no longer work:
// Chromium gone, renderer crashed, page hung or closed. Err tells which.
func (p *Page) Context() context.Context { return p.life }

// Err is nil while the page can work; then the cause: ErrGone, ErrCrashed,
// ErrHung, ErrPageClosed, ErrReleased or ErrClosed, maybe wrapped. Look at it
// after go-rod's waits, which return without an error when a context ends.
func (p *Page) Err() error { return context.Cause(p.life) }

// Bind returns the page for go-rod bound to both ctx and Context, whichever
// ends first, with that one's cause. Cancel must be called when it is no
// longer used.
func (p *Page) Bind(ctx context.Context) (page *rod.Page, cancel context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.life, func() { end(context.Cause(p.life)) })
	return p.rod.Context(ctx), func() {
		stop()
		end(context.Canceled)
	}
}

// Proven is when this account's context was last proven signed in to the
// lease's site, through this page or another; zero for never.
func (p *Page) Proven() time.Time {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.in.site != p.site {
		return time.Time{}
	}
	return p.in.proven
}

// SetProven notes when the account's context was proven signed in; zero when
// it turned out not to be. All pages of the context share it.
func (p *Page) SetProven(at time.Time) {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	p.noteSite()
	p.in.proven = at
}

// Remembered is what the account's last sign-in to the lease's site told to
// remember, as SetRemembered noted it; nil for nothing.
func (p *Page) Remembered() map[string]any {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.in.site != p.site {
		return nil
	}
	return p.in.remembered
}

// SetRemembered notes what a sign-in told to remember. All pages of the
// context share it; nobody may change it afterwards.
func (p *Page) SetRemembered(values map[string]any) {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	p.noteSite()
	p.in.remembered = values
}

// noteSite forgets what was noted for another site. The mutex is held.
func (p *Page) noteSite() {
	if p.in.site != p.site {
		p.in.site, p.in.proven, p.in.remembered = p.site, time.Time{}, nil
	}
}

// Turn waits until no other page of the account's context has the turn, and
// takes it until done is called: for what two pages must not do at a time, such
// as signing in. It fails when ctx ends, or Context.
func (p *Page) Turn(ctx context.Context) (done func(), err error) {
	select {
	case p.in.turn <- struct{}{}:
		return sync.OnceFunc(func() { <-p.in.turn }), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("browser: wait for the turn: %w", context.Cause(ctx))
	case <-p.life.Done():
		return nil, fmt.Errorf("browser: wait for the turn: %w", p.Err())
	}
}

// CloseIdleConnections sees to it that what the account's context asks of a
// site from now on goes over a new connection, or one that this call found at
// work. Chromium sends a request again, of whatever method, when the site ends
// a connection that it reused without an answer; on a new one it does not.
// WebSockets are left alone. It does nothing where http_proxy or https_proxy
// is set.
func (p *Page) CloseIdleConnections() {
	p.pool.mu.Lock()
	relay := p.in.relay
	p.pool.mu.Unlock()
	if relay != nil {
		relay.closeIdle()
	}
}

// Popups returns the windows that the page, or one of these windows, has
// opened and that are still open, oldest first. They are bound to Context and
// are closed with the lease.
func (p *Page) Popups() ([]*rod.Page, error) {
	var pages []*rod.Page
	for _, target := range p.windows() {
		popup, err := p.rod.Browser().PageFromTarget(target)
		if err != nil {
			return nil, fmt.Errorf("browser: attach to a popup: %w", err)
		}
		pages = append(pages, popup)
	}
	return pages, nil
}

// call sends a command past go-rod, which would keep its parameters, and
// decodes the result into res unless that is nil.
func call(ctx context.Context, c *conn, session string, req proto.Request, res any) error {
	result, err := c.Call(ctx, session, req.ProtoReq(), req)
	if err != nil {
		return fmt.Errorf("browser: %s: %w", req.ProtoReq(), err)
	}
	if res == nil {
		return nil
	}
	if err := json.Unmarshal(result, res); err != nil {
		return fmt.Errorf("browser: %s: decode its result: %w", req.ProtoReq(), err)
	}
	return nil
}

// Release gives the page back; further calls do nothing. A healthy page is
// cleaned and kept warm for its account: windows it opened are closed, all
// that was set through go-rod is undone, and within a second it is blank
// again. An unhealthy one is closed, and if it hangs or has crashed, its whole
// context is replaced. Release does not wait for that.
func (p *Page) Release(healthy bool) {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.released {
		return
	}
	p.released = true
	alive := p.life.Err() == nil
	p.in.renewing++
	p.end(ErrReleased)
	p.pool.spawn(func() { p.pool.putBack(p, healthy && alive) })
}
