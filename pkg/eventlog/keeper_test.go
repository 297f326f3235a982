package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

// setup is a log with a NATS account to copy it to.
type setup struct {
	log *Log
	nc  *nats.Conn
	js  jetstream.JetStream
}

func newSetup(t testing.TB) *setup {
	t.Helper()
	nc := connectNATS(t, testenv.NATSURL(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return &setup{log: newLog(t, WithNudge(Nudge(nc))), nc: nc, js: js}
}

func connectNATS(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// keep runs a keeper until the test ends or stop is called.
func (s *setup) keep(t testing.TB) (k *Keeper, stop func()) {
	t.Helper()
	return s.run(t, KeeperConfig{})
}

// run is keep with settings of the test's.
func (s *setup) run(t testing.TB, config KeeperConfig) (k *Keeper, stop func()) {
	t.Helper()
	config.Pool, config.NATS, config.Logger = s.log.pool, s.nc, slog.New(slog.DiscardHandler)
	k = NewKeeper(config)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("keeper: %v", err)
		}
	})
	t.Cleanup(stop)
	return k, stop
}

// fill appends n events to a new stream.
func (s *setup) fill(t testing.TB, n int) {
	t.Helper()
	name := event.CommandStream(event.NewID())
	for version := range int64(n) {
		mustAppend(t, s.log, name, version, accepted(t, ""))
	}
}

// until asks until ok is true.
func until(t testing.TB, what string, ok func(ctx context.Context) bool) {
	t.Helper()
	ctx := limited(t)
	for !ok(ctx) {
		if err := sleep(ctx, shortestPoll); err != nil {
			t.Fatalf("waiting until %s: %v", what, err)
		}
	}
}

// awaitCopy waits for message n and checks that the stream is the log's copy.
func (s *setup) awaitCopy(t testing.TB, n int64) {
	t.Helper()
	until(t, fmt.Sprintf("message %d is there", n), func(ctx context.Context) bool {
		stream, err := s.js.Stream(ctx, DefaultStream)
		return err == nil && stream.CachedInfo().State.LastSeq >= uint64(n)
	})
	ctx := limited(t)
	stream, err := s.js.Stream(ctx, DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	if last := stream.CachedInfo().State.LastSeq; last != uint64(n) {
		t.Errorf("the stream holds %d messages, not %d", last, n)
	}
	events, err := s.log.Range(ctx, 0, int(n)+1)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != int(n) {
		t.Fatalf("the log holds %d events, not %d", len(events), n)
	}
	for i, e := range events {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d of the log has seq %d", i+1, e.Seq)
		}
		if err := compare(ctx, stream, e); err != nil {
			t.Fatal(err)
		}
	}
}

func (s *setup) head(ctx context.Context, t testing.TB) int64 {
	t.Helper()
	head, err := s.log.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// cutLeader ends the connection that holds the leader's lock.
func (s *setup) cutLeader(t testing.TB) {
	t.Helper()
	tag, err := s.log.pool.Exec(limited(t), `SELECT pg_terminate_backend(pid) FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		  AND classid = 'log_cursor'::regclass::oid AND objid = 0`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%d leaders found, %v", tag.RowsAffected(), err)
	}
}

// A transaction that wrote first and commits last must hold back what others
// have committed meanwhile, or it would come too late.
func TestTheOrderWaitsForOlderTransactions(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	ctx := limited(t)
	slow := newTestEntry(t, event.CommandStream("slow"), "slow")
	tx, err := s.log.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := write(ctx, tx, true, slow); err != nil {
		t.Fatal(err)
	}
	fast := mustAppend(t, s.log, event.CommandStream("fast"), 0, accepted(t, "fast"))
	if _, err := s.log.pool.Exec(ctx, "SELECT sequence_events(10)"); err != nil {
		t.Fatal(err)
	}
	if head := s.head(ctx, t); head != 0 {
		t.Errorf("the order did not wait: its head is %d", head)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	sequenceAll(t, s.log)
	events, err := s.log.Range(ctx, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 2 || events[0].ID != slow.events[0].ID || events[1].ID != fast[0].ID {
		t.Errorf("the order is %+v", events)
	}
}

// In another cluster transaction ids begin again. What was appended in the
// old one, sequenced or not, still comes first.
func TestTheOrderSurvivesRestoreIntoAnotherCluster(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	mustAppend(t, log, event.CommandStream("old"), 0, accepted(t, "1"))
	sequenceAll(t, log)
	mustAppend(t, log, event.CommandStream("old"), 1, accepted(t, "2"))
	// As it looks after a restore: ids from a cluster that was far ahead.
	if _, err := log.pool.Exec(ctx, `
		ALTER TABLE events DISABLE TRIGGER USER;
		UPDATE events SET xid = (xid::text::bigint + 1000000000000)::text::xid8;
		ALTER TABLE events ENABLE ALWAYS TRIGGER events_grow;
		UPDATE log_cursor SET xid = (xid::text::bigint + 1000000000000)::text::xid8;
		UPDATE log_epoch SET system = 1, started = started - interval '1 day'`); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, event.CommandStream("new"), event.Event{}, accepted(t, "3")); !errors.Is(err, ErrClosed) {
		t.Errorf("before a keeper has opened the log: %v", err)
	}
	openLog(t, log)
	mustAppend(t, log, event.CommandStream("new"), 0, accepted(t, "3"))
	sequenceAll(t, log)
	events, err := log.Range(ctx, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range events {
		order = append(order, fmt.Sprintf("%d %s %d", e.Seq, e.Stream, e.Version))
	}
	if got, want := fmt.Sprint(order), "[1 command/old 1 2 command/old 2 3 command/new 1]"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}
