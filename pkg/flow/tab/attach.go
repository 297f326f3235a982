package tab

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// related are the targets of a page that get a session of their own: frames
// that Chromium keeps in another process, and service workers. What a
// dedicated worker asks for goes through its page's session.
var related = proto.TargetTargetFilter{{Type: "iframe"}, {Type: "service_worker"}}

// watchOver is what to ask of a session so that nothing loads unguarded there,
// or in what it brings forth.
func (c *control) watchOver(kind string) []request {
	c.mu.Lock()
	patterns := guarded
	if c.fresh {
		patterns = everything
	}
	c.mu.Unlock()
	requests := []request{proto.FetchEnable{Patterns: patterns}}
	if kind != "service_worker" {
		requests = append(requests, proto.TargetSetAutoAttach{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true, Filter: related,
		})
	}
	return requests
}

// attached takes a new target of a tab's into control; the target waits until
// that is done. It runs under the lock.
func (c *control) attached(by *session, e proto.TargetAttachedToTarget) {
	kind := string(e.TargetInfo.Type)
	if kind != "iframe" && kind != "service_worker" {
		c.answer(c.client(e.SessionID), proto.RuntimeRunIfWaitingForDebugger{})
		return
	}
	s := &session{
		client: c.client(e.SessionID), kind: kind, tab: by.tab,
		target: e.TargetInfo.TargetID,
	}
	c.join(s)
	c.enter(s, func() { _ = proto.TargetDetachFromTarget{SessionID: s.id}.Call(by) })
}

// maxTabs bounds the tabs that are open at a time, besides the page itself.
const maxTabs = 8

// opened takes a tab into control that one of ours has opened; it waits until
// that is done. One too many is closed then: the page that has opened it hangs
// until it goes on. It runs under the lock.
func (c *control) opened(e proto.TargetAttachedToTarget) {
	target := e.TargetInfo.TargetID
	c.openers[target] = true
	shut := func() { _, _ = proto.TargetCloseTarget{TargetID: target}.Call(c.browser) } // or it has gone
	surplus := len(c.tabs) > maxTabs
	t := c.add(page{c.browser, c.life, e.SessionID, target, proto.PageFrameID(target)})
	if t.state.address = e.TargetInfo.URL; t.state.address == "" {
		t.state.address = "about:blank"
	}
	s := c.sessions[e.SessionID]
	if !surplus {
		c.enter(s, shut)
		return
	}
	c.answers.Go(func() {
		if c.all(s, c.watchOver(s.kind)...) == nil {
			_ = c.all(s, proto.RuntimeRunIfWaitingForDebugger{})
		}
		shut()
	})
}

// enter guards a new session and makes it ready, and lets its target go on. A
// window is made ready beside: until it goes on, it does not answer to all. What
// cannot be guarded does not go on: otherwise ends it.
func (c *control) enter(s *session, otherwise func()) {
	c.answers.Go(func() {
		before, then := c.watchOver(s.kind), []request{proto.RuntimeRunIfWaitingForDebugger{}}
		switch s.kind {
		case "iframe":
			before = append(before, scripted()...)
		case "page":
			then = append(then, append(scripted(), proto.PageSetLifecycleEventsEnabled{Enabled: true})...)
		}
		if err := c.all(s, before...); err != nil {
			otherwise()
			return
		}
		// A failure means that it has gone.
		if c.all(s, then...) == nil && s.kind == "page" {
			_ = s.tab.hello(s.ctx)
		}
	})
}

// detached forgets a session. It runs under the lock.
func (c *control) detached(id proto.TargetSessionID) bool {
	s := c.sessions[id]
	if s == nil {
		return false
	}
	delete(c.sessions, id)
	if s.kind != "page" {
		s.end(errGone)
	} else {
		s.end(ErrClosed)
		s.tab.state.closed = true
		c.tabs = slices.DeleteFunc(c.tabs, func(t *Tab) bool { return t == s.tab })
		for id, below := range c.sessions {
			if below.tab == s.tab {
				delete(c.sessions, id)
				below.end(ErrClosed)
			}
		}
	}
	for h := range c.unanswered {
		if h.session == id {
			delete(c.unanswered, h)
		}
	}
	return true
}

// Main is the page that all tabs have been opened from.
func (t *Tab) Main() *Tab { return t.main }

// Close closes a tab. The page itself stays, blank, since it is given back.
func (t *Tab) Close(ctx context.Context) error {
	if t == t.main {
		return t.Blank(ctx)
	}
	t.calls.Add(1)
	_, err := proto.TargetCloseTarget{TargetID: t.page.TargetID}.Call(t.browser.Context(ctx))
	for err == nil {
		t.mu.Lock()
		closed, changed := t.state.closed, t.changed
		t.mu.Unlock()
		if closed {
			return nil
		}
		err = t.wait(ctx, changed, 0)
	}
	if t.ended() != nil {
		return nil //nolint:nilerr // it had closed before we asked
	}
	return fmt.Errorf("closing a tab: %w", err)
}

// closeOpened closes all tabs but the page itself.
func (c *control) closeOpened(ctx context.Context) error {
	for {
		c.mu.Lock()
		tabs := slices.Clone(c.tabs[1:])
		c.mu.Unlock()
		if len(tabs) == 0 {
			return nil
		}
		if err := tabs[0].Close(ctx); err != nil {
			return err
		}
	}
}

// Find waits for a place that the flow names by its address: a tab, or a frame
// of another origin. Of a frame it returns the tab and the indexes that lead to
// it.
func (t *Tab) Find(ctx context.Context, matches func(address string) bool) (*Tab, []int, error) {
	for {
		t.mu.Lock()
		changed := t.changed
		tabs := append(slices.Clone(t.tabs[1:]), t.main)
		at := slices.IndexFunc(tabs, func(t *Tab) bool { return matches(t.state.address) })
		t.mu.Unlock()
		if at >= 0 {
			return tabs[at], nil, nil
		}
		for _, tab := range tabs {
			for _, i := range tab.frames(ctx) {
				if i.root && matches(i.address) {
					return tab, i.path, nil
				}
			}
		}
		if err := t.wait(ctx, changed, slice); err != nil {
			return nil, nil, err
		}
	}
}
