package eventlog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

// healLimit bounds the way back from one disaster: a server's recovery, a
// publisher that waits for its answers, a pause between two attempts.
const healLimit = 90 * time.Second

const (
	progress = 100                   // events that must come through after a disaster
	pace     = 15 * time.Millisecond // of one writer: more events would only take longer to compare
)

// world is a log on servers of its own, two keepers with connections of their
// own, and writers that never stop.
type world struct {
	*setup
	postgres *testenv.Postgres
	nats     *testenv.NATS
	keepers  []*Keeper
	written  atomic.Int64 // events whose append was confirmed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{postgres: testenv.OwnPostgres(t), nats: testenv.OwnNATS(t)}
	if err := Migrate(limited(t), w.postgres.URL); err != nil {
		t.Fatal(err)
	}
	w.setup = w.connect(t)
	for range 2 {
		k, _ := w.connect(t).keep(t)
		w.keepers = append(w.keepers, k)
	}
	return w
}

// connect opens connections that nobody shares and that come back.
func (w *world) connect(t *testing.T) *setup {
	t.Helper()
	nc := connectForEver(t, w.nats.URL)
	return &setup{log: New(newPool(t, w.postgres.URL), WithNudge(Nudge(nc))), nc: nc, js: openJetStream(t, nc)}
}

func connectForEver(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func openJetStream(t *testing.T, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// write has writers append until stop is called. An append that failed is made
// again with the same ids, as callers do who do not know what became of it.
func (w *world) write(t *testing.T, writers int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			name := event.CommandStream(event.NewID())
			var last event.Event
			for sleep(ctx, pace) == nil {
				e := accepted(t, "steady")
				e.ID = event.NewID()
				last = w.appendAtLast(t, name, last, e)
			}
		})
	}
	stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(stop)
	return stop
}

func (w *world) appendAtLast(t *testing.T, name string, last, e event.Event) event.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), healLimit)
	defer cancel()
	for {
		appended, err := w.log.Append(ctx, name, last, e)
		if err == nil {
			w.written.Add(1)
			return appended[0]
		}
		if t.Context().Err() != nil { // the test has failed elsewhere
			return last
		}
		if errors.Is(err, ErrConflict) || sleep(ctx, 20*time.Millisecond) != nil {
			t.Errorf("append of version %d: %v", last.Version+1, err)
			return last
		}
	}
}

// heals waits until what was written since is copied and no keeper complains,
// then compares the copy with the log.
func (w *world) heals(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), healLimit)
	defer cancel()
	want := w.written.Load() + progress
	for {
		well := w.keepers[0].Err() == nil && w.keepers[1].Err() == nil
		if copied := w.copied(ctx); well && copied >= want {
			w.copyIsThePrefix(t, copied)
			return
		} else if sleep(ctx, 20*time.Millisecond) != nil {
			t.Fatalf("%d events are copied, not %d; the keepers say %v and %v", copied, want, w.keepers[0].Err(), w.keepers[1].Err())
		}
	}
}

// copied is the number of the stream's last message, 0 if nobody answers.
func (w *world) copied(ctx context.Context) int64 {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	stream, err := w.js.Stream(ctx, DefaultStream)
	if err != nil {
		return 0
	}
	return int64(stream.CachedInfo().State.LastSeq)
}

// copyIsThePrefix compares messages 1 to n with events 1 to n, whole.
func (w *world) copyIsThePrefix(t *testing.T, n int64) {
	t.Helper()
	ctx := limited(t)
	consumer, err := w.js.OrderedConsumer(ctx, DefaultStream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	for seq := int64(0); seq < n; {
		events, err := w.log.Range(ctx, seq, int(min(n-seq, 1000)))
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			t.Fatalf("the stream holds %d messages and the log %d events", n, seq)
		}
		for _, want := range events {
			seq++
			if got := next(ctx, t, messages, seq); want.Seq != seq || !cmp.Equal(want, got, asBytes) {
				t.Fatalf("event %d and message %d differ: %s", want.Seq, seq, cmp.Diff(want, got, asBytes))
			}
		}
	}
}

// next returns the event in the next message, which must be message seq.
func next(ctx context.Context, t *testing.T, messages jetstream.MessagesContext, seq int64) event.Event {
	t.Helper()
	msg, err := messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		t.Fatalf("message %d: %v", seq, err)
	}
	meta, err := msg.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	if meta.Sequence.Stream != uint64(seq) {
		t.Fatalf("message %d comes in place of %d", meta.Sequence.Stream, seq)
	}
	e, err := event.Decode(msg.Subject(), msg.Headers(), msg.Data())
	if err != nil {
		t.Fatalf("message %d: %v", seq, err)
	}
	return e
}

// Each disaster comes while writers write and two keepers stand ready. After
// each the copy is the log's prefix, exactly, and grows on.
func TestTheCopyIsTheLogsPrefixAfterEachDisaster(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stop := w.write(t, 4)
	w.heals(t)
	for _, disaster := range []struct {
		name   string
		happen func()
	}{
		{"NATS is killed and restarted", func() { w.nats.Kill(); w.nats.Start() }},
		{"NATS loses its store while it is down", func() { w.nats.Kill(); w.nats.RemoveStore(); w.nats.Start() }},
		{"NATS loses the end of its store", func() {
			w.nats.Kill()
			w.nats.SaveStore()
			w.nats.Start()
			w.heals(t)
			w.nats.Kill()
			w.nats.RestoreStore()
			w.nats.Start()
		}},
		{"the leader's connection is cut", func() { w.cutLeader(t) }},
		{"Postgres is killed and restarted", func() { w.postgres.Kill(); w.postgres.Start() }},
		{"both are killed together", func() { w.postgres.Kill(); w.nats.Kill(); w.nats.Start(); w.postgres.Start() }},
	} {
		disaster.happen()
		w.heals(t)
		t.Logf("%s: %d events were written by then", disaster.name, w.written.Load())
	}
	stop()
	written := w.written.Load()
	until(t, "all is copied", func(ctx context.Context) bool { return w.copied(ctx) >= written })
	if copied := w.copied(limited(t)); copied != written {
		t.Errorf("%d events are copied and %d were written", copied, written)
	}
	w.copyIsThePrefix(t, written)
	w.eachStreamIsWhole(t, written)
}

// eachStreamIsWhole checks that n events have an id each and make up streams
// without gaps, in order.
func (w *world) eachStreamIsWhole(t *testing.T, n int64) {
	t.Helper()
	events, err := w.log.Range(limited(t), 0, int(n)+1)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != int(n) {
		t.Errorf("the log holds %d events, not %d", len(events), n)
	}
	ids, streams := map[string]bool{}, map[string][]event.Event{}
	for _, e := range events {
		if ids[e.ID] {
			t.Errorf("event %s is there twice", e.ID)
		}
		ids[e.ID] = true
		streams[e.Stream] = append(streams[e.Stream], e)
	}
	for name, of := range streams {
		if err := event.VerifyStream(of); err != nil {
			t.Errorf("stream %s: %v", name, err)
		}
	}
}
