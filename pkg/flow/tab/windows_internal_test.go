package tab

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// peer is a browser that answers who it is, and a watch over its windows as
// told.
type peer struct {
	name   string
	asked  chan struct{} // takes one element for each watch that is asked for
	watch  func(context.Context) error
	events chan *cdp.Event
}

func (p *peer) Event() <-chan *cdp.Event { return p.events }

func (p *peer) Call(ctx context.Context, _, method string, _ any) ([]byte, error) {
	switch method {
	case "Target.getTargetInfo":
		return json.Marshal(proto.TargetGetTargetInfoResult{TargetInfo: &proto.TargetTargetInfo{TargetID: proto.TargetTargetID(p.name)}})
	case "Target.setAutoAttach":
		p.asked <- struct{}{}
		return []byte("{}"), p.watch(ctx)
	}
	return []byte("{}"), nil
}

func newPeer(t *testing.T, watch func(context.Context) error) (*peer, *rod.Browser) {
	t.Helper()
	p := &peer{name: t.Name() + time.Now().String(), asked: make(chan struct{}, 8), watch: watch, events: make(chan *cdp.Event)}
	life, end := context.WithCancel(context.Background())
	t.Cleanup(func() { end(); close(p.events) })
	browser := rod.New().Client(p).Context(life)
	if err := browser.Connect(); err != nil {
		t.Fatal(err)
	}
	return p, browser
}

func TestABrowserThatHangsKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	hangs, hanging := newPeer(t, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	_, well := newPeer(t, func(context.Context) error { return nil })
	first, giveUp := context.WithCancel(ctx)
	answered := make(chan error, 1)
	go func() {
		_, err := windowsOf(first, hanging)
		answered <- err
	}()
	<-hangs.asked
	if _, err := windowsOf(ctx, well); err != nil {
		t.Errorf("the other browser: %v", err)
	}
	// Another page of the browser that hangs waits for as long as it wants to.
	short, cancelShort := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancelShort()
	if _, err := windowsOf(short, hanging); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("another page of the browser that hangs: %v", err)
	}
	giveUp()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the browser that hangs: %v", err)
	}
}

// The first page to ask gives up; the one that waited for it asks itself.
func TestAWatchThatWasNotBegunIsBegunByTheNext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	hang := make(chan struct{}, 1)
	hang <- struct{}{}
	p, browser := newPeer(t, func(ctx context.Context) error {
		select {
		case <-hang:
			<-ctx.Done()
			return ctx.Err()
		default:
			return nil
		}
	})
	first, giveUp := context.WithCancel(ctx)
	var answers [2]chan error
	for i, ctx := range []context.Context{first, ctx} {
		answers[i] = make(chan error, 1)
		go func() {
			_, err := windowsOf(ctx, browser)
			answers[i] <- err
		}()
		if i == 0 {
			<-p.asked
		}
	}
	giveUp()
	if err := <-answers[0]; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	if err := <-answers[1]; err != nil {
		t.Errorf("who waited: %v", err)
	}
	if again, err := windowsOf(ctx, browser); err != nil || len(p.asked) != 1 {
		t.Errorf("%v, %v; asked %d times more", again, err, len(p.asked))
	}
}
