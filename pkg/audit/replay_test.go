package audit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/eventlog"
)

const target = "audit.march"

// listener is a subscriber to whom a replay goes.
func (r *record) listener(t *testing.T) (*nats.Conn, *nats.Subscription) {
	t.Helper()
	nc, err := nats.Connect(r.natsURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	sub, err := nc.SubscribeSync(target)
	if err != nil {
		t.Fatal(err)
	}
	return nc, sub
}

// next returns the next event that was replayed.
func next(t *testing.T, sub *nats.Subscription) event.Event {
	t.Helper()
	msg, err := sub.NextMsg(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	e, err := event.Decode(msg.Subject, msg.Header, msg.Data)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAReplaySendsTheEventsThatFitInOrderAndMarked(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	nc, sub := r.listener(t)
	replay := audit.Replay{Log: r.log, NATS: nc, Subject: target, ID: "r1", Rate: 1e6, Sent: func(event.Event) error { return nil }}
	filter := eventlog.Filter{Type: event.TypeEffectConfirmed}
	sent, err := replay.Run(t.Context(), filter, nil)
	if err != nil || sent != 10 {
		t.Fatalf("sent %d, %v", sent, err)
	}
	want, err := r.log.Query(t.Context(), filter, recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		w.Replay = "r1"
		if diff := cmp.Diff(w, next(t, sub)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAReplayThatIsCutShortGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	nc, sub := r.listener(t)
	var reached int64
	broken := errors.New("the disk is full")
	replay := audit.Replay{Log: r.log, NATS: nc, Subject: target, ID: "r1"}

	// The first run ends by its context, in the middle.
	ctx, cancel := context.WithCancel(t.Context())
	replay.Sent = func(last event.Event) error { reached = last.Seq; return nil }
	replay.Rate = 10
	done := make(chan error, 1)
	go func() { _, err := replay.Run(ctx, eventlog.Filter{}, nil); done <- err }()
	first := []int64{next(t, sub).Seq}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	for range reached - 1 {
		first = append(first, next(t, sub).Seq)
	}

	// The second cannot note how far it came, and ends.
	replay.Rate, replay.Sent = 1e6, func(event.Event) error { return broken }
	if _, err := replay.Run(t.Context(), eventlog.Filter{AfterSeq: reached}, nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if !slices.IsSorted(first) || int64(len(first)) != reached {
		t.Errorf("it reached %d and sent %v", reached, first)
	}
}

func TestAReplayIsNoFasterThanItsRate(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	nc, _ := r.listener(t)
	replay := audit.Replay{Log: r.log, NATS: nc, Subject: target, ID: "r1", Rate: 100, Sent: func(event.Event) error { return nil }}
	begin := time.Now()
	if _, err := replay.Run(t.Context(), eventlog.Filter{}, nil); err != nil {
		t.Fatal(err)
	}
	if took, least := time.Since(begin), (recorded-1)*time.Second/100; took < least {
		t.Errorf("%d events took %v, less than %v", recorded, took, least)
	}
}

func TestAReplayGoesToNoSubjectOfTheGateway(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{
		"", "evt.marketplace.buy-now.completed", "cmd.marketplace.buy-now", "log.appended", "$JS.API.STREAM.DELETE.EVENTS", "_INBOX.x",
		"a..b", ".a", "a.", "a.*", "a.>", "a b", "a\r\nPUB x 0", "ä", strings.Repeat("a", 300),
	} {
		if err := audit.CheckSubject(subject); !errors.Is(err, audit.ErrSubject) {
			t.Errorf("%q: got %v", subject, err)
		}
	}
	if err := audit.CheckSubject(target); err != nil {
		t.Error(err)
	}
}
