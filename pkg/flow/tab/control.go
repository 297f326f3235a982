package tab

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// control is what the tabs of one Attach have in common: the sessions through
// which the browser is spoken to about them, and the goroutine that reads their
// events.
type control struct {
	main    *Tab
	options Options
	browser *rod.Browser // its calls and events end with life
	life    context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}  // closed when the reader of events has ended
	answers sync.WaitGroup // answers to events, under way
	nextID  atomic.Int64
	calls   atomic.Int64

	mu         sync.Mutex
	changed    chan struct{}                 // closed and replaced whenever the state below, or a tab's, changes
	tabs       []*Tab                        // main first, then as they were opened
	openers    map[proto.TargetTargetID]bool // windows that these open are ours; bounded by what Chromium opens for a page
	sessions   map[proto.TargetSessionID]*session
	windows    *windows
	dialog     Dialog // what to answer next
	fresh      bool   // FreshConnections has been called
	mayLeave   func() bool
	left       bool          // a request has gone that AskFirst was about
	unheard    bool          // one has since gone without an answer that tells of it
	unanswered map[held]bool // see freshen
}

// session is one of the ways in which the browser is spoken to: about a page,
// about a frame that Chromium keeps in another process, or about a service
// worker.
type session struct {
	client // whose context ends with the session

	end      context.CancelCauseFunc
	kind     string // page, iframe or service_worker
	tab      *Tab
	target   proto.TargetTargetID // of an iframe: the frame's id as well
	contexts map[proto.RuntimeExecutionContextID]realm
}

// realm is where scripts of a frame run.
type realm struct {
	frame proto.PageFrameID
	ours  bool // the isolated world; else the page's own
}

func newControl(page *rod.Page, options Options) *control {
	life, cancel := context.WithCancelCause(page.GetContext())
	c := &control{
		options: options, browser: page.Browser().Context(life), life: life, cancel: cancel,
		done: make(chan struct{}), changed: make(chan struct{}),
		sessions: map[proto.TargetSessionID]*session{}, unanswered: map[held]bool{},
		openers: map[proto.TargetTargetID]bool{page.TargetID: true},
	}
	c.main = c.add(pageOf(life, page))
	return c
}

// add makes a tab of a page. The mutex is held, or there is no reader yet.
func (c *control) add(p page) *Tab {
	t := &Tab{control: c, page: p, state: state{told: map[string]int64{}}}
	c.tabs = append(c.tabs, t)
	c.join(&session{client: c.client(p.SessionID), kind: "page", tab: t, target: p.TargetID})
	return t
}

func (c *control) join(s *session) {
	s.ctx, s.end = context.WithCancelCause(c.life)
	s.contexts = map[proto.RuntimeExecutionContextID]realm{}
	c.sessions[s.id] = s
}

// bound bounds a call to a session with the session's own end as well: Chromium
// leaves a call without an answer when its target goes.
func (c *control) bound(ctx context.Context, id proto.TargetSessionID) (context.Context, func()) {
	c.mu.Lock()
	s := c.sessions[id]
	c.mu.Unlock()
	if c.main != nil && id == c.main.page.SessionID || c.main == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if s == nil {
		cancel(errGone)
		return ctx, func() {}
	}
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

// end breaks the control off and waits for its goroutines.
func (c *control) end(ctx context.Context, cause error) {
	c.disown(ctx)
	c.cancel(cause)
	<-c.done
	c.answers.Wait()
}

// page is how a tab's page is spoken to.
type page struct {
	browser *rod.Browser
	life    context.Context

	SessionID proto.TargetSessionID
	TargetID  proto.TargetTargetID
	FrameID   proto.PageFrameID // of the main frame
}

func pageOf(life context.Context, p *rod.Page) page {
	return page{p.Browser(), life, p.SessionID, p.TargetID, p.FrameID}
}

// Context is the page for calls that end with ctx.
func (p page) Context(ctx context.Context) client { return client{p.browser, ctx, p.SessionID} }

// GetContext ends with the control.
func (p page) GetContext() context.Context { return p.life }

// client speaks to the browser through one session.
type client struct {
	*rod.Browser

	ctx context.Context
	id  proto.TargetSessionID
}

func (c *control) client(id proto.TargetSessionID) client { return client{c.browser, c.life, id} }

// GetSessionID names the session to the calls of package proto.
func (c client) GetSessionID() proto.TargetSessionID { return c.id }

// GetContext bounds the calls of package proto.
func (c client) GetContext() context.Context { return c.ctx }

func (c client) within(ctx context.Context) client {
	c.ctx = ctx
	return c
}

// answer sends a request without waiting for it: the reader of events must
// go on.
func (c *control) answer(to proto.Client, r request) { c.answerAfter(nil, to, r) }

// answerAfter is answer with something to do first, unless that is nil.
func (c *control) answerAfter(first func(), to proto.Client, r request) {
	c.calls.Add(1)
	c.answers.Go(func() {
		if first != nil {
			first()
		}
		// A failure means that the page or the request is gone, which
		// whoever waits for it learns in its own way.
		_ = r.Call(to)
	})
}
