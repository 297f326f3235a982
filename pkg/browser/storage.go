package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// State reads what makes the account signed in: all cookies of its context,
// and local and session storage of the given origins. Session storage belongs
// to a page, so it is this page's; after HandOver, that of a page that is at the
// origin. The pages stay where they are. The session
// storage read is also what further pages of the context start with.
func (p *Page) State(ctx context.Context, origins []string) (*State, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	p.pool.mu.Lock()
	state := &State{Version: stateVersion, Generation: p.in.generation}
	p.pool.mu.Unlock()
	err := call(ctx, p.in.on.conn, "", proto.StorageGetCookies{BrowserContextID: p.in.id}, state)
	if err != nil {
		return nil, err
	}
	for n := range state.Cookies {
		state.Cookies[n].Expires = max(state.Cookies[n].Expires, 0) // a session cookie's is -1
	}
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, fmt.Errorf("browser: %q is %w", origin, err)
		}
	}
	read := p.readStorages
	if p.handedOver() {
		read = p.handedStorage
	}
	storages, err := read(ctx, origins)
	if err != nil {
		return nil, err
	}
	for _, storage := range storages {
		if len(storage.LocalStorage)+len(storage.SessionStorage) > 0 {
			state.Origins = append(state.Origins, storage)
		}
	}
	p.pool.shareSession(p.in, state.sessionStorage())
	return state, nil
}

// readStorages reads the storage of origins by the page.
func (p *Page) readStorages(ctx context.Context, origins []string) ([]OriginStorage, error) {
	here, err := p.readStorage(ctx)
	if err != nil {
		return nil, err
	}
	var storages []OriginStorage
	for _, origin := range origins {
		storage := here
		if origin != here.Origin {
			if storage, err = p.readElsewhere(ctx, origin); err != nil {
				return nil, err
			}
		}
		storages = append(storages, *storage)
	}
	return storages, nil
}

// shareSession has further pages of a context start with this session
// storage. Those kept warm have another, and are closed.
func (p *Pool) shareSession(in *isolated, session []OriginStorage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if equalJSON(in.session, session) {
		return
	}
	in.session = session
	for _, page := range in.idle {
		in.pages--
		page.end(ErrPageClosed)
		p.spawn(func() { p.closeTarget(in.on.conn.ctx, in.on, page.target) })
	}
	in.idle = nil
}

func equalJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// restore puts an account's state into its fresh context.
func (p *Page) restore(ctx context.Context, state *State) error {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	if len(state.Cookies) > 0 {
		cookies := setCookies{Cookies: state.Cookies, BrowserContextID: p.in.id}
		if err := call(ctx, p.in.on.conn, "", cookies, nil); err != nil {
			return err
		}
	}
	return p.restoreStorage(ctx, state.Origins)
}

// setCookies is proto.StorageSetCookies with cookies as State has them.
type setCookies struct {
	Cookies          []Cookie                      `json:"cookies"`
	BrowserContextID proto.BrowserBrowserContextID `json:"browserContextId"`
}

// ProtoReq is the command's name.
func (setCookies) ProtoReq() string { return "Storage.setCookies" }

// restoreStorage puts storage into the page, origin by origin, and leaves it
// blank.
func (p *Page) restoreStorage(ctx context.Context, origins []OriginStorage) error {
	if len(origins) == 0 {
		return nil
	}
	page, cancel := p.document(ctx)
	defer cancel()
	for _, origin := range origins {
		text, err := json.Marshal(origin)
		if err != nil {
			return fmt.Errorf("browser: restore storage: %w", err)
		}
		if err := page.visitEmpty(origin.Origin); err != nil {
			return fmt.Errorf("browser: restore storage: %w", err)
		}
		if _, err := page.evaluate(writeScript + "(" + string(text) + ")"); err != nil {
			return fmt.Errorf("browser: restore storage: %w", err)
		}
	}
	return p.blank(ctx)
}

// readStorage reads the storage of the document that the page shows.
func (p *Page) readStorage(ctx context.Context) (*OriginStorage, error) {
	page, cancel := p.document(ctx)
	defer cancel()
	return page.readStorage()
}

// readElsewhere reads the storage of an origin that the page is not at, in a
// window opened by it: such a window starts with a copy of the page's session
// storage, of all origins.
func (p *Page) readElsewhere(ctx context.Context, origin string) (*OriginStorage, error) {
	page, cancel := p.document(ctx)
	defer cancel()
	window, err := p.openWindow(page)
	if err != nil {
		return nil, fmt.Errorf("browser: read storage: %w", err)
	}
	defer p.pool.closeTarget(ctx, p.in.on, window.rod.TargetID)
	if err := window.visitEmpty(origin); err != nil {
		return nil, fmt.Errorf("browser: read storage: %w", err)
	}
	return window.readStorage()
}

// openWindow has the page open a blank window.
func (p *Page) openWindow(page document) (document, error) {
	before := p.windows()
	if len(before) >= p.pool.cfg.MaxPopups {
		return document{}, errors.New("the page has too many windows open")
	}
	if _, err := page.evaluate(`void window.open("about:blank")`); err != nil {
		return document{}, err
	}
	ctx := page.rod.GetContext()
	for {
		p.pool.mu.Lock()
		changed := p.pool.changed
		p.pool.mu.Unlock()
		for _, target := range p.windows() {
			if !slices.Contains(before, target) {
				window, err := p.rod.Browser().PageFromTarget(target)
				if err != nil {
					return document{}, err
				}
				return document{rod: window.Context(ctx), conn: page.conn}, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return document{}, context.Cause(ctx)
		}
	}
}

// windows are the page's popups.
func (p *Page) windows() []proto.TargetTargetID {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	return slices.Clone(p.popups)
}
