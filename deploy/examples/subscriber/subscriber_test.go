package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/testenv"
)

// asSubscriber makes this test binary the subscriber itself, for tests that
// kill it.
const asSubscriber = "SUBSCRIBER_TEST_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(asSubscriber) != "" {
		main()
		return
	}
	testenv.Main(m)
}

const waitLimit = 30 * time.Second

// gateway is what a subscriber sees of one: a stream of events.
type gateway struct {
	settings
	js  jetstream.JetStream
	seq int64
}

func newGateway(t *testing.T, natsURL string) *gateway {
	t.Helper()
	nc, err := nats.Connect(natsURL, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: eventlog.DefaultStream, Subjects: []string{event.SubjectAll}, DenyDelete: true, DenyPurge: true,
	}); err != nil {
		t.Fatal(err)
	}
	return &gateway{
		settings: settings{natsURL: natsURL, file: filepath.Join(t.TempDir(), "subscriber.db"), name: "order-tally"},
		js:       js,
	}
}

// next makes the log's next event.
func (g *gateway) next(t *testing.T, operation string, payload event.Payload) event.Event {
	t.Helper()
	e, err := event.New(payload)
	if err != nil {
		t.Fatal(err)
	}
	g.seq++
	e.Integration, e.Operation, e.Command = "marketplace", operation, "c1"
	e.Stream, e.Version, e.Seq, e.Time = event.CommandStream(e.ID), 1, g.seq, time.UnixMicro(1767323045678901).UTC()
	e.Hash = event.Hash(e)
	return e
}

// send publishes the log's next event.
func (g *gateway) send(t *testing.T, operation string, payload event.Payload) event.Event {
	t.Helper()
	e := g.next(t, operation, payload)
	subject, header, data, err := event.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	if _, err := g.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Header: header, Data: data},
		jetstream.WithMsgID(e.ID), jetstream.WithRetryAttempts(100)); err != nil {
		t.Fatal(err)
	}
	return e
}

func (g *gateway) order(t *testing.T) event.Event {
	t.Helper()
	return g.send(t, "buy-now", event.EffectConfirmed{})
}

// running is a subscriber at work.
type running struct {
	lines *bufio.Scanner
	out   io.Closer
	stop  func() error
}

// start runs a subscriber within the test.
func (g *gateway) start(t *testing.T) *running {
	t.Helper()
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, g.settings, writer)
		_ = writer.CloseWithError(io.EOF)
		ended <- err
	}()
	var stopped bool
	stop := func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		_ = reader.Close()
		select {
		case err := <-ended:
			return err
		case <-time.After(waitLimit):
			return errors.New("the subscriber did not end")
		}
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	r := &running{bufio.NewScanner(reader), reader, stop}
	r.await(t, "counting orders as consumer order-tally")
	return r
}

// await reads what the subscriber says up to a line. Nothing but what is
// awaited may come: each line is a count that changed.
func (r *running) await(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	overdue := time.AfterFunc(waitLimit, func() { _ = r.out.Close() })
	defer overdue.Stop()
	for len(got) < len(want) && r.lines.Scan() {
		got = append(got, r.lines.Text())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the subscriber says (-want +got):\n%s", diff)
	}
}

func TestOrdersAreCountedOnceConfirmed(t *testing.T) {
	t.Parallel()
	g := newGateway(t, testenv.NATSURL(t))
	g.send(t, "buy-now", event.CommandAccepted{Request: json.RawMessage(`{}`)})
	g.order(t)
	g.send(t, "add-to-cart", event.EffectConfirmed{})
	g.send(t, "buy-now", event.EffectReconciled{Applied: false})
	g.send(t, "buy-now", event.EffectReconciled{Applied: true})
	g.send(t, "buy-now", event.EffectNotApplied{Message: "sold out"})
	r := g.start(t)
	r.await(t, "marketplace: 1 orders", "marketplace: 2 orders")
	g.order(t)
	g.send(t, "buy-now", event.EffectFoundLate{By: event.ByFlow})
	r.await(t, "marketplace: 3 orders", "marketplace: 4 orders")
}

func TestASecondRunGoesOnWhereTheFirstEnded(t *testing.T) {
	t.Parallel()
	g := newGateway(t, testenv.NATSURL(t))
	g.order(t)
	g.order(t)
	first := g.start(t)
	first.await(t, "marketplace: 1 orders", "marketplace: 2 orders")
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	g.order(t)
	second := g.start(t)
	second.await(t, "marketplace: 3 orders")
	if err := second.stop(); err != nil {
		t.Fatal(err)
	}
	consumer, err := g.js.Consumer(t.Context(), event.JetStreamName, g.name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := consumer.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Delivered.Consumer != 3 || info.NumAckPending != 0 {
		t.Errorf("%d messages were delivered, %d are not acknowledged", info.Delivered.Consumer, info.NumAckPending)
	}
}

// A subscriber that is killed after its commit and before its acknowledgement
// gets the message again.
func TestAnEventDeliveredTwiceIsCountedOnce(t *testing.T) {
	t.Parallel()
	g := newGateway(t, testenv.NATSURL(t))
	g.order(t)
	nc, err := connect(g.natsURL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	consumer, err := durable(t.Context(), nc, g.name)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := consumer.Next(jetstream.FetchMaxWait(waitLimit))
	if err != nil {
		t.Fatal(err)
	}
	killed, err := openTally(g.file)
	if err != nil {
		t.Fatal(err)
	}
	if err := handle(unacknowledged{msg}, killed, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := killed.close(); err != nil {
		t.Fatal(err)
	}
	if err := msg.Nak(); err != nil { // now, and not when the acknowledgement is overdue
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(waitLimit); err != nil {
		t.Fatal(err)
	}
	r := g.start(t)
	g.order(t)
	r.await(t, "marketplace: 2 orders")
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	info, err := consumer.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Delivered.Consumer != 3 || info.NumAckPending != 0 {
		t.Errorf("%d messages were delivered, not 3; %d are not acknowledged", info.Delivered.Consumer, info.NumAckPending)
	}
}

// unacknowledged is a message whose acknowledgement is never sent.
type unacknowledged struct{ jetstream.Msg }

func (unacknowledged) Ack() error { return nil }

func TestAReplayedEventIsNotCountedTwice(t *testing.T) {
	t.Parallel()
	g := &gateway{}
	e := g.next(t, "buy-now", event.EffectConfirmed{})
	tally, err := openTally(filepath.Join(t.TempDir(), "subscriber.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer tally.close()
	for i, replay := range []string{"", "r1", "r2"} {
		e.Replay = replay
		subject, header, data, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if replay != "" {
			subject = "rebuild.orders"
		}
		received, err := event.Decode(subject, header, data)
		if err != nil {
			t.Fatal(err)
		}
		orders, isNew, err := tally.count(received)
		if err != nil || orders != 1 || isNew != (i == 0) {
			t.Errorf("replay %q: %d orders, new %v, %v", replay, orders, isNew, err)
		}
	}
}

func TestAKilledSubscriberLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	const orders = 150
	g := newGateway(t, testenv.NATSURL(t))
	for range orders {
		g.order(t)
	}
	last := ""
	for _, upTo := range []string{"marketplace: 20 orders", "marketplace: 60 orders", fmt.Sprintf("marketplace: %d orders", orders)} {
		process := exec.CommandContext(t.Context(), os.Args[0])
		process.Env = append(os.Environ(), asSubscriber+"=1", "NATS_URL="+g.natsURL, "SUBSCRIBER_FILE="+g.file, "SUBSCRIBER_NAME="+g.name)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		overdue := time.AfterFunc(waitLimit, func() { _ = process.Process.Kill() })
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != upTo {
			last = lines.Text()
		}
		if lines.Text() != upTo {
			t.Fatalf("the subscriber ended at %q, not at %q", last, upTo)
		}
		_ = process.Process.Kill() // in the middle of whatever it does
		overdue.Stop()
		_ = process.Wait() // that it was killed
	}
	r := g.start(t)
	g.order(t)
	r.await(t, fmt.Sprintf("marketplace: %d orders", orders+1))
}

func TestASubscriberGoesOnWhenNATSIsBack(t *testing.T) {
	t.Parallel()
	server := testenv.OwnNATS(t)
	g := newGateway(t, server.URL)
	g.order(t)
	r := g.start(t)
	r.await(t, "marketplace: 1 orders")
	server.Kill()
	server.Start()
	g.order(t)
	r.await(t, "marketplace: 2 orders")
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	address := testenv.NATSURL(t)
	folder := t.TempDir()
	held, err := openTally(filepath.Join(folder, "held.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.close() })
	for name, tt := range map[string]struct {
		settings
		want string
	}{
		"no server":         {settings{"nats://u:secret@127.0.0.1:1", "a.db", "x"}, "NATS_URL: no connection to nats://u:xxxxx@127.0.0.1:1"},
		"no URL":            {settings{"nats://u:secret%@127.0.0.1", "b.db", "x"}, "NATS_URL is not the URL of a server"},
		"no stream":         {settings{address, "c.db", "x"}, "has no stream EVENTS: NATS_URL must name the gateway's own"},
		"a file in use":     {settings{address, "held.db", "x"}, "held.db is open in another process"},
		"no such folder":    {settings{address, "none/d.db", "x"}, "SUBSCRIBER_FILE: open"},
		"not a proper name": {settings{address, "e.db", "a.b"}, "SUBSCRIBER_NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.file = filepath.Join(folder, tt.file)
			ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
			defer cancel()
			err := run(ctx, tt.settings, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want an error that says %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestTheStreamHasTheGatewaysName(t *testing.T) {
	t.Parallel()
	if event.JetStreamName != eventlog.DefaultStream {
		t.Errorf("%s is not %s", event.JetStreamName, eventlog.DefaultStream)
	}
}
