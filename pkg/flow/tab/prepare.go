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
	list  []preparedPage
}

type preparedPage struct {
	id       proto.TargetSessionID
	own      Viewport // as the browser made it
	viewport Viewport // in force
	windows  *windows // of its browser
}

// get returns what is known of a page that is prepared.
func (s *sessions) get(id proto.TargetSessionID) (p preparedPage, prepared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.index(id); at >= 0 {
		return s.list[at], true
	}
	return preparedPage{}, false
}

// put notes that a page is prepared, what its own viewport is, and which
// browser's it is.
func (s *sessions) put(id proto.TargetSessionID, own Viewport, of *windows) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index(id) >= 0 {
		return
	}
	if len(s.list) >= s.limit {
		s.list = slices.Delete(s.list, 0, s.limit/4)
	}
	s.list = append(s.list, preparedPage{id, own, own, of})
}

// resize notes the viewport that a prepared page has been given.
func (s *sessions) resize(id proto.TargetSessionID, v Viewport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.index(id); at >= 0 {
		s.list[at].viewport = v
	}
}

func (s *sessions) index(id proto.TargetSessionID) int {
	return slices.IndexFunc(s.list, func(p preparedPage) bool { return p.id == id })
}

// Prepare puts the in-page script into a page, for every document to come and
// the one that is there. Attach does it where it has not been done; done ahead,
// it saves the first flow on a page some time. The script stays with the page.
func Prepare(ctx context.Context, page *rod.Page) error {
	if err := (&Tab{control: &control{}, page: pageOf(ctx, page)}).prepare(ctx); err != nil {
		return fmt.Errorf("preparing the page: %w", err)
	}
	return nil
}

// prepare prepares a page that is not prepared yet and sends further requests
// beside.
func (t *Tab) prepare(ctx context.Context, further ...request) error {
	if _, done := prepared.get(t.page.SessionID); done {
		return t.together(ctx, further...)
	}
	size, browser := sizeRequest{}, windowsRequest{ctx: ctx, browser: t.page.browser}
	err := t.together(ctx, slices.Concat(further, scripted(), []request{
		proto.PageSetLifecycleEventsEnabled{Enabled: true}, &size, &browser,
	})...)
	if err == nil {
		prepared.put(t.page.SessionID, size.viewport, browser.windows)
	}
	return err
}

// scripted is what puts the script into the documents of a session. Its parts
// may reach the browser in any order: a script that is there before its
// binding has told nothing yet, and is asked to say hello again.
func scripted() []request {
	return []request{
		proto.PageEnable{},
		bindingRequest{},
		proto.EmulationSetFocusEmulationEnabled{Enabled: true},
		newScript(script),
	}
}

// bindingRequest enables the events, without which no word of a binding
// arrives, and then adds the binding. The other way round, a document whose
// script comes between the two would never get it.
type bindingRequest struct{ proto.RuntimeEnable }

// Call sends both requests.
func (r bindingRequest) Call(c proto.Client) error {
	if err := r.RuntimeEnable.Call(c); err != nil {
		return fmt.Errorf("asking for the script's events: %w", err)
	}
	err := proto.RuntimeAddBinding{Name: binding, ExecutionContextName: world}.Call(c)
	if err != nil {
		return fmt.Errorf("giving the script its binding: %w", err)
	}
	return nil
}

// windowsRequest is windowsOf as one of several.
type windowsRequest struct {
	proto.TargetGetTargetInfo

	ctx     context.Context
	browser *rod.Browser
	windows *windows
}

// Call begins to watch the browser's windows.
func (r *windowsRequest) Call(proto.Client) (err error) {
	r.windows, err = windowsOf(r.ctx, r.browser)
	return err
}

// sizeRequest is Page.getLayoutMetrics as one of several.
type sizeRequest struct {
	proto.PageGetLayoutMetrics
	viewport Viewport
}

// Call sends the request. A page without a size is none that any flow asks for.
func (r *sizeRequest) Call(c proto.Client) error {
	metrics, err := r.PageGetLayoutMetrics.Call(c)
	if err != nil {
		return fmt.Errorf("reading the page's size: %w", err)
	}
	device, css := metrics.LayoutViewport, metrics.CSSLayoutViewport
	if device != nil && css != nil && css.ClientWidth > 0 {
		r.viewport = Viewport{
			Width: css.ClientWidth, Height: css.ClientHeight, Scale: float64(device.ClientWidth) / float64(css.ClientWidth),
		}
	}
	return nil
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

// meet makes the documents that were there before the control announce
// themselves: the page's own says hello, and all tell their contexts again.
func (t *Tab) meet(ctx context.Context) error {
	t.mu.Lock()
	met := t.state.doc.serial > 0 || t.state.starting || t.meeting || t != t.main
	t.meeting = true
	t.mu.Unlock()
	if met {
		return nil
	}
	for _, r := range []request{proto.RuntimeDisable{}, bindingRequest{}} {
		if err := t.together(ctx, r); err != nil {
			return err
		}
	}
	return t.hello(ctx)
}

// hello asks the main document's script to say hello once more.
func (t *Tab) hello(ctx context.Context) error {
	hello := newScript("if (window === window.top && globalThis.gateway) globalThis." + binding + "('hello')")
	if err := t.together(ctx, hello); err != nil {
		return err
	}
	return t.together(ctx, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: *hello.id})
}
