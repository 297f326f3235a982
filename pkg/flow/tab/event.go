package tab

import (
	"errors"
	"fmt"
	"net/url"
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

// follow reads the page's events until the control ends.
func (t *Tab) follow(events <-chan *rod.Message) {
	defer close(t.done)
	for msg := range events {
		t.mu.Lock()
		if t.note(msg) {
			close(t.changed)
			t.changed = make(chan struct{})
		}
		t.mu.Unlock()
	}
}

// note takes one event into the state and reports whether it changed. It runs
// under the lock and never waits.
func (t *Tab) note(msg *rod.Message) bool {
	s := &t.state
	main := t.page.FrameID
	switch msg.Method {
	case "Runtime.bindingCalled":
		var e proto.RuntimeBindingCalled
		msg.Load(&e)
		return s.hear(e)
	case "Page.frameStartedNavigating":
		var e startedNavigating
		msg.Load(&e)
		if e.FrameID != main || strings.HasPrefix(e.Type, "sameDocument") || e.Type == "historySameDocument" {
			return false
		}
		s.starting = true
	case "Page.frameRequestedNavigation":
		var e proto.PageFrameRequestedNavigation
		msg.Load(&e)
		if e.FrameID != main || e.Disposition != proto.PageClientNavigationDispositionCurrentTab {
			return false
		}
		s.starting = true
	case "Page.frameStoppedLoading":
		var e proto.PageFrameStoppedLoading
		msg.Load(&e)
		if e.FrameID != main {
			return false
		}
		s.starting = false // a download, or an answer without content
	case "Page.frameNavigated":
		var e proto.PageFrameNavigated
		msg.Load(&e)
		if e.Frame == nil || e.Frame.ID != main {
			return false
		}
		s.loader, s.address = e.Frame.LoaderID, e.Frame.URL+e.Frame.URLFragment
		clear(s.unanswered) // what the last document asked, nobody waits for
	case "Page.navigatedWithinDocument":
		var e proto.PageNavigatedWithinDocument
		msg.Load(&e)
		if e.FrameID != main {
			return false
		}
		s.address = e.URL
		s.arrivals++
	case "Page.lifecycleEvent":
		var e proto.PageLifecycleEvent
		msg.Load(&e)
		if e.FrameID != main || e.Name != proto.PageLifecycleEventNameDOMContentLoaded {
			return false
		}
		s.ready, s.starting = e.LoaderID, false
		s.arrivals++
	case "Page.javascriptDialogOpening":
		var e proto.PageJavascriptDialogOpening
		msg.Load(&e)
		t.answerDialog(e)
	case "Fetch.requestPaused":
		var e proto.FetchRequestPaused
		msg.Load(&e)
		t.guard(e)
	case "Inspector.targetCrashed":
		s.crashed = errors.New("the page crashed")
	default:
		return false
	}
	return true
}

// hear takes what the script inside the page tells: "hello", or a word and
// the id of the look that it belongs to.
func (s *state) hear(e proto.RuntimeBindingCalled) bool {
	if e.Name != binding {
		return false
	}
	if e.Payload == "hello" {
		s.doc = document{serial: s.doc.serial + 1, context: e.ExecutionContextID}
		return true
	}
	word, number, _ := strings.Cut(e.Payload, " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || word != "acted" && word != "settled" {
		return false
	}
	s.told[word] = id
	return true
}

// RefusedError is a document that the page wanted to load and may not.
type RefusedError struct{ Origin string }

// Error names the origin.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("navigation to %s was refused: it is not one of the site's origins", e.Origin)
}

// guard lets a document load or refuses it. Refusing the page's own document
// ends what is being done; that of a frame inside it does not.
func (t *Tab) guard(e proto.FetchRequestPaused) {
	if e.Request == nil {
		return
	}
	if t.stays(e) {
		t.state.refused = errHeldUp
		t.answer(proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
		return
	}
	if e.ResourceType != proto.NetworkResourceTypeDocument || t.options.Allowed(e.Request.URL) {
		var first func()
		if t.fresh {
			first = t.freshen(e)
		}
		t.answerAfter(first, proto.FetchContinueRequest{RequestID: e.RequestID})
		return
	}
	if e.FrameID == t.page.FrameID {
		t.state.refused = &RefusedError{Origin: originOf(e.Request.URL)}
	}
	t.answer(proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
}

// answer sends a request without waiting for it: the reader of events must
// go on.
func (t *Tab) answer(r request) { t.answerAfter(nil, r) }

// answerAfter is answer with something to do first, unless that is nil.
func (t *Tab) answerAfter(first func(), r request) {
	t.calls.Add(1)
	t.answers.Go(func() {
		if first != nil {
			first()
		}
		// A failure means that the page or the request is gone, which
		// whoever waits for it learns in its own way.
		_ = r.Call(t.page)
	})
}

// originOf keeps the query out of messages: it may hold what a user typed.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an unreadable address"
	}
	return u.Scheme + "://" + u.Host
}

// Dialog says how to answer an alert, confirm or prompt. The zero value
// dismisses it.
type Dialog struct {
	Accept bool
	Text   string // what to write into a prompt
}

// AnswerNext sets the answer to the next dialog; those after it are dismissed.
func (t *Tab) AnswerNext(d Dialog) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.dialog = d
}

func (t *Tab) answerDialog(e proto.PageJavascriptDialogOpening) {
	if e.Type == proto.PageDialogTypeBeforeunload { // the flow wants to leave
		t.answer(proto.PageHandleJavaScriptDialog{Accept: true})
		return
	}
	d := t.state.dialog
	t.state.dialog = Dialog{}
	t.state.dialogs++
	t.answer(proto.PageHandleJavaScriptDialog{Accept: d.Accept, PromptText: d.Text})
}
