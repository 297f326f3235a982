package browser

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-rod/rod/lib/proto"
)

// Channel is a DevTools session with Chromium as a whole, for a client besides
// go-rod.
type Channel struct{}

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

var errNotYet = errors.New("browser: channels are not there yet")

// OpenChannel opens a channel for as long as the page is leased, also once the
// page itself has been closed.
func (p *Page) OpenChannel(context.Context) (*Channel, error) { return nil, errNotYet }

// ContextID names the isolated context that the page lives in.
func (p *Page) ContextID() proto.BrowserBrowserContextID { return p.in.id }

// Send sends a command. Its answer comes out of Receive.
func (c *Channel) Send(context.Context, Message) error { return errNotYet }

// Receive returns the next answer or event.
func (c *Channel) Receive(context.Context) (Message, error) { return Message{}, errNotYet }

// Close ends the channel; nothing of it is left in Chromium.
func (c *Channel) Close() {}
