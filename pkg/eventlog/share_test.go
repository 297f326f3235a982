package eventlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
)

// hold lets no batch begin, so that appends wait until gatherAll finds them.
func hold(log *Log) {
	for range maxBatches {
		log.batches <- struct{}{}
	}
}

// writeShared writes a batch and returns how that ended for its first entry.
func (l *Log) writeShared(ctx context.Context, entries []*entry) error {
	l.writeBatch(ctx, entries)
	return <-entries[0].shared
}

func gatherAll(t testing.TB, log *Log, first *entry, n int) []*entry {
	t.Helper()
	entries := []*entry{first}
	until(t, fmt.Sprintf("%d appends wait", n-1), func(context.Context) bool {
		entries = append(entries, log.gather(first)[1:]...)
		return len(entries) == n
	})
	return entries
}

func TestAppendsThatWaitShareATransactionAndKeepTheirOrder(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	mustAppend(t, log, "old", 0, accepted(t, "1"))
	hold(log)
	var wg sync.WaitGroup
	for name, expected := range map[string]int64{"old": 1, "a": 0, "b": 0, "c": 0} {
		wg.Go(func() { mustAppend(t, log, name, expected, accepted(t, "2"), accepted(t, "3")) })
	}
	first := newTestEntry(t, "first", "")
	if err := log.writeShared(ctx, gatherAll(t, log, first, 5)); err != nil {
		t.Fatal(err)
	}
	wg.Wait()

	var transactions int
	if err := log.pool.QueryRow(ctx, `SELECT count(DISTINCT xid) FROM events`).Scan(&transactions); err != nil || transactions != 2 {
		t.Errorf("the events came in %d transactions (%v), not 2", transactions, err)
	}
	if _, err := log.pool.Exec(ctx, `SELECT sequence_events(4)`); err != nil { // parts the shared transaction
		t.Fatal(err)
	}
	sequenceAll(t, log)
	events, err := log.Range(ctx, 0, 100)
	if err != nil || len(events) != 10 {
		t.Fatalf("the order has %d events (%v), not 10", len(events), err)
	}
	streams := map[string][]event.Event{}
	for _, e := range events {
		streams[e.Stream] = append(streams[e.Stream], e)
	}
	for _, events := range streams {
		if err := event.VerifyStream(events); err != nil {
			t.Error(err)
		}
	}
}

func TestOneThatFailsInASharedTransactionFailsAlone(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	past := mustAppend(t, log, "old", 0, accepted(t, "1"))
	hold(log)
	taken := accepted(t, "")
	taken.ID = past[0].ID
	appends := map[string]struct {
		last  event.Event
		event event.Event
		want  error
	}{
		"old": {event.Event{}, accepted(t, "a conflict"), ErrConflict},
		"gap": {event.Event{Version: 7, Hash: past[0].Hash}, accepted(t, "a conflict"), ErrConflict},
		"id":  {event.Event{}, taken, ErrConflict},
		"a":   {event.Event{}, accepted(t, ""), nil},
		"b":   {event.Event{}, accepted(t, ""), nil},
	}
	var wg sync.WaitGroup
	for name, a := range appends {
		wg.Go(func() {
			if _, err := log.Append(ctx, name, a.last, a.event); !errors.Is(err, a.want) {
				t.Errorf("append to %s: got %v, want %v", name, err, a.want)
			}
		})
	}
	if err := log.writeShared(ctx, gatherAll(t, log, newTestEntry(t, "first", ""), 6)); err == nil {
		t.Error("the shared transaction came through with conflicts in it")
	}
	wg.Wait()
	if events, err := log.Stream(ctx, "first"); err != nil || len(events) != 0 {
		t.Errorf("the shared transaction left %d events (%v)", len(events), err)
	}
}

// Somebody else writes to one stream and takes long over it.
func TestASharedTransactionWaitsForNoStream(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	tx, err := log.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := write(ctx, tx, true, newTestEntry(t, "busy", "")); err != nil {
		t.Fatal(err)
	}
	hold(log)
	var busy, free sync.WaitGroup
	busy.Go(func() { mustAppend(t, log, "busy", 0, accepted(t, "")) })
	free.Go(func() { mustAppend(t, log, "free", 0, accepted(t, "")) })
	var pgErr *pgconn.PgError
	if err := log.writeShared(ctx, gatherAll(t, log, newTestEntry(t, "first", ""), 3)); !errors.As(err, &pgErr) || pgErr.Code != "EV004" {
		t.Errorf("got %v, want the refusal EV004", err)
	}
	free.Wait()
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	busy.Wait()
}

func TestAppendThatWaitsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	hold(log)
	ctx, cancel := context.WithTimeout(limited(t), 10*time.Millisecond)
	defer cancel()
	if _, err := log.Append(ctx, stream, event.Event{}, accepted(t, "")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if events, err := log.Stream(limited(t), stream); err != nil || len(events) != 0 {
		t.Errorf("the stream has %d events (%v)", len(events), err)
	}
}

// The first of those that share a transaction hangs up while it waits for the
// database.
func TestACallerThatHangsUpFailsNoOthersAppend(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	tx, err := log.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, `LOCK TABLE events IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	log.waiting = make(chan *entry, 1)
	other := newTestEntry(t, "other", "")
	log.waiting <- other
	first, hangUp := context.WithCancel(ctx)
	answered := make(chan error, 1)
	go func() {
		_, err := log.Append(first, "first", event.Event{}, accepted(t, ""))
		answered <- err
	}()
	until(t, "the shared transaction waits for the table", func(ctx context.Context) (waits bool) {
		err := log.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted)`).Scan(&waits)
		return err == nil && waits
	})
	hangUp()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("who hung up is answered %v", err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-other.shared; err != nil {
		t.Errorf("the other's append failed with it: %v", err)
	}
}
