package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// targetEvent is what the watch needs of the events of the Target domain.
type targetEvent struct {
	TargetID   proto.TargetTargetID `json:"targetId"`
	SessionID  string               `json:"sessionId"`
	TargetInfo struct {
		TargetID proto.TargetTargetID `json:"targetId"`
		Type     string               `json:"type"`
		URL      string               `json:"url"`
		OpenerID proto.TargetTargetID `json:"openerId"`

		BrowserContextID proto.BrowserBrowserContextID `json:"browserContextId"`
	} `json:"targetInfo"`
}

// observe sees each of a process's events before anyone else does. It runs on
// the connection's reader, so it never waits for Chromium.
func (p *Pool) observe(c *chromium, event *cdp.Event) {
	var act func(*chromium, targetEvent)
	switch event.Method {
	case "Target.targetCreated":
		act = p.targetCreated
	case "Target.targetInfoChanged":
		act = p.targetChanged
	case "Target.targetCrashed":
		act = p.targetCrashed
	case "Target.targetDestroyed":
		act = p.targetDestroyed
	case "Page.javascriptDialogOpening":
		p.dialogOpening(c, event.SessionID)
		return
	case "Page.frameStartedNavigating", "Page.frameNavigated", "Page.frameStoppedLoading":
		p.navigation(event)
		return
	default:
		return
	}
	var e targetEvent
	if err := json.Unmarshal(event.Params, &e); err != nil {
		c.conn.fail(fmt.Errorf("%w: an event that is not understood: %w", ErrGone, err))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	act(c, e)
}

// targetCreated gives a window that a leased page opens to that lease, and any
// to the one that its context was handed over to. Any other, or one too many,
// is closed. The mutex is held.
func (p *Pool) targetCreated(c *chromium, e targetEvent) {
	info := e.TargetInfo
	if p.targetChanged(c, e); c.isStray(e) {
		return
	}
	page := p.targets[info.OpenerID]
	if c.handed != nil {
		page = c.handed
	}
	if info.Type != "page" || info.OpenerID == "" && c.handed == nil {
		return
	}
	if page == nil || !page.leased || page.released || len(page.popups) >= p.cfg.MaxPopups {
		p.spawn(func() { p.closeTarget(c.conn.ctx, c, info.TargetID) })
		return
	}
	page.popups = append(page.popups, info.TargetID)
	p.targets[info.TargetID] = page
	p.broadcast()
}

// targetChanged closes a page that is none for clients. The mutex is held.
func (p *Pool) targetChanged(c *chromium, e targetEvent) {
	if c.isStray(e) {
		p.spawn(func() { p.closeTarget(c.conn.ctx, c, e.TargetInfo.TargetID) })
	}
}

// isStray tells whether a page is one that Chromium opens at the keys of a client
// that a context was handed over to: one in the default context, which has no
// relay, or one of Chromium's own. The pool's mutex is held.
func (c *chromium) isStray(e targetEvent) bool {
	info := e.TargetInfo
	if c.handed == nil || info.Type != "page" {
		return false
	}
	scheme, _, _ := strings.Cut(info.URL, ":")
	return info.BrowserContextID == c.outside || slices.Contains([]string{"chrome", "chrome-untrusted", "devtools", "view-source", "file"}, scheme)
}

// dialogOpening accepts the dialog of a page that nobody has leased, such as
// the question whether it may be left. A leased page's is its holder's affair.
func (p *Pool) dialogOpening(c *chromium, session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, page := range p.targets {
		if page.session == session && (!page.leased || page.released) {
			// An error means that the dialog has gone by itself.
			p.spawn(func() { _ = call(c.conn.ctx, c.conn, session, proto.PageHandleJavaScriptDialog{Accept: true}, nil) })
		}
	}
}

// navigation notes whether a page waits for its next document.
func (p *Pool) navigation(event *cdp.Event) {
	var e struct {
		FrameID proto.TargetTargetID `json:"frameId"` // the main frame's is its target's
		Frame   struct {
			ID proto.TargetTargetID `json:"id"`
		} `json:"frame"`
		Type string `json:"navigationType"`
	}
	if json.Unmarshal(event.Params, &e) != nil || strings.Contains(strings.ToLower(e.Type), "samedocument") {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if page := p.targets[e.FrameID+e.Frame.ID]; page != nil && page.session == event.SessionID {
		page.awaiting = event.Method == "Page.frameStartedNavigating"
	}
}

// targetCrashed ends the page whose renderer has crashed, or a popup's. The
// mutex is held.
func (p *Pool) targetCrashed(c *chromium, e targetEvent) {
	if page := p.targets[e.TargetID]; page != nil && c.handed == nil {
		p.lose(page, ErrCrashed)
	}
}

// targetDestroyed ends a page that was closed. The mutex is held.
func (p *Pool) targetDestroyed(c *chromium, e targetEvent) {
	page := p.targets[e.TargetID]
	delete(p.targets, e.TargetID)
	switch {
	case page == nil:
	case page.target == e.TargetID:
		close(page.gone)
		if page != c.handed {
			page.end(ErrPageClosed)
		}
		page.in.dropIdle(page)
	default:
		page.popups = slices.DeleteFunc(page.popups, func(id proto.TargetTargetID) bool { return id == e.TargetID })
	}
}

// dropIdle takes a page that has gone out of those kept warm. The mutex is held.
func (in *isolated) dropIdle(page *Page) {
	if at := slices.Index(in.idle, page); at >= 0 {
		in.idle = slices.Delete(in.idle, at, at+1)
		in.pages--
	}
}

// lose ends a page that will never answer again, with all that waits for it,
// and replaces its context. The mutex is held.
func (p *Pool) lose(page *Page, cause error) {
	page.end(cause)
	page.in.on.conn.abandon(page.session, cause)
	page.in.dropIdle(page)
	p.log.Warn("a page was lost", "cause", cause)
	if page.in.account != "" {
		p.condemn(page.in)
	}
}

// watch asks a leased page for signs of life until its lease ends.
func (p *Pool) watch(page *Page) {
	beat := time.NewTicker(p.cfg.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-page.life.Done():
			return
		case <-beat.C:
		}
		if page.handedOver() {
			return
		}
		err := p.ping(page.life, page.in.on.conn, page.session, proto.RuntimeEvaluate{Expression: "0"})
		if err != nil && page.life.Err() == nil {
			p.mu.Lock()
			if !page.awaiting { // Chromium holds the question back until the document is there
				p.lose(page, ErrHung)
			}
			p.mu.Unlock()
		}
	}
}
