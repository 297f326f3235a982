package tab

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// startedNavigating is Page.frameStartedNavigating, which is younger than
// rod's own list of events.
type startedNavigating struct {
	FrameID proto.PageFrameID `json:"frameId"`
	Type    string            `json:"navigationType"`
}

// ProtoEvent names the event.
func (startedNavigating) ProtoEvent() string { return "Page.frameStartedNavigating" }

// follow reads the browser's events until the control ends.
func (c *control) follow(events <-chan *rod.Message) {
	defer close(c.done)
	for msg := range events {
		c.mu.Lock()
		if c.note(msg) {
			c.tell()
		}
		c.mu.Unlock()
	}
}

// tell wakes those who wait for a change. The mutex is held.
func (c *control) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// note takes one event into the state and reports whether it changed. It runs
// under the lock and never waits.
func (c *control) note(msg *rod.Message) bool {
	s := c.sessions[msg.SessionID]
	switch {
	case msg.SessionID == "":
		return c.noteWindow(msg)
	case s == nil:
		return false
	}
	switch msg.Method {
	case "Target.attachedToTarget":
		var e proto.TargetAttachedToTarget
		msg.Load(&e)
		c.attached(s, e)
	case "Target.detachedFromTarget":
		var e proto.TargetDetachedFromTarget
		msg.Load(&e)
		return c.detached(e.SessionID)
	case "Runtime.bindingCalled":
		var e proto.RuntimeBindingCalled
		msg.Load(&e)
		return s.hear(e)
	case "Fetch.requestPaused":
		var e proto.FetchRequestPaused
		msg.Load(&e)
		c.guard(s, e)
	case "Page.javascriptDialogOpening":
		var e proto.PageJavascriptDialogOpening
		msg.Load(&e)
		c.answerDialog(s, e)
	case "Inspector.targetCrashed":
		if s.kind != "page" {
			return c.detached(s.id)
		}
		s.tab.state.crashed = errors.New("the page crashed")
	default:
		return s.noteRealm(msg) || s.notePage(msg)
	}
	return true
}

// noteWindow takes what the browser tells of its windows.
func (c *control) noteWindow(msg *rod.Message) bool {
	switch msg.Method {
	case "Target.attachedToTarget":
		var e proto.TargetAttachedToTarget
		msg.Load(&e)
		if isNew(e) && c.openers[e.TargetInfo.OpenerID] {
			c.opened(e)
			return true
		}
	case "Target.detachedFromTarget":
		var e proto.TargetDetachedFromTarget
		msg.Load(&e)
		return e.SessionID != c.main.page.SessionID && c.detached(e.SessionID)
	case "Target.targetInfoChanged":
		var e proto.TargetTargetInfoChanged
		msg.Load(&e)
		return c.noteAddress(e.TargetInfo)
	}
	return false
}

// noteAddress takes where a tab is that has been opened: it may have gone there
// before its session told of it.
func (c *control) noteAddress(info *proto.TargetTargetInfo) bool {
	for _, t := range c.tabs[1:] {
		if t.page.TargetID == info.TargetID {
			t.state.address = info.URL
			return true
		}
	}
	return false
}

// notePage takes what a session tells of the tab's main frame. A frame in
// another process tells of navigations that it asks for.
func (s *session) notePage(msg *rod.Message) bool {
	state, main := &s.tab.state, s.tab.page.FrameID
	switch msg.Method {
	case "Page.frameStartedNavigating":
		var e startedNavigating
		msg.Load(&e)
		if e.FrameID != main || strings.HasPrefix(e.Type, "sameDocument") || e.Type == "historySameDocument" {
			return false
		}
		state.starting = true
	case "Page.frameRequestedNavigation":
		var e proto.PageFrameRequestedNavigation
		msg.Load(&e)
		if e.FrameID != main || e.Disposition != proto.PageClientNavigationDispositionCurrentTab {
			return false
		}
		state.starting = true
	case "Page.frameStoppedLoading":
		var e proto.PageFrameStoppedLoading
		msg.Load(&e)
		if e.FrameID != main {
			return false
		}
		state.starting = false // a download, or an answer without content
	case "Page.frameNavigated":
		var e proto.PageFrameNavigated
		msg.Load(&e)
		if e.Frame == nil {
			return false
		}
		if e.Frame.ID != main {
			return true
		}
		state.loader, state.address = e.Frame.LoaderID, e.Frame.URL+e.Frame.URLFragment
		s.tab.forgetUnanswered()
	case "Page.navigatedWithinDocument":
		var e proto.PageNavigatedWithinDocument
		msg.Load(&e)
		if e.FrameID != main {
			return true
		}
		state.address = e.URL
		state.arrivals++
	case "Page.lifecycleEvent":
		var e proto.PageLifecycleEvent
		msg.Load(&e)
		if e.FrameID != main || e.Name != proto.PageLifecycleEventNameDOMContentLoaded {
			return false
		}
		state.ready, state.starting = e.LoaderID, false
		state.arrivals++
	default:
		return false
	}
	return true
}

// forgetUnanswered drops what the tab's last document asked: nobody waits for
// it any more.
func (t *Tab) forgetUnanswered() {
	for h := range t.unanswered {
		if s := t.sessions[h.session]; s != nil && s.tab == t {
			delete(t.unanswered, h)
		}
	}
}

// hear takes what the script inside the page tells: "hello", or a word and
// the id of the look that it belongs to.
func (s *session) hear(e proto.RuntimeBindingCalled) bool {
	if e.Name != binding {
		return false
	}
	state := &s.tab.state
	if e.Payload == "hello" {
		state.doc = document{serial: state.doc.serial + 1, session: s.id, context: e.ExecutionContextID}
		return true
	}
	word, number, _ := strings.Cut(e.Payload, " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || word != "acted" && word != "settled" {
		return false
	}
	state.told[word] = id
	return true
}
