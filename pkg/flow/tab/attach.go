package tab

import (
	"context"
	"errors"
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
		target: e.TargetInfo.TargetID, address: e.TargetInfo.URL,
	}
	c.join(s)
	c.enter(s, func() { _ = proto.TargetDetachFromTarget{SessionID: s.id}.Call(by) })
}

// maxTabs bounds the tabs that are open at a time, besides the page itself.
const maxTabs = 8

// opened takes a tab into control that one of ours has opened; it waits until
// that is done. One too many is closed. It runs under the lock.
func (c *control) opened(e proto.TargetAttachedToTarget) {
	target := e.TargetInfo.TargetID
	c.openers[target] = true
	c.opening++
	full := len(c.tabs)-1+c.opening > maxTabs
	c.answers.Go(func() {
		err := errors.New("too many tabs")
		if !full {
			err = c.adopt(target)
		}
		if err != nil { // or it has gone
			_, _ = proto.TargetCloseTarget{TargetID: target}.Call(c.browser)
		}
		c.calls.Add(1)
		_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(c.client(e.SessionID))
		_ = proto.TargetDetachFromTarget{SessionID: e.SessionID}.Call(c.browser)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.opening--
		c.tell()
	})
}

// adopt makes a tab of a new window.
func (c *control) adopt(target proto.TargetTargetID) error {
	page, err := c.browser.PageFromTarget(target)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.add(page, target)
	c.tell()
	c.mu.Unlock()
	requests := append(scripted(), proto.PageSetLifecycleEventsEnabled{Enabled: true})
	return c.all(c.client(page.SessionID), append(requests, c.watchOver("page")...)...)
}

// enter prepares a new session and lets its target go on. One that cannot be
// guarded does not: otherwise ends it.
func (c *control) enter(s *session, otherwise func()) {
	c.answers.Go(func() {
		requests := c.watchOver(s.kind)
		if s.kind == "iframe" {
			requests = append(requests, scripted()...)
		}
		if err := c.all(s, requests...); err != nil {
			otherwise()
			return
		}
		c.calls.Add(1)
		// A failure means that it has gone.
		_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(s)
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
		c.browser.RemoveState(s.target) // go-rod's page of it
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
	if t.ended() != nil { // before we asked
		return nil
	}
	return fmt.Errorf("closing a tab: %w", err)
}

// closeOpened closes all tabs but the page itself.
func (c *control) closeOpened(ctx context.Context) error {
	for {
		c.mu.Lock()
		tabs, opening, changed := slices.Clone(c.tabs[1:]), c.opening, c.changed
		c.mu.Unlock()
		if len(tabs) == 0 && opening == 0 {
			return nil
		}
		if len(tabs) == 0 {
			if err := c.wait(ctx, changed, 0); err != nil {
				return err
			}
			continue
		}
		if err := tabs[0].Close(ctx); err != nil {
			return err
		}
	}
}

// Find waits for a place that the flow names by its address: a tab, or a frame
// that Chromium keeps in another process. Of a frame it returns the tab and the
// indexes that lead to it.
func (t *Tab) Find(ctx context.Context, matches func(address string) bool) (*Tab, []int, error) {
	for {
		t.mu.Lock()
		changed := t.changed
		for _, candidate := range append(slices.Clone(t.tabs[1:]), t.main) {
			if matches(candidate.state.address) {
				t.mu.Unlock()
				return candidate, nil, nil
			}
		}
		var frames []*session
		for _, s := range t.sessions {
			if s.kind == "iframe" && matches(s.address) {
				frames = append(frames, s)
			}
		}
		t.mu.Unlock()
		for _, s := range frames {
			if path, there := s.tab.pathOf(ctx, s); there {
				return s.tab, path, nil
			}
		}
		var limit = slice
		if len(frames) == 0 {
			limit = 0
		}
		if err := t.wait(ctx, changed, limit); err != nil {
			return nil, nil, err
		}
	}
}
