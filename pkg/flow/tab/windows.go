package tab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// windows holds each new window of one browser until it is known whose it is,
// so that nothing loads in it unguarded: Chromium does this for a whole browser
// or not at all. A window that a controlled page has opened is left to that
// page's control; all others go on, but for strays: see letGo.
//
// Its goroutine begins with the first page that is prepared in the browser and
// ends with the connection to it.
type windows struct {
	browser *rod.Browser
	begun   chan struct{} // closed once the watch has begun, or failed has the reason why not
	failed  error

	mu     sync.Mutex
	owners map[proto.TargetTargetID]*control // of pages under control, and of windows from them
}

// browsers are the windows of each browser that this process is connected to,
// by the id that the browser has given itself. The mutex is held for moments:
// no browser is asked anything meanwhile, since one that hangs would stop all.
var browsers = struct {
	sync.Mutex
	known map[proto.TargetTargetID]*windows
}{known: map[proto.TargetTargetID]*windows{}}

// windowsOf begins to watch a browser, unless it is watched already.
func windowsOf(ctx context.Context, browser *rod.Browser) (*windows, error) {
	info, err := proto.TargetGetTargetInfo{}.Call(browser.Context(ctx))
	if err != nil {
		return nil, fmt.Errorf("asking the browser who it is: %w", err)
	}
	id := info.TargetInfo.TargetID
	for {
		w, first := knownWindows(id)
		if first {
			return w, w.watch(ctx, id, browser)
		}
		select {
		case <-w.begun:
			if w.failed == nil {
				return w, nil
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("watching for new windows: %w", ctx.Err())
		}
	}
}

// knownWindows returns the windows of a browser; first tells that the caller
// must begin to watch them.
func knownWindows(id proto.TargetTargetID) (w *windows, first bool) {
	browsers.Lock()
	defer browsers.Unlock()
	if w := browsers.known[id]; w != nil {
		return w, false
	}
	w = &windows{begun: make(chan struct{}), owners: map[proto.TargetTargetID]*control{}}
	browsers.known[id] = w
	return w, true
}

// watch begins to watch a browser. After a failure, the next to ask for its
// windows tries again.
func (w *windows) watch(ctx context.Context, id proto.TargetTargetID, browser *rod.Browser) error {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := func() {
		cancel()
		browsers.Lock()
		defer browsers.Unlock()
		delete(browsers.known, id)
	}
	defer close(w.begun)
	w.browser = browser.Context(life)
	events := w.browser.Event()
	err := proto.TargetSetAutoAttach{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true, Filter: proto.TargetTargetFilter{{Type: "page"}},
	}.Call(browser.Context(ctx))
	if err != nil {
		w.failed = fmt.Errorf("watching for new windows: %w", err)
		forget()
		return w.failed
	}
	go func() {
		defer forget()
		w.follow(events)
	}()
	return nil
}

func (w *windows) follow(events <-chan *rod.Message) {
	var calls sync.WaitGroup
	defer calls.Wait()
	strays := map[proto.TargetSessionID]proto.TargetTargetID{}
	for msg := range events {
		var attached proto.TargetAttachedToTarget
		var gone proto.TargetTargetDestroyed
		switch stray, is := strays[msg.SessionID]; {
		case is:
			if msg.Load(&proto.FetchRequestPaused{}) {
				delete(strays, msg.SessionID)
				calls.Go(func() { _, _ = proto.TargetCloseTarget{TargetID: stray}.Call(w.browser) }) // or it has gone
			}
		case msg.SessionID != "":
		case msg.Load(&gone):
			w.mu.Lock()
			delete(w.owners, gone.TargetID)
			w.mu.Unlock()
			maps.DeleteFunc(strays, func(_ proto.TargetSessionID, of proto.TargetTargetID) bool { return of == gone.TargetID })
		case msg.Load(&attached):
			switch {
			case !isNew(attached):
				for session, of := range strays {
					if of == attached.TargetInfo.TargetID {
						delete(strays, session)
						calls.Go(func() { w.letGo(session); w.leave(session) }) // it may not have gone on yet
					}
				}
			case w.claimed(attached):
			case attached.TargetInfo.OpenerID == "":
				strays[attached.SessionID] = attached.TargetInfo.TargetID
				calls.Go(func() { w.letGo(attached.SessionID, proto.FetchEnable{Patterns: guarded}) })
			default:
				calls.Go(func() { w.letGo(attached.SessionID); w.leave(attached.SessionID) })
			}
		}
	}
}

// isNew tells a window that is held from one that somebody has attached to.
func isNew(e proto.TargetAttachedToTarget) bool { return e.WaitingForDebugger }

// claimed tells whether a new window is a control's to let go on.
func (w *windows) claimed(e proto.TargetAttachedToTarget) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	owner := w.owners[e.TargetInfo.OpenerID]
	if owner == nil || e.TargetInfo.OpenerID == "" {
		return false
	}
	w.owners[e.TargetInfo.TargetID] = owner
	return true
}

// letGo lets a window go on, once what comes first is in force. An error means
// that it has gone.
//
// Of a window without an opener nobody knows whose it is. A page that we make is
// one, and is left as soon as we attach to it. The others are strays: a click
// with the middle button or with Ctrl held opens them, also one that a script
// makes up. They are closed when they ask for a document.
func (w *windows) letGo(id proto.TargetSessionID, first ...request) {
	held := client{w.browser, w.browser.GetContext(), id}
	for _, r := range append(first, proto.RuntimeRunIfWaitingForDebugger{}) {
		if r.Call(held) != nil {
			return
		}
	}
}

// leave ends the watch over a window.
func (w *windows) leave(id proto.TargetSessionID) {
	_ = proto.TargetDetachFromTarget{SessionID: id}.Call(w.browser)
}

// own makes the control the owner of the windows that its page opens from now on.
func (c *control) own(t *Tab) error {
	page, known := prepared.get(t.page.SessionID)
	if !known {
		return errors.New("too many pages are prepared at the same time")
	}
	c.windows = page.windows
	c.windows.mu.Lock()
	defer c.windows.mu.Unlock()
	c.windows.owners[t.page.TargetID] = c
	return nil
}

// disown ends that, and closes what has just been opened and nobody knows of.
func (c *control) disown(ctx context.Context) {
	w := c.windows
	if w == nil {
		return
	}
	w.mu.Lock()
	var late []proto.TargetTargetID
	for target, owner := range w.owners {
		if owner == c {
			delete(w.owners, target)
			late = append(late, target)
		}
	}
	w.mu.Unlock()
	for _, target := range late {
		if target != c.main.page.TargetID {
			_, _ = proto.TargetCloseTarget{TargetID: target}.Call(c.browser.Context(ctx)) // or it has gone
		}
	}
}
