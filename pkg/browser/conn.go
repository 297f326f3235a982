package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"
)

const (
	// maxFrame bounds one message from Chromium. A full-page screenshot has
	// some ten megabytes.
	maxFrame = 64 << 20
	// writeTimeout is how long Chromium may leave its pipe full. It reads on a
	// thread of its own, so a browser that does not read is a dead one.
	writeTimeout = 10 * time.Second
	// codeTooLong marks an error that is ours: an answer above the limit. It is
	// the protocol's code for errors of the server.
	codeTooLong = -32000
)

// deadlineWriter is the end of a pipe that commands go into.
type deadlineWriter interface {
	io.WriteCloser
	SetWriteDeadline(time.Time) error
}

// conn speaks the Chrome DevTools Protocol over a pair of pipes. It is go-rod's
// CDPClient, in place of go-rod's websocket, which panics on some frames and
// does not heed the context while it sends.
type conn struct {
	in      *frameReader
	closers []io.Closer
	out     deadlineWriter
	writing chan struct{}    // holds one element while a frame is written
	timeout time.Duration    // of one write
	events  chan *cdp.Event  // to go-rod
	observe func(*cdp.Event) // sees each event first; must neither block nor call
	workers sync.WaitGroup   // the reader
	ctx     context.Context  // ends with the connection; its cause says why
	cancel  context.CancelCauseFunc

	sessions channelSessions

	mu      sync.Mutex
	lastID  int
	pending map[int]*pendingCall
}

// pendingCall is a command that waits for its answer, from a caller or from a
// channel's client.
type pendingCall struct {
	session  string
	done     chan answer // buffered: the reader never waits for a caller
	channel  *Channel    // instead of done
	clientID int64       // of the channel's command
}

type answer struct {
	result []byte
	err    error
}

// message is any frame from Chromium: an answer when it has an id.
type message struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// answer is for go-rod, or for the rest of this package.
func (m message) answer() answer {
	if m.Error == nil {
		return answer{result: m.Result}
	}
	var err cdp.Error
	if json.Unmarshal(m.Error, &err) != nil {
		return answer{err: errors.New("browser: an error that is not understood")}
	}
	return answer{err: &err}
}

// newConn starts a connection that takes frames of up to limit bytes. It owns
// its ends of the pipes; close ends it.
func newConn(in io.ReadCloser, out deadlineWriter, limit int, observe func(*cdp.Event)) *conn {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &conn{
		in: newFrameReader(in, limit), closers: []io.Closer{in, out}, out: out,
		writing: make(chan struct{}, 1), timeout: writeTimeout,
		events: make(chan *cdp.Event, 64), observe: observe,
		ctx: ctx, cancel: cancel, pending: map[int]*pendingCall{},
	}
	c.workers.Go(c.read)
	return c
}

// close ends the connection with a cause and waits for its goroutines.
func (c *conn) close(cause error) {
	c.fail(cause)
	c.workers.Wait()
}

// fail ends the connection: its context, both pipes and all pending calls.
// The first cause stays.
func (c *conn) fail(cause error) {
	c.cancel(cause)
	for _, closer := range c.closers {
		_ = closer.Close() // a second close, or a pipe that is broken already
	}
}

// Event is part of go-rod's CDPClient. The channel is closed with the
// connection.
func (c *conn) Event() <-chan *cdp.Event { return c.events }

// Call sends a command and waits for its answer; it is part of go-rod's
// CDPClient. When ctx or the connection ends first, the error is its cause.
func (c *conn) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	pending := &pendingCall{session: session, done: make(chan answer, 1)}
	id := c.register(pending)
	defer c.forget(id)
	frame, err := json.Marshal(cdp.Request{ID: id, SessionID: session, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("browser: encode %s: %w", method, err)
	}
	if err := c.push(ctx, c.ctx, append(frame, 0)); err != nil {
		return nil, err
	}
	select {
	case got := <-pending.done:
		return got.result, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
}

// push writes a frame, unless ctx or life ends before its turn. Life ends with the
// connection.
func (c *conn) push(ctx, life context.Context, frame []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-life.Done():
		return context.Cause(life)
	}
	defer func() { <-c.writing }()
	if err := c.send(frame); err != nil {
		c.fail(fmt.Errorf("%w: writing to its pipe: %w", ErrGone, err))
		return context.Cause(c.ctx)
	}
	return nil
}

// abandon ends the pending calls of a session whose page will never answer.
func (c *conn) abandon(session string, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, pending := range c.pending {
		if pending.session == session && pending.channel == nil {
			delete(c.pending, id)
			pending.done <- answer{err: cause}
		}
	}
}

func (c *conn) register(pending *pendingCall) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	c.pending[c.lastID] = pending
	return c.lastID
}

func (c *conn) forget(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func (c *conn) settle(m message) {
	c.mu.Lock()
	pending := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	switch {
	case pending == nil:
	case pending.channel != nil:
		pending.channel.deliver(Message{ID: pending.clientID, Session: pending.session, Result: m.Result, Error: m.Error})
	default:
		pending.done <- m.answer()
	}
}

// send writes one frame. After a failure the stream may stand in the middle
// of a frame, so the connection is of no more use.
func (c *conn) send(frame []byte) error {
	if err := c.out.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	_, err := c.out.Write(frame)
	return err
}

func (c *conn) read() {
	defer close(c.events)
	for {
		frame, err := c.in.next()
		if errors.Is(err, errFrameTooLong) {
			c.refuse(frame)
			continue
		}
		if err != nil {
			c.fail(fmt.Errorf("%w: reading from its pipe: %w", ErrGone, err))
			return
		}
		if err := c.receive(frame); err != nil {
			c.fail(fmt.Errorf("%w: %w", ErrGone, err))
			return
		}
	}
}

// refuse answers the call whose result is too long to take. Chromium writes
// the id first. An event that is too long is left out.
func (c *conn) refuse(prefix []byte) {
	var m message
	if _, err := fmt.Sscanf(string(prefix[:min(len(prefix), 32)]), `{"id":%d`, &m.ID); err == nil {
		m.Error = fmt.Appendf(nil, `{"code":%d,"message":"the answer has more than %d bytes"}`, codeTooLong, c.in.limit)
		c.settle(m)
	}
}

func (c *conn) receive(frame []byte) error {
	if was, err := c.toChannel(frame); was {
		return err
	}
	var m message
	if err := json.Unmarshal(frame, &m); err != nil {
		return fmt.Errorf("a frame that is not JSON: %w", err)
	}
	switch {
	case m.ID != 0:
		c.settle(m)
	case m.Method != "":
		event := &cdp.Event{SessionID: m.SessionID, Method: m.Method, Params: m.Params}
		if c.observe != nil {
			c.observe(event)
		}
		select {
		case c.events <- event:
		case <-c.ctx.Done():
		}
	}
	return nil
}
