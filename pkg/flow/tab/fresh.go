package tab

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// FreshConnections sees to it, until Detach, that what the page, its tabs and
// their frames send to change something (all but GET, HEAD and OPTIONS) goes over a connection that
// no request has gone over before. Chromium sends a request again by itself,
// a POST too, when a connection that it reused ends without an answer: one
// click would be two orders. It does not on a connection's first request.
//
// The idle connections are closed at once, and again while such a request is
// held on its way out, so that neither what the page has loaded since then nor
// what Chromium has connected ahead is reused.
//
// A request may still go out twice, if the site ends its connection without an
// answer, where that does not reach:
//   - Over HTTP/2 it may share a connection with what the page loads beside it.
//   - CORS asks for leave over the same connection right before it.
//   - Shared workers send past the holding, and so does a service worker that
//     Chromium starts anew until it is under control. For them, only what is
//     idle at the call is closed.
//   - While another request that changes something has no answer yet, nothing
//     is closed, since over HTTP/2 that would cut the other one off.
//   - Behind a proxy of the environment (http_proxy), nothing is ever closed.
//
// It does nothing when Options.CloseIdle is nil.
func (t *Tab) FreshConnections(ctx context.Context) error {
	if t.options.CloseIdle == nil {
		return nil
	}
	if err := t.holdEverything(ctx); err != nil {
		return t.failed(ctx, err)
	}
	t.options.CloseIdle()
	return nil
}

// everything holds whatever is sent, and its answer.
var everything = append(patterns(proto.FetchRequestStageRequest, ""), patterns(proto.FetchRequestStageResponse, "")...)

// holdEverything is in force in all sessions, and in those to come.
func (c *control) holdEverything(ctx context.Context) error {
	c.mu.Lock()
	c.fresh = true
	var sessions []*session
	for _, s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		wg.Go(func() {
			err := c.all(s.within(ctx), proto.FetchEnable{Patterns: everything})
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.sessions[s.id] == s { // else it has gone
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// AskFirst sees to it that mayLeave is asked before the next request that
// changes something leaves the browser. While it says no, none does, and the Tab
// fails. It holds between the click and its request, where this process may
// have been stopped for long; only after FreshConnections.
func (t *Tab) AskFirst(mayLeave func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mayLeave = mayLeave
}

// Answered says whether the site has answered all that was sent to change
// something since AskFirst, and that there was something. An answer 500 or above
// may be that of a proxy, behind which the site is still at work: it is none.
func (t *Tab) Answered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left && !t.unheard && len(t.unanswered) == 0
}

var errHeldUp = errors.New("this process was held up for so long that the request was not sent any more")

// stays says whether a request that is held must not go on. See AskFirst.
func (c *control) stays(e proto.FetchRequestPaused) bool {
	if !c.fresh || c.mayLeave == nil || isAnswer(e) || !changes(e) {
		return false
	}
	if c.mayLeave() {
		c.mayLeave, c.left = nil, true
		return false
	}
	return true
}

// isAnswer says whether what is held is the answer to a request.
func isAnswer(e proto.FetchRequestPaused) bool {
	return e.ResponseStatusCode != nil || e.ResponseErrorReason != ""
}

// changes says whether a request may change something at the site.
func changes(e proto.FetchRequestPaused) bool {
	switch e.Request.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// held is a request that was held; its id is one of its session's.
type held struct {
	session proto.TargetSessionID
	request proto.FetchRequestID
}

// freshen is what to do before a request that is held goes on, or nil. It keeps
// account of the requests that change something and have no answer yet.
func (c *control) freshen(s *session, e proto.FetchRequestPaused) (first func()) {
	id := held{s.id, e.RequestID}
	if isAnswer(e) {
		if c.unanswered[id] && (e.ResponseStatusCode == nil || *e.ResponseStatusCode >= http.StatusInternalServerError) {
			c.unheard = c.unheard || c.left
		}
		delete(c.unanswered, id)
		return nil
	}
	if !changes(e) {
		return nil
	}
	if len(c.unanswered) == 0 {
		first = c.options.CloseIdle
	}
	c.unanswered[id] = true
	return first
}
