package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// closeTimeout is how long a page may take to close before it counts as hung.
const closeTimeout = 2 * time.Second

// putBack cleans or closes a page whose lease has ended, then settles its
// context's accounts.
func (p *Pool) putBack(page *Page, keep bool) {
	in := page.in
	ctx, cancel := context.WithTimeout(in.on.conn.ctx, pageTimeout)
	defer cancel()
	p.closePopups(ctx, page)
	var next *Page
	if keep && p.wanted(in) {
		var err error
		if next, err = p.renew(ctx, page); err != nil {
			p.log.Warn("a page could not be cleaned", "error", err)
		}
	}
	closed := next != nil || p.closePage(ctx, page)

	p.mu.Lock()
	defer p.mu.Unlock()
	if !closed {
		p.condemn(in)
	}
	in.renewing--
	if next != nil && next.life.Err() == nil {
		in.idle = append(in.idle, next)
	} else {
		in.pages--
	}
	p.endLease(in)
}

// wanted tells whether a page of the context is worth keeping.
func (p *Pool) wanted(in *isolated) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && !in.condemned
}

// renew gives the page's target a fresh session and a blank document, which
// also proves that it still answers.
func (p *Pool) renew(ctx context.Context, page *Page) (*Page, error) {
	in := page.in
	detach := proto.TargetDetachFromTarget{SessionID: proto.TargetSessionID(page.session)}
	if err := call(ctx, in.on.conn, "", detach, nil); err != nil {
		return nil, err
	}
	next, err := in.attach(ctx, page.target, page.gone)
	if err != nil {
		return nil, err
	}
	if err := next.blank(ctx); err != nil {
		next.end(ErrPageClosed)
		return nil, fmt.Errorf("browser: clean a page: %w", err)
	}
	return next, nil
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
