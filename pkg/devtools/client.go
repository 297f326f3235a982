package devtools

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/coder/websocket"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
)

// client is one that is connected.
type client struct {
	ws        *websocket.Conn
	channel   *browser.Channel
	contextID proto.BrowserBrowserContextID
	rules     [2]rules
	viewer    bool
	log       *slog.Logger

	plain       bool   // gets messages and nothing else: go-rod's WebSocket panics at a ping and at a goodbye
	hangUp      func() // closes the connection without a word
	asksToClose bool   // has sent Browser.close; the listener's

	browsers set[proto.TargetTargetID] // the targets of its sessions with Chromium as a whole
	windows  set[int64]                // that it was told of
	streams  set[string]               // that it has opened
	told     set[telling]              // the targets that it was told of
	sessions set[attachment]           // that came out of others
	hidden   set[string]               // sessions that it was not told of
	cut      set[string]               // sessions that are taken from it

	mu       sync.Mutex
	lastID   int64              // of the commands as they go on
	underWay map[int64]*command // nil for those of our own
	bytes    int                // of the parameters under way
}

// telling is a target that a session was told of.
type telling struct {
	session string
	target  proto.TargetTargetID
}

// attachment is a session with a target.
type attachment struct {
	parent, session string
	target          proto.TargetTargetID
}

func newClient(ws *websocket.Conn, channel *browser.Channel, page *browser.Page, purpose event.Purpose, log *slog.Logger) *client {
	c := &client{
		ws: ws, channel: channel, contextID: page.ContextID(), rules: policies[purpose], viewer: purpose == event.View,
		log: log, underWay: map[int64]*command{},
	}
	_ = c.browsers.add(channel.BrowserTarget()) // there is room for the first
	return c
}

// handle carries out one message of the client's. What it returns is the answer
// that need not be waited for; an error ends the connection.
func (c *client) handle(ctx context.Context, text []byte) ([]byte, error) {
	cmd, err := decodeCommand(text)
	if err != nil {
		return encodeFailure(cmd, err), nil
	}
	answer, err := c.judge(ctx, cmd)
	if err != nil {
		return encodeFailure(cmd, err), nil
	}
	if answer != nil {
		return encodeMessage(browser.Message{ID: cmd.id, Session: cmd.session, Result: answer}), nil
	}
	id, err := c.begin(cmd)
	if err != nil {
		return encodeFailure(cmd, err), nil
	}
	session := cmd.session
	if cmd.byBrowser {
		session = ""
	}
	return nil, c.channel.Send(ctx, browser.Message{ID: id, Session: session, Method: cmd.method, Params: cmd.params})
}

func (c *client) judge(ctx context.Context, cmd *command) (json.RawMessage, error) {
	at := targetLevel
	if c.isOut(cmd.session) {
		return nil, noSession
	}
	switch c.channel.TargetType(cmd.session) {
	case "":
		return nil, noSession
	case "browser":
		at = browserLevel
	}
	rule, known := c.rules[at][cmd.method]
	if !known {
		return nil, refusal("%q is not allowed here", cmd.method)
	}
	return rule.judge(ctx, c, cmd)
}

// isOut is for sessions that are none of the client's, though its channel's.
func (c *client) isOut(session string) bool { return c.hidden.has(session) || c.cut.has(session) }

// begin notes a command as under way, unless too much is.
func (c *client) begin(cmd *command) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.underWay) >= maxUnderWay || c.bytes > 0 && c.bytes+len(cmd.params) > maxBytesUnderWay {
		return 0, &failure{codeOverload, "too many commands are under way: wait for their answers"}
	}
	c.lastID++
	cmd.size = len(cmd.params)
	c.underWay[c.lastID] = cmd
	c.bytes += cmd.size
	return c.lastID, nil
}

// end takes a command whose answer has come.
func (c *client) end(id int64) *command {
	c.mu.Lock()
	defer c.mu.Unlock()
	cmd := c.underWay[id]
	delete(c.underWay, id)
	if cmd != nil {
		c.bytes -= cmd.size
	}
	return cmd
}

// send has a command of our own carried out. Nobody waits for its answer.
func (c *client) send(ctx context.Context, session, method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.lastID++
	id := c.lastID
	c.mu.Unlock()
	return c.channel.Send(ctx, browser.Message{ID: id, Session: session, Method: method, Params: text})
}

// translate makes of what Chromium says what the client hears; nil is nothing.
func (c *client) translate(ctx context.Context, m browser.Message) ([]byte, error) {
	if m.Method != "" {
		passes, err := c.hears(ctx, m)
		if err != nil || !passes {
			return nil, err
		}
		return encodeMessage(m), nil
	}
	cmd := c.end(m.ID)
	if cmd == nil {
		return nil, nil
	}
	m.ID, m.Session = cmd.id, cmd.session
	if cmd.after != nil && m.Error == nil {
		result, err := cmd.after(c, m.Result)
		if err != nil {
			c.log.WarnContext(ctx, "an answer is kept from a client", "method", cmd.method, "error", err)
			return encodeFailure(cmd, err), nil
		}
		m.Result = result
	}
	return encodeMessage(m), nil
}
