// Package tab drives one page of a browser for the player of flows: it finds,
// waits, clicks and types with few round trips, follows the page from document
// to document, enters frames of whatever origin and the tabs that the page
// opens, and refuses documents and requests to elsewhere.
//
// What looks and waits runs inside the page (folder inpage), in an isolated
// world. What navigates is followed by the events of the browser, which one
// goroutine reads in order.
package tab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// Options say how to drive a page.
type Options struct {
	// Allowed says whether the page may load a document from an address, and
	// send requests to it.
	Allowed func(address string) bool
	// CloseIdle closes the page's connections that are open and idle, for
	// FreshConnections. It may be nil.
	CloseIdle func()
}

// Tab is a page under control: the one that Attach took, or one that has been
// opened from it since. The methods of all tabs of one Attach are for one
// goroutine.
type Tab struct {
	*control
	page page

	modifiers int // keys held down, as CDP's bits

	state    state   // guarded by the control's mutex
	meeting  bool    // meet has been called
	emulates bool    // another network than the real one
	marked   []int   // the frame of the element that was marked last
	touched  *island // where the last act was aimed at, unless that is the main document
}

// state is what the events have told of a tab.
type state struct {
	doc        document
	goneSerial int    // documents up to this one are known to be gone
	address    string // of the main frame
	loader     proto.NetworkLoaderID
	ready      proto.NetworkLoaderID // the last one whose DOMContentLoaded came
	arrivals   int                   // documents and route changes so far
	starting   bool                  // a navigation has begun and its document is not there yet
	told       map[string]int64      // the last id of each word that the script told
	refused    error                 // a document that was refused
	crashed    error
	closed     bool
}

// document is one document with the script in it.
type document struct {
	serial  int // of the main frame's: counts the announcements
	session proto.TargetSessionID
	context proto.RuntimeExecutionContextID
}

// Attach takes control of a page and of what it opens. The context is for
// taking it alone; the control ends with Detach, and breaks off with the
// page's own context.
func Attach(ctx context.Context, page *rod.Page, options Options) (*Tab, error) {
	c := newControl(page, options)
	t := c.main
	go c.follow(c.browser.Event())
	err := t.prepare(ctx, append(c.watchOver("page"), leftDialog{})...)
	if err == nil {
		err = c.own(t)
	}
	if err != nil {
		c.end(ctx, err)
		return nil, fmt.Errorf("taking control of the page: %w", err)
	}
	return t, nil
}

// Detach gives the page back and closes the tabs that it has opened. What is
// left is the script in its isolated world, for the next Attach. The error
// tells that the page is not to be used again.
func (t *Tab) Detach(ctx context.Context) error {
	t = t.main
	err := t.closeOpened(ctx)
	requests := []request{proto.FetchDisable{}, proto.TargetSetAutoAttach{Flatten: true}}
	if t.emulates {
		requests = append(requests, proto.NetworkDisable{})
	}
	err = errors.Join(err, t.together(ctx, requests...))
	t.end(ctx, errors.New("the page was given back"))
	if err != nil {
		return fmt.Errorf("giving the page back: %w", err)
	}
	return nil
}

// request is a call that answers nothing.
type request interface {
	proto.Request
	Call(c proto.Client) error
}

// together sends requests to the tab side by side, in the time of one.
func (t *Tab) together(ctx context.Context, requests ...request) error {
	ctx, cancel := t.bound(ctx, t.page.SessionID)
	defer cancel()
	return t.all(t.page.Context(ctx), requests...)
}

// all sends requests to a session side by side.
func (c *control) all(to proto.Client, requests ...request) error {
	errs := make([]error, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			c.calls.Add(1)
			errs[i] = r.Call(to)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Calls returns how many requests were sent to the browser so far, for all
// tabs.
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

// ErrClosed says that the tab is not there any more: the page or a step has
// closed it.
var ErrClosed = errors.New("the tab was closed")

func (s *state) end() error {
	switch {
	case s.refused != nil:
		return s.refused
	case s.crashed != nil:
		return s.crashed
	case s.closed:
		return ErrClosed
	}
	return nil
}

// await waits until a condition on the state holds. It fails when the page
// crashes or is closed, when it wanted to go where it may not, and with the
// context.
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
		if err := t.wait(ctx, changed, 0); err != nil {
			return err
		}
	}
}

// wait waits until the events have told more, or for a time at most unless
// that is 0.
func (c *control) wait(ctx context.Context, changed <-chan struct{}, limit time.Duration) error {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return fmt.Errorf("the page did not get there: %w", context.Cause(ctx))
	case <-c.life.Done():
		return fmt.Errorf("the page did not get there: %w", context.Cause(c.life))
	}
	return nil
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
