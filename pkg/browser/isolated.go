package browser

import (
	"container/list"
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// pageTimeout bounds each piece of work on a page of the pool's own: making
// one, restoring an account's state, cleaning up after a lease.
const pageTimeout = 15 * time.Second

// isolated is one isolated browser context: an account's, or a blank one in
// reserve. All but its first fields are guarded by the pool's mutex.
type isolated struct {
	on    *chromium
	id    proto.BrowserBrowserContextID
	relay *relay // its way to the network; nil behind another proxy

	account    string
	ready      bool            // the account's state is restored
	condemned  bool            // gets no more leases; disposed of with the last one's end
	idle       []*Page         // kept warm
	pages      int             // all of its pages, and those being made
	leases     int             // pages that are leased, being made or being cleaned
	renewing   int             // pages that are being cleaned
	recency    *list.Element   // its place among the accounts' contexts
	session    []OriginStorage // session storage that each new page starts with
	generation int64           // State.Generation of what it was made from
	site       string          // Tenant.Site of whoever noted the next two
	proven     time.Time
	remembered map[string]any // by the last sign-in; see SetRemembered

	turn chan struct{} // holds one element while a page has its turn; see Page.Turn
}

// newIsolated makes a context with one blank page. On an error nothing of it
// is left.
func (c *chromium) newIsolated(ctx context.Context) (*isolated, *Page, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	in := &isolated{on: c}
	options := proto.TargetCreateBrowserContext{DisposeOnDetach: true}
	if !proxied() {
		var err error
		if in.relay, err = startRelay(c.conn.ctx, c.pool.cfg.Resolver); err != nil {
			return nil, nil, err
		}
		c.pool.spawnLocked(in.relay.serve)
		options.ProxyServer = in.relay.address()
		options.ProxyBypassList = "<-loopback>" // nothing goes past it, not even to this machine
	}
	made, err := options.Call(c.rod.Context(ctx))
	if err != nil {
		in.relay.close()
		return nil, nil, fmt.Errorf("browser: make a context: %w", err)
	}
	in.id = made.BrowserContextID
	err = proto.BrowserSetDownloadBehavior{
		Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: in.id,
	}.Call(c.rod.Context(ctx))
	var page *Page
	if err == nil {
		page, err = in.newPage(ctx)
	}
	if err != nil {
		c.dispose(in)
		return nil, nil, fmt.Errorf("browser: make a context: %w", err)
	}
	return in, page, nil
}

// dispose ends a context with its pages, also those that hang. A Chromium
// that does not manage that is of no more use.
func (c *chromium) dispose(in *isolated) {
	ctx, cancel := context.WithTimeout(c.conn.ctx, pageTimeout)
	defer cancel()
	defer in.relay.close()
	err := proto.TargetDisposeBrowserContext{BrowserContextID: in.id}.Call(c.rod.Context(ctx))
	if ctx.Err() != nil && c.conn.ctx.Err() == nil {
		c.conn.fail(fmt.Errorf("%w: it did not dispose of a context: %w", ErrGone, err))
	}
}

// newPage opens a page in the context.
func (in *isolated) newPage(ctx context.Context) (*Page, error) {
	made, err := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: in.id}.Call(in.on.rod.Context(ctx))
	if err != nil {
		return nil, fmt.Errorf("browser: open a page: %w", err)
	}
	page, err := in.attach(ctx, made.TargetID, make(chan struct{}))
	if err != nil {
		return nil, err
	}
	return page, page.prepare(ctx)
}

// attach makes a Page of a target: a DevTools session of its own, so that
// nothing that an earlier lease has set is in force, on a context of its own.
// Gone is closed when the target is destroyed.
func (in *isolated) attach(ctx context.Context, target proto.TargetTargetID, gone chan struct{}) (*Page, error) {
	life, end := context.WithCancelCause(in.on.conn.ctx)
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	browser := in.on.rod.Context(life)
	browser.BrowserContextID = in.id
	browser.RemoveState(target) // go-rod's page of an earlier lease
	rod, err := browser.PageFromTarget(target)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		end(ErrPageClosed)
		return nil, fmt.Errorf("browser: attach to a page: %w", err)
	}
	page := &Page{
		pool: in.on.pool, in: in, target: target, session: string(rod.SessionID), rod: rod,
		life: life, end: end, gone: gone,
	}
	in.on.pool.register(page)
	return page, nil
}

// prepare makes the page ready for its next lease. A page that it fails for
// has ended.
func (p *Page) prepare(ctx context.Context) error {
	if p.pool.cfg.Prepare == nil {
		return nil
	}
	rod, cancel := p.Bind(ctx)
	defer cancel()
	if err := p.pool.cfg.Prepare(rod.GetContext(), rod); err != nil {
		p.end(ErrPageClosed)
		return fmt.Errorf("browser: prepare a page: %w", err)
	}
	return nil
}
