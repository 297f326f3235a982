package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// glanceTimeout is how long a page that clients drive may take to tell what it
// has stored. One that shows a dialog, or is busy, does not tell.
const glanceTimeout = time.Second

// HandOver leaves the page's context to other clients (see OpenChannel), for the
// rest of the lease. From now on they open, close and drive the pages there as
// they like, up to Config.MaxPopups besides the first one: nothing that a page
// does ends the lease, Context ends with Chromium or the lease only, and nobody
// answers a page's dialogs. Pages that Chromium opens at its own keys, such as a
// window outside of the context, are closed. Rod, Popups and Bind are of no more
// use; what was set through go-rod is undone, and go-rod hears no more of the
// page. It is for a Pool of one account; see Config.Single.
//
// A page that was given a secret, such as a password, keeps it in its history:
// whoever goes back there sends it again and reads it. For such a page fresh is
// the address that a new one shows to clients, with the session storage that
// State read last. The page itself and its windows are closed, and the site's
// service workers stopped. Where fresh is empty, clients get the page itself.
func (p *Page) HandOver(ctx context.Context, fresh string) error {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	conn := p.in.on.conn
	var contexts struct {
		Default proto.BrowserBrowserContextID `json:"defaultBrowserContextId"`
	}
	if err := call(ctx, conn, "", proto.TargetGetBrowserContexts{}, &contexts); err != nil {
		return err
	}
	first := p
	if fresh != "" {
		var err error
		if first, err = p.successor(ctx, fresh); err != nil {
			return err
		}
	}
	p.pool.mu.Lock()
	p.in.on.handed, p.in.on.outside = p, contexts.Default
	p.pool.mu.Unlock()
	if first != p {
		if err := p.close(ctx); err != nil {
			return err
		}
	}
	// Config.Prepare may have had new windows held until somebody lets them go.
	if err := call(ctx, conn, "", proto.TargetSetAutoAttach{Flatten: true}, nil); err != nil {
		return err
	}
	return call(ctx, conn, "", proto.TargetDetachFromTarget{SessionID: proto.TargetSessionID(first.session)}, nil)
}

// successor opens another page of the context, which shows an address. Nobody
// has leased it.
func (p *Page) successor(ctx context.Context, address string) (*Page, error) {
	next, err := p.pool.addPage(ctx, p.in)
	if err != nil {
		return nil, err
	}
	rod, cancel := next.Bind(ctx)
	defer cancel()
	drawn := rod.WaitNavigation(proto.PageLifecycleEventNameDOMContentLoaded)
	err = rod.Navigate(address)
	if err == nil {
		drawn()
		err = context.Cause(rod.GetContext()) // the wait tells of none
	}
	if err != nil {
		return nil, unavailable("the application's page did not open", err)
	}
	return next, nil
}

// close closes the page, which was handed over, with its windows, and stops the
// service workers that may have seen what it sent.
func (p *Page) close(ctx context.Context) error {
	for _, req := range []proto.Request{proto.ServiceWorkerEnable{}, proto.ServiceWorkerStopAllWorkers{}} {
		if err := call(ctx, p.in.on.conn, p.session, req, nil); err != nil {
			return err
		}
	}
	p.pool.closePopups(ctx, p)
	p.pool.closeTarget(ctx, p.in.on, p.target)
	select {
	case <-p.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("browser: close the page that has signed in: %w", context.Cause(ctx))
	}
}

// handedOver says whether the page's context was handed over.
func (p *Page) handedOver() bool {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	return p.in.on.handed == p
}

// handedStorage is the storage of a context that was handed over: what a page
// that is at an origin tells, or, where none does, what a page of our own finds
// there. That has no session storage of theirs; then the one counts that was
// known before.
func (p *Page) handedStorage(ctx context.Context, origins []string) ([]OriginStorage, error) {
	found, err := p.glances(ctx, origins)
	if err != nil {
		return nil, err
	}
	var storages []OriginStorage
	for _, origin := range origins {
		storage := found[origin]
		if storage == nil {
			if storage, err = p.visit(ctx, origin); err != nil {
				return nil, err
			}
		}
		storages = append(storages, *storage)
	}
	return storages, nil
}

// glances reads the storage of the origins that pages of the context are at,
// where they tell in time.
func (p *Page) glances(ctx context.Context, origins []string) (map[string]*OriginStorage, error) {
	var targets proto.TargetGetTargetsResult
	if err := call(ctx, p.in.on.conn, "", proto.TargetGetTargets{}, &targets); err != nil {
		return nil, err
	}
	found := map[string]*OriginStorage{}
	for _, target := range targets.TargetInfos {
		u, err := url.Parse(target.URL)
		if err != nil || target.BrowserContextID != p.in.id || target.Type != "page" {
			continue
		}
		origin := u.Scheme + "://" + u.Host
		if !slices.Contains(origins, origin) || found[origin] != nil {
			continue
		}
		if storage, err := p.glance(ctx, target.TargetID); err == nil && storage.Origin == origin {
			found[origin] = storage
		}
	}
	return found, nil
}

// glance reads the storage of the document that a target shows.
func (p *Page) glance(ctx context.Context, target proto.TargetTargetID) (*OriginStorage, error) {
	ctx, cancel := context.WithTimeout(ctx, glanceTimeout)
	defer cancel()
	page, detach, err := p.attachTo(ctx, target)
	if err != nil {
		return nil, err
	}
	defer detach()
	return page.readStorage()
}

// visit reads the local storage of an origin in a page of our own.
func (p *Page) visit(ctx context.Context, origin string) (*OriginStorage, error) {
	var made proto.TargetCreateTargetResult
	req := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: p.in.id, Background: true}
	if err := call(ctx, p.in.on.conn, "", req, &made); err != nil {
		return nil, err
	}
	defer p.pool.closeTarget(p.in.on.conn.ctx, p.in.on, made.TargetID)
	page, detach, err := p.attachTo(ctx, made.TargetID)
	if err != nil {
		return nil, err
	}
	defer detach()
	if err := page.visitEmpty(origin); err != nil {
		return nil, fmt.Errorf("browser: read storage: %w", err)
	}
	storage, err := page.readStorage()
	if err != nil {
		return nil, err
	}
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	for _, known := range p.in.session {
		if known.Origin == origin {
			storage.SessionStorage = known.SessionStorage
		}
	}
	return storage, nil
}

// attachTo opens a DevTools session with a target.
func (p *Page) attachTo(ctx context.Context, target proto.TargetTargetID) (page document, detach func(), err error) {
	browser := p.in.on.rod.Context(ctx)
	browser.RemoveState(target) // go-rod's page of an earlier session
	rod, err := browser.PageFromTarget(target)
	if err != nil {
		return document{}, nil, fmt.Errorf("browser: attach to a page: %w", err)
	}
	return document{rod: rod.Context(ctx), conn: p.in.on.conn}, func() {
		ctx, cancel := context.WithTimeout(p.in.on.conn.ctx, glanceTimeout)
		defer cancel()
		// An error means that the page has gone.
		_ = call(ctx, p.in.on.conn, "", proto.TargetDetachFromTarget{SessionID: rod.SessionID}, nil)
		browser.RemoveState(target)
	}, nil
}
