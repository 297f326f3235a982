package tab

import (
	"context"
	"fmt"
	"slices"
	"sync"

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

// prepare puts the script into every document to come, and into the one that
// is there. It stays when the page is given back.
func (t *Tab) prepare(ctx context.Context) error {
	if prepared.has(t.page.SessionID) {
		return nil
	}
	err := t.together(ctx,
		proto.RuntimeEnable{}, // without it, no word of a binding arrives
		proto.RuntimeAddBinding{Name: binding, ExecutionContextName: world},
		proto.PageSetLifecycleEventsEnabled{Enabled: true},
		proto.EmulationSetFocusEmulationEnabled{Enabled: true},
	)
	if err != nil {
		return err
	}
	if _, err := t.addScript(ctx, script); err != nil {
		return err
	}
	prepared.add(t.page.SessionID)
	return nil
}

func (t *Tab) addScript(ctx context.Context, source string) (proto.PageScriptIdentifier, error) {
	t.calls.Add(1)
	added, err := proto.PageAddScriptToEvaluateOnNewDocument{
		Source: source, WorldName: world, RunImmediately: true,
	}.Call(t.page.Context(ctx))
	if err != nil {
		return "", fmt.Errorf("putting the script into the page: %w", err)
	}
	return added.Identifier, nil
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
	id, err := t.addScript(ctx, "if (window === window.top && globalThis.gateway) globalThis."+binding+"('hello')")
	if err != nil {
		return err
	}
	return t.together(ctx, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: id})
}
