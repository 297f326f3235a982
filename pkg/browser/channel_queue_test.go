package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// channelOf gives a connection a channel whose session is named.
func channelOf(c *conn, session string) *Channel {
	channel := &Channel{conn: c, root: session, more: make(chan struct{}, 1)}
	channel.ctx, channel.end = context.WithCancelCause(c.ctx)
	c.sessions.add(session, channelSession{channel: channel, kind: browserKind})
	return channel
}

func TestAChannelThatIsNotReadEndsAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	channel := channelOf(p.conn, "ONE")
	part := strings.Repeat("x", 1<<20)
	for range maxUnread>>20 + 1 {
		p.say(`{"method":"Test.event","params":{"a":"%s"},"sessionId":"ONE"}`, part)
	}
	done := p.call(context.Background(), "go-rod's")
	p.say(`{"id":%d,"result":{}}`, p.next().ID)
	if err := <-done; err != nil {
		t.Errorf("go-rod's call: %v", err)
	}
	if _, err := channel.Receive(context.Background()); !errors.Is(err, ErrSlow) {
		t.Errorf("Receive: %v", err)
	}
	if err := channel.Send(context.Background(), Message{ID: 1, Method: "Test.call"}); !errors.Is(err, ErrSlow) {
		t.Errorf("Send: %v", err)
	}
}

func TestAMessageOfAnySizeHasRoomWhenNothingIsUnread(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	channel := channelOf(p.conn, "ONE")
	for _, size := range []int{maxUnread + 1, maxUnread + 1, 1} {
		p.say(`{"method":"Test.event","params":{"a":"%s"},"sessionId":"ONE"}`, strings.Repeat("x", size))
		if _, err := channel.Receive(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if channel.size != 0 || len(channel.unread) != 0 {
		t.Errorf("%d bytes left", channel.size)
	}
}

func TestMessagesKeepTheirOrderAndGoToTheirChannelOnly(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	one, other := channelOf(p.conn, "ONE"), channelOf(p.conn, "OTHER")
	p.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"CHILD","targetInfo":{"type":"page"}},"sessionId":"ONE"}`)
	for n := range 100 {
		p.say(`{"method":"Test.event%d","params":{},"sessionId":"CHILD"}`, n)
		p.say(`{"method":"Test.event%d","params":{},"sessionId":"OTHER"}`, n)
	}
	p.say(`{"method":"Test.rods","params":{}}`)
	if e := <-p.conn.Event(); e.Method != "Test.rods" {
		t.Errorf("go-rod hears %s", e.Method)
	}
	if m, err := one.Receive(context.Background()); err != nil || m.Method != "Target.attachedToTarget" || m.Session != "" {
		t.Fatalf("%+v, %v", m, err)
	}
	for n := range 100 {
		m, err := one.Receive(context.Background())
		if err != nil || m.Method != fmt.Sprint("Test.event", n) || m.Session != "CHILD" {
			t.Fatalf("%+v, %v", m, err)
		}
		if m, err = other.Receive(context.Background()); err != nil || m.Method != fmt.Sprint("Test.event", n) || m.Session != "" {
			t.Fatalf("%+v, %v", m, err)
		}
	}
}
