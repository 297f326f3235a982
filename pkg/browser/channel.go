package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

const (
	// maxUnread is how many bytes a channel keeps for a reader that is slow; one
	// message has room at any time.
	maxUnread = 32 << 20
	// attachTimeout bounds the opening of a channel and its end in Chromium.
	attachTimeout = 5 * time.Second
	// overhead is what a message needs besides its text, about.
	overhead = 256
	// browserKind is the type of the target that stands for Chromium as a whole.
	browserKind = "browser"
)

// errNoSession is what Chromium answers to a command for a session that does
// not exist.
var errNoSession = json.RawMessage(`{"code":-32001,"message":"Session with given id not found."}`)

var (
	// ErrSlow says that a channel's reader has left too much unread.
	ErrSlow = errors.New("browser: the channel's reader is too slow")
	// ErrChannelClosed says that the channel was closed.
	ErrChannelClosed = errors.New("browser: the channel was closed")
)

// Channel is a DevTools session with Chromium as a whole, for a client besides
// go-rod. What it discovers, attaches to and sets is its own: channels side by
// side do not disturb each other. Its methods may be called from several
// goroutines.
type Channel struct {
	conn   *conn
	root   string               // its session with the browser
	target proto.TargetTargetID // what that session is attached to
	ctx    context.Context      // ends with the channel; its cause says why
	end    context.CancelCauseFunc
	closed sync.Once

	mu     sync.Mutex
	unread []Message
	size   int           // bytes of unread
	more   chan struct{} // holds one element when unread may have grown
}

// Message is a command to Chromium, or what Chromium says: the answer to a
// command, with the command's ID, or an event, with a Method.
type Message struct {
	ID      int64           // of a command and its answer, as the client numbers them
	Session string          // "" for the browser as a whole
	Method  string          // of a command or an event
	Params  json.RawMessage // of a command or an event; may be empty
	Result  json.RawMessage // of an answer
	Error   json.RawMessage // of an answer, instead of a result
}

func (m Message) size() int {
	return overhead + len(m.Session) + len(m.Method) + len(m.Params) + len(m.Result) + len(m.Error)
}

// ContextID names the isolated context that the page lives in.
func (p *Page) ContextID() proto.BrowserBrowserContextID { return p.in.id }

// OpenChannel opens a channel, which ends when Context does. Ctx bounds the
// opening only. The channel reaches all that Chromium has: whoever passes
// somebody else's commands on has to look at them first.
func (p *Page) OpenChannel(ctx context.Context) (*Channel, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if p.life.Err() != nil {
		return nil, p.Err()
	}
	c := &Channel{conn: p.in.on.conn, more: make(chan struct{}, 1)}
	c.ctx, c.end = context.WithCancelCause(p.life)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attachTimeout) // or nobody would detach it
	defer cancel()
	if err := c.open(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Channel) open(ctx context.Context) error {
	var made proto.TargetAttachToBrowserTargetResult
	if err := call(ctx, c.conn, "", proto.TargetAttachToBrowserTarget{}, &made); err != nil {
		return err
	}
	c.root = string(made.SessionID)
	c.conn.sessions.add(c.root, channelSession{channel: c, kind: browserKind})
	var own proto.TargetGetTargetInfoResult
	if err := call(ctx, c.conn, c.root, proto.TargetGetTargetInfo{}, &own); err != nil {
		return err
	}
	c.target = own.TargetInfo.TargetID
	return nil
}

// BrowserTarget is the target that stands for Chromium as a whole: each channel
// has one of its own.
func (c *Channel) BrowserTarget() proto.TargetTargetID { return c.target }

// TargetType is the type of what a session is attached to, such as "page";
// "browser" for the channel itself, and "" for a session that it does not have.
func (c *Channel) TargetType(session string) string {
	if session == "" {
		session = c.root
	}
	its := c.conn.sessions.get(session)
	if its.channel != c {
		return ""
	}
	return its.kind
}

// Target asks Chromium about one of its targets, whosever it is.
func (c *Channel) Target(ctx context.Context, id proto.TargetTargetID) (*proto.TargetTargetInfo, error) {
	var got proto.TargetGetTargetInfoResult
	if err := call(ctx, c.conn, c.root, proto.TargetGetTargetInfo{TargetID: id}, &got); err != nil {
		return nil, err
	}
	return got.TargetInfo, nil
}

// Send sends a command; its parameters must be JSON. The answer comes out of
// Receive, once to each command; to one whose session is not the channel's, or
// is not any more, it is the error of Chromium for a session that does not exist.
func (c *Channel) Send(ctx context.Context, m Message) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	session := m.Session
	if session == "" {
		session = c.root
	}
	if bytes.IndexByte(m.Params, 0) >= 0 {
		return errors.New("browser: parameters that are not JSON") // they would be two frames
	}
	if c.conn.sessions.get(session).channel != c {
		c.deliver(Message{ID: m.ID, Session: m.Session, Error: errNoSession})
		return nil
	}
	id := c.conn.register(&pendingCall{session: session, channel: c, clientID: m.ID})
	frame, err := encodeCommand(id, session, m)
	if err == nil {
		err = c.conn.push(ctx, c.ctx, frame)
	}
	if err != nil {
		c.conn.forget(id)
		return err
	}
	if c.conn.sessions.get(session).channel != c { // it ended meanwhile, perhaps before register
		c.conn.dropSession(session)
	}
	return nil
}

// encodeCommand leaves the parameters as they are, which json.Marshal would
// look through once more.
func encodeCommand(id int, session string, m Message) ([]byte, error) {
	method, err := json.Marshal(m.Method)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, 0, len(session)+len(method)+len(m.Params)+64)
	frame = strconv.AppendInt(append(frame, `{"id":`...), int64(id), 10)
	frame = append(append(frame, `,"method":`...), method...)
	frame = append(append(append(frame, `,"sessionId":"`...), session...), '"')
	if len(m.Params) > 0 {
		frame = append(append(frame, `,"params":`...), m.Params...)
	}
	return append(frame, '}', 0), nil
}

// Receive returns the next answer or event, in Chromium's order. When the
// channel has ended, the error is its cause: Context's, ErrSlow or
// ErrChannelClosed.
func (c *Channel) Receive(ctx context.Context) (Message, error) {
	for {
		if m, is := c.next(); is {
			return m, nil
		}
		select {
		case <-c.more:
		case <-c.ctx.Done():
			return Message{}, context.Cause(c.ctx)
		case <-ctx.Done():
			return Message{}, context.Cause(ctx)
		}
	}
}

func (c *Channel) next() (Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unread) == 0 || c.ctx.Err() != nil {
		return Message{}, false
	}
	m := c.unread[0]
	c.unread[0] = Message{} // it may be large
	c.unread = c.unread[1:]
	c.size -= m.size()
	return m, true
}

// deliver keeps a message for Receive. It runs on the connection's reader, so it
// never waits: a channel that is not read ends instead.
func (c *Channel) deliver(m Message) {
	if m.Session == c.root {
		m.Session = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ctx.Err() != nil:
		c.unread, c.size = nil, 0
		return
	case len(c.unread) > 0 && c.size+m.size() > maxUnread:
		c.unread, c.size = nil, 0
		c.end(ErrSlow)
		return
	}
	c.unread = append(c.unread, m)
	c.size += m.size()
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// Close ends the channel, and with it in Chromium all that it had attached to
// and set. Pages that it opened stay.
func (c *Channel) Close() {
	c.closed.Do(func() {
		c.end(ErrChannelClosed)
		if c.root == "" {
			return
		}
		ctx, cancel := context.WithTimeoutCause(c.conn.ctx, attachTimeout, errors.New("no answer"))
		defer cancel()
		err := call(ctx, c.conn, "", proto.TargetDetachFromTarget{SessionID: proto.TargetSessionID(c.root)}, nil)
		if err != nil && c.conn.ctx.Err() == nil {
			c.conn.fail(fmt.Errorf("%w: it did not end a channel: %w", ErrGone, err))
		}
		c.conn.dropSession(c.root) // Chromium's last words about it are behind us
	})
}
