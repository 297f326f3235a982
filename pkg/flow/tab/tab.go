// Package tab drives one page of a browser for the player of flows: it finds,
// waits, clicks and types with few round trips, follows the page from document
// to document, and refuses documents from elsewhere.
//
// What looks and waits runs inside the page (folder inpage), in an isolated
// world. What navigates is followed by the page's own events, which one
// goroutine reads in order.
package tab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Options say how to drive a page.
type Options struct {
	// Allowed says whether the page may load a document from an address.
	Allowed func(address string) bool
	// CloseIdle closes the page's connections that are open and idle, for
	// FreshConnections. It may be nil.
	CloseIdle func()
}

// Tab is a page under control, from Attach to Detach. Its methods are for one
// goroutine.
type Tab struct {
	page    *rod.Page
	options Options
	cancel  context.CancelCauseFunc
	done    chan struct{}  // closed when the reader of events has ended
	answers sync.WaitGroup // answers to events, under way
	nextID  atomic.Int64
	calls   atomic.Int64

	modifiers int // keys held down, as CDP's bits

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever the state below changes
	state    state
	meeting  bool        // meet has been called
	emulates bool        // another network than the real one
	fresh    bool        // FreshConnections has been called
	mayLeave func() bool // see AskFirst; nil once it has said yes
}

// document is one document of the main frame, as its script announced itself.
type document struct {
	serial  int // counts the announcements
	context proto.RuntimeExecutionContextID
}

// state is what the events have told.
type state struct {
	doc        document
	goneSerial int    // documents up to this one are known to be gone
	address    string // of the main frame
	loader     proto.NetworkLoaderID
	ready      proto.NetworkLoaderID // the last one whose DOMContentLoaded came
	arrivals   int                   // documents and route changes so far
	starting   bool                  // a navigation has begun and its document is not there yet
	told       map[string]int64      // the last id of each word that the script told
	dialog     Dialog                // what to answer next
	dialogs    int                   // dialogs answered so far
	refused    error                 // a document that was refused
	crashed    error
	unanswered map[proto.FetchRequestID]bool // see freshen
}

// Attach takes control of a page. The context is for taking it alone; the
// control ends with Detach, and breaks off with the page's own context.
func Attach(ctx context.Context, page *rod.Page, options Options) (*Tab, error) {
	life, cancel := context.WithCancelCause(page.GetContext())
	t := &Tab{
		page:    page.Context(life),
		options: options,
		cancel:  cancel,
		done:    make(chan struct{}),
		changed: make(chan struct{}),
		state:   state{told: map[string]int64{}, unanswered: map[proto.FetchRequestID]bool{}},
	}
	go t.follow(t.page.Event())
	err := t.prepare(ctx, proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{
		URLPattern: "*", ResourceType: proto.NetworkResourceTypeDocument, RequestStage: proto.FetchRequestStageRequest,
	}}})
	if err != nil {
		cancel(err)
		<-t.done
		t.answers.Wait()
		return nil, fmt.Errorf("taking control of the page: %w", err)
	}
	return t, nil
}

// request is a call that answers nothing.
type request interface {
	proto.Request
	Call(c proto.Client) error
}

// together sends requests side by side, in the time of one.
func (t *Tab) together(ctx context.Context, requests ...request) error {
	errs := make([]error, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			t.calls.Add(1)
			errs[i] = r.Call(t.page.Context(ctx))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Detach gives the page back. What is left is the script in its isolated
// world, for the next Attach. The error tells that the page is not to be used
// again.
func (t *Tab) Detach(ctx context.Context) error {
	requests := []request{proto.FetchDisable{}}
	if t.emulates {
		requests = append(requests, proto.NetworkDisable{})
	}
	err := t.together(ctx, requests...)
	t.cancel(errors.New("the page was given back"))
	<-t.done
	t.answers.Wait()
	if err != nil {
		return fmt.Errorf("giving the page back: %w", err)
	}
	return nil
}

// Calls returns how many requests were sent to the browser so far.
func (t *Tab) Calls() int64 { return t.calls.Load() }

// Address returns where the page is.
func (t *Tab) Address() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.address
}

// Arrivals counts the documents and route changes so far.
func (t *Tab) Arrivals() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.arrivals
}

// Documents counts the documents so far.
func (t *Tab) Documents() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.doc.serial
}

// Arrived waits for a document or a route change besides those that Arrivals
// had counted before.
func (t *Tab) Arrived(ctx context.Context, before int) error {
	return t.await(ctx, func(s *state) bool { return s.arrivals > before })
}

func (t *Tab) moved(address string) {
	if address == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.address = address
}

func (t *Tab) ended() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.end()
}

func (s *state) end() error {
	if s.crashed != nil {
		return s.crashed
	}
	return s.refused
}

// await waits until a condition on the state holds. It fails when the page
// crashes, when it wanted to go where it may not, and with the context.
func (t *Tab) await(ctx context.Context, holds func(*state) bool) error {
	for {
		t.mu.Lock()
		if err := t.state.end(); err != nil {
			t.mu.Unlock()
			return err
		}
		met, changed := holds(&t.state), t.changed
		t.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the page did not get there: %w", context.Cause(ctx))
		case <-t.page.GetContext().Done():
			return fmt.Errorf("the page did not get there: %w", context.Cause(t.page.GetContext()))
		}
	}
}

// document waits for a document that is not known to be gone.
func (t *Tab) document(ctx context.Context) (document, error) {
	var doc document
	if err := t.meet(ctx); err != nil {
		return doc, err
	}
	err := t.await(ctx, func(s *state) bool {
		doc = s.doc
		return !s.starting && doc.serial > s.goneSerial
	})
	return doc, err
}

// gone notes that a document does not answer any more.
func (t *Tab) gone(doc document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.goneSerial = max(t.state.goneSerial, doc.serial)
}

// told waits for the next document and reports whether the script of the one
// before had told a word with an id.
func (t *Tab) told(ctx context.Context, word string, id int64) bool {
	if _, err := t.document(ctx); err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.told[word] == id
}
