package tab

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-rod/rod/lib/proto"
)

// FreshConnections sees to it, until Detach, that what the page sends to
// change something (all but GET, HEAD and OPTIONS) goes over a connection that
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
//   - Workers, and frames of another site, send past the holding. For them,
//     only what is idle at the call is closed.
//   - While another request that changes something has no answer yet, nothing
//     is closed, since over HTTP/2 that would cut the other one off.
//   - Behind a proxy of the environment (http_proxy), nothing is ever closed.
//
// It does nothing when Options.CloseIdle is nil.
func (t *Tab) FreshConnections(ctx context.Context) error {
	if t.options.CloseIdle == nil {
		return nil
	}
	t.mu.Lock()
	t.fresh = true
	t.mu.Unlock()
	err := t.together(ctx, proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{
		{URLPattern: "*", RequestStage: proto.FetchRequestStageRequest},
		{URLPattern: "*", RequestStage: proto.FetchRequestStageResponse},
	}})
	if err != nil {
		return t.failed(ctx, err)
	}
	t.options.CloseIdle()
	return nil
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

var errHeldUp = errors.New("this process was held up for so long that the request was not sent any more")

// stays says whether a request that is held must not go on. See AskFirst.
func (t *Tab) stays(e proto.FetchRequestPaused) bool {
	if !t.fresh || t.mayLeave == nil || isAnswer(e) || !changes(e) {
		return false
	}
	if t.mayLeave() {
		t.mayLeave = nil
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

// freshen is what to do before a request that is held goes on, or nil. It keeps
// account of the requests that change something and have no answer yet.
func (t *Tab) freshen(e proto.FetchRequestPaused) (first func()) {
	unanswered := t.state.unanswered
	if isAnswer(e) {
		delete(unanswered, e.RequestID)
		return nil
	}
	if !changes(e) {
		return nil
	}
	if len(unanswered) == 0 {
		first = t.options.CloseIdle
	}
	unanswered[e.RequestID] = true
	return first
}
