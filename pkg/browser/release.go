package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/sync/errgroup"
)

const (
	// closeTimeout is how long a page may take to close before it counts as hung.
	closeTimeout = 2 * time.Second
	// renewTimeout bounds the cleaning of a page; one that takes longer hangs.
	renewTimeout = 5 * time.Second
	// lingerTime is how long a released page may go on showing its document.
	lingerTime = time.Second
)

// putBack cleans or closes a page whose lease has ended.
func (p *Pool) putBack(page *Page, keep bool) {
	ctx, cancel := context.WithTimeout(page.in.on.conn.ctx, pageTimeout)
	defer cancel()
	p.closePopups(ctx, page)
	var next *Page
	if keep && p.wanted(page.in) {
		var err error
		if next, err = page.renew(ctx); err != nil {
			p.log.Warn("a page could not be cleaned", "error", err)
		}
	}
	p.settle(page, next, next != nil || p.closePage(ctx, page))
}

// tidy blanks a page that has been idle for a while.
func (p *Pool) tidy(page *Page) {
	in := page.in
	p.mu.Lock()
	at := slices.Index(in.idle, page)
	if at < 0 || p.finished { // leased again, or gone
		p.mu.Unlock()
		return
	}
	in.idle = slices.Delete(in.idle, at, at+1)
	in.renewing++
	in.leases++
	in.on.leases++
	p.mu.Unlock()

	ctx, cancel := context.WithTimeout(in.on.conn.ctx, pageTimeout)
	defer cancel()
	if err := page.blank(ctx); err != nil {
		page.end(ErrPageClosed)
		p.settle(page, nil, p.closePage(ctx, page))
		return
	}
	p.settle(page, page, true)
}

// settle ends the cleaning of a page: next, if any, is kept warm in its
// place; if it could not even be closed, its context goes.
func (p *Pool) settle(page, next *Page, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := page.in
	if !closed {
		p.condemn(in)
	}
	in.renewing--
	if next != nil && next.life.Err() == nil {
		in.idle = append(in.idle, next)
		if !next.blanked {
			next.tidying = time.AfterFunc(lingerTime, func() { p.spawnLocked(func() { p.tidy(next) }) })
		}
	} else {
		in.pages--
	}
	p.endLease(in)
}

// spawnLocked is spawn for those who do not hold the mutex.
func (p *Pool) spawnLocked(work func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spawn(work)
}

// wanted tells whether a page of the context is worth keeping.
func (p *Pool) wanted(in *isolated) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && !in.condemned
}

// renew gives the page's target a fresh session. The document may stay for a
// while, since the next lease often follows at once and leaves it anyway; but
// not one that a user has acted on, since it might ask whether it may be left.
func (p *Page) renew(ctx context.Context) (*Page, error) {
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	var acted bool
	var old errgroup.Group
	old.Go(func() (err error) {
		if acted, err = p.actedOn(ctx); err != nil {
			return err
		}
		// Detaching alone ends it too, but without an answer to wait for.
		if err := call(ctx, p.in.on.conn, p.session, proto.EmulationClearDeviceMetricsOverride{}, nil); err != nil {
			return err
		}
		detach := proto.TargetDetachFromTarget{SessionID: proto.TargetSessionID(p.session)}
		return call(ctx, p.in.on.conn, "", detach, nil)
	})
	next, err := p.in.attach(ctx, p.target, p.gone)
	if err := errors.Join(err, old.Wait()); err != nil {
		if next != nil {
			next.end(ErrPageClosed)
		}
		return nil, err
	}
	if acted {
		if err := next.blank(ctx); err != nil {
			next.end(ErrPageClosed)
			return nil, err
		}
	}
	if err := next.prepare(ctx); err != nil {
		return nil, err
	}
	return next, nil
}

// actedOn tells whether the document has had a click or a key; that it
// answers shows that it does not hang.
func (p *Page) actedOn(ctx context.Context) (bool, error) {
	var result proto.RuntimeEvaluateResult
	req := proto.RuntimeEvaluate{Expression: "navigator.userActivation.hasBeenActive", ReturnByValue: true}
	if err := call(ctx, p.in.on.conn, p.session, req, &result); err != nil {
		return false, err
	}
	return result.Result == nil || result.Result.Value.Val() != false, nil
}

// blank leaves whatever document the page shows, and its history.
func (p *Page) blank(ctx context.Context) error {
	page, cancel := p.document(ctx)
	defer cancel()
	if err := page.navigate("about:blank"); err != nil {
		return err
	}
	for {
		err := page.call(proto.PageResetNavigationHistory{}, nil)
		if !errors.Is(err, cdp.ErrNotAttachedToActivePage) {
			p.blanked = err == nil
			return err
		}
		select { // the new document's process takes over in a moment
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// closePopups closes the windows that the page has opened.
func (p *Pool) closePopups(ctx context.Context, page *Page) {
	p.mu.Lock()
	popups := page.popups
	page.popups = nil
	p.mu.Unlock()
	for _, target := range popups {
		p.closeTarget(ctx, page.in.on, target)
	}
}

// closeTarget asks for a target's end. An error means that it has gone, or
// that Chromium has.
func (p *Pool) closeTarget(ctx context.Context, c *chromium, target proto.TargetTargetID) {
	_ = call(ctx, c.conn, "", proto.TargetCloseTarget{TargetID: target}, nil)
}

// closePage tells whether the page could be closed.
func (p *Pool) closePage(ctx context.Context, page *Page) bool {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	p.closeTarget(ctx, page.in.on, page.target)
	select {
	case <-page.gone:
		return true
	case <-ctx.Done():
		return false
	}
}
