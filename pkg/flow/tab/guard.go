package tab

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// guarded is what is held on its way out, at each hop of a redirect, until it
// is known where it goes: documents, and what scripts send. Pictures, scripts,
// styles and fonts load from anywhere.
//
// It holds in the page, its tabs, all of their frames, their dedicated workers,
// and service workers. Chromium has no way to hold WebSockets, what a shared
// worker sends, and what is fetched ahead: as with pictures, the relay alone
// decides where those go.
var guarded = patterns(proto.FetchRequestStageRequest,
	proto.NetworkResourceTypeDocument, proto.NetworkResourceTypeXHR, proto.NetworkResourceTypeFetch,
	proto.NetworkResourceTypeEventSource, proto.NetworkResourceTypePing)

func patterns(stage proto.FetchRequestStage, kinds ...proto.NetworkResourceType) []*proto.FetchRequestPattern {
	var all []*proto.FetchRequestPattern
	for _, kind := range kinds {
		all = append(all, &proto.FetchRequestPattern{URLPattern: "*", ResourceType: kind, RequestStage: stage})
	}
	return all
}

// RefusedError is a document that a tab wanted to load and may not.
type RefusedError struct{ Origin string }

// Error names the origin.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("navigation to %s was refused: it is not one of the site's origins", e.Origin)
}

// guard lets a request go on or refuses it. Refusing a tab's own document ends
// what is being done there; all else that is refused is a network error to the
// page.
func (c *control) guard(s *session, e proto.FetchRequestPaused) {
	if e.Request == nil {
		return
	}
	main := e.ResourceType == proto.NetworkResourceTypeDocument && e.FrameID == s.tab.page.FrameID
	switch {
	case c.mayGo(e, main):
		if c.stays(e) {
			s.tab.state.refused = errHeldUp
			break
		}
		var first func()
		if c.fresh {
			first = c.freshen(s, e)
		}
		c.answerAfter(first, s, proto.FetchContinueRequest{RequestID: e.RequestID})
		return
	case main:
		s.tab.state.refused = &RefusedError{Origin: originOf(e.Request.URL)}
	}
	c.answer(s, proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
}

// mayGo tells whether a request may go where it wants to. What has no network
// address is a page's own: data: and blob: are read anywhere but as a tab's
// document, where a blob: must come from an origin of the site. Chromium shows
// no data: there, javascript:, about: and srcdoc are never asked for, and file:,
// chrome: and view-source: not allowed to a page.
func (c *control) mayGo(e proto.FetchRequestPaused, main bool) bool {
	address := e.Request.URL
	switch e.ResourceType {
	case proto.NetworkResourceTypeDocument, proto.NetworkResourceTypeXHR, proto.NetworkResourceTypeFetch,
		proto.NetworkResourceTypeEventSource, proto.NetworkResourceTypePing:
	default:
		return true
	}
	inner, isBlob := strings.CutPrefix(address, "blob:")
	switch {
	case isBlob && main:
		return c.options.Allowed(inner)
	case isBlob, strings.HasPrefix(address, "data:"):
		return !main
	}
	return c.options.Allowed(address)
}

// originOf keeps the query out of messages: it may hold what a user typed.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an unreadable address"
	}
	return u.Scheme + "://" + u.Host
}
