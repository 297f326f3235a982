package bus

import (
	"maps"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// inbox is where a connection hears what its calls are answered. NATS's own, behind
// Request, takes one message a request; a call hears first who has taken it in.
// A subscription for each call would cost more than the rest of the call.
type inbox struct {
	prefix string

	mu    sync.Mutex
	calls map[string]chan *nats.Msg // by Call-Id
}

// inboxes holds the inbox of each connection that calls are made on. Those of
// closed connections go when the next one comes.
var (
	inboxesMu sync.Mutex
	inboxes   = map[*nats.Conn]*inbox{}
)

// inboxOf returns the inbox of a connection.
func inboxOf(nc *nats.Conn) (*inbox, error) {
	inboxesMu.Lock()
	defer inboxesMu.Unlock()
	if i, ok := inboxes[nc]; ok {
		return i, nil
	}
	maps.DeleteFunc(inboxes, func(nc *nats.Conn, _ *inbox) bool { return nc.IsClosed() })
	i := &inbox{prefix: nc.NewInbox() + ".", calls: map[string]chan *nats.Msg{}}
	if _, err := nc.Subscribe(i.prefix+"*", i.deliver); err != nil {
		return nil, err
	}
	inboxes[nc] = i
	return i, nil
}

// mostHeard is how many messages of one call may wait to be read: a call reads them
// at once, and asks for one at a time.
const mostHeard = 4

// open returns where to send what a call is to hear. The caller must close it.
func (i *inbox) open(call string) (reply string, heard <-chan *nats.Msg) {
	i.mu.Lock()
	defer i.mu.Unlock()
	ch := make(chan *nats.Msg, mostHeard)
	i.calls[call] = ch
	return i.prefix + call, ch
}

func (i *inbox) close(call string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.calls, call)
}

func (i *inbox) deliver(msg *nats.Msg) {
	i.mu.Lock()
	defer i.mu.Unlock()
	select {
	case i.calls[strings.TrimPrefix(msg.Subject, i.prefix)] <- msg:
	default: // nobody waits for it any more
	}
}
