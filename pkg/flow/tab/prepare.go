package tab

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// prepared remembers which pages have the in-page script already: putting it
// there costs as much as a short flow, and a warm page is attached to again
// and again.
var prepared = sessions{limit: 4096}

// sessions is a bounded set; the oldest go first. A page that is forgotten is
// merely prepared once more.
type sessions struct {
	mu    sync.Mutex
	limit int
	list  []proto.TargetSessionID
}

func (s *sessions) has(id proto.TargetSessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.list, id)
}

func (s *sessions) add(id proto.TargetSessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) >= s.limit {
		s.list = slices.Delete(s.list, 0, s.limit/4)
	}
	s.list = append(s.list, id)
}

// Prepare puts the in-page script into a page, for every document to come and
// the one that is there. Attach does it where it has not been done; done ahead,
// it saves the first flow on a page some time. The script stays with the page.
func Prepare(ctx context.Context, page *rod.Page) error {
	t := &Tab{page: page}
	if prepared.has(page.SessionID) {
		return nil
	}
	if err := t.together(ctx, t.preparations()...); err != nil {
		return fmt.Errorf("preparing the page: %w", err)
	}
	prepared.add(page.SessionID)
	return nil
}

// preparations may reach the browser in any order: a script that is there
// before its binding has told nothing yet, and meet asks it again.
func (t *Tab) preparations() []request {
	return []request{
		proto.RuntimeEnable{}, // without it, no word of a binding arrives
		proto.RuntimeAddBinding{Name: binding, ExecutionContextName: world},
		proto.PageSetLifecycleEventsEnabled{Enabled: true},
		proto.EmulationSetFocusEmulationEnabled{Enabled: true},
		newScript(script),
	}
}

// scriptRequest is Page.addScriptToEvaluateOnNewDocument as one of several.
type scriptRequest struct {
	proto.PageAddScriptToEvaluateOnNewDocument
	id *proto.PageScriptIdentifier
}

func newScript(source string) scriptRequest {
	return scriptRequest{proto.PageAddScriptToEvaluateOnNewDocument{
		Source: source, WorldName: world, RunImmediately: true,
	}, new(proto.PageScriptIdentifier)}
}

// Call sends the request.
func (r scriptRequest) Call(c proto.Client) error {
	added, err := r.PageAddScriptToEvaluateOnNewDocument.Call(c)
	if err != nil {
		return fmt.Errorf("putting the script into the page: %w", err)
	}
	*r.id = added.Identifier
	return nil
}

// meet makes the document that was there before the control announce itself.
func (t *Tab) meet(ctx context.Context) error {
	t.mu.Lock()
	met := t.state.doc.serial > 0 || t.state.starting || t.meeting
	t.meeting = true
	t.mu.Unlock()
	if met {
		return nil
	}
	hello := newScript("if (window === window.top && globalThis.gateway) globalThis." + binding + "('hello')")
	if err := t.together(ctx, hello); err != nil {
		return err
	}
	return t.together(ctx, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: *hello.id})
}
