package eventlog

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
)

var stream = event.CommandStream("c1")

func TestTheDatabaseHashesAsTheContractSays(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	first := mustAppend(t, log, stream, 0, accepted(t, "Euro € 😀"), accepted(t, `"\`))
	later := mustAppend(t, log, stream, 2, accepted(t, "later"))
	events, err := log.Stream(ctx, stream)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(first, later...), events); diff != "" {
		t.Errorf("what Append returned and what Stream returns differ: %s", diff)
	}
	if len(events) != 3 {
		t.Fatalf("the stream has %d events, not 3", len(events))
	}
	if err := event.VerifyStream(events); err != nil {
		t.Error(err)
	}
}

func TestPayloadBytesAreKeptExactly(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	e := accepted(t, "")
	e.Data = []byte("{ \"b\":1.0,\t\"a\" : 1e2, \"a\":\"\\u00e9\" }\n")
	want := string(e.Data)
	mustAppend(t, log, stream, 0, e)
	events, err := log.Stream(limited(t), stream)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(events[0].Data); got != want {
		t.Errorf("data came back as %q, not %q", got, want)
	}
}

func TestAppendRefusesAnotherLastEventThanExpected(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	there := mustAppend(t, log, stream, 0, accepted(t, "1"), accepted(t, "2"))
	for what, last := range map[string]event.Event{
		"none": {}, "no such version": {Version: 3, Hash: there[1].Hash}, "a negative version": {Version: -1},
		"an earlier one": there[0], "another one": {Version: 2, Hash: there[0].Hash}, "one without a hash": {Version: 2},
	} {
		if _, err := log.Append(ctx, stream, last, accepted(t, "3")); !errors.Is(err, ErrConflict) {
			t.Errorf("after %s: got %v, want ErrConflict", what, err)
		}
	}
	for what, last := range map[string]event.Event{"an event": there[0], "a hash": {Hash: there[0].Hash}} {
		if _, err := log.Append(ctx, event.CommandStream("new"), last, accepted(t, "1")); !errors.Is(err, ErrConflict) {
			t.Errorf("a new stream after %s: got %v, want ErrConflict", what, err)
		}
	}
	if events, err := log.Stream(ctx, stream); err != nil || len(events) != 2 {
		t.Errorf("the stream has %d events (%v), not 2", len(events), err)
	}
}

func TestOneOfManyWritersOfTheSameVersionWins(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	outcomes := make([]error, 8)
	var wg sync.WaitGroup
	for i := range outcomes {
		wg.Go(func() { _, outcomes[i] = log.Append(ctx, stream, event.Event{}, accepted(t, "race")) })
	}
	wg.Wait()
	won := 0
	for _, err := range outcomes {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrConflict):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
}

func TestAppendMayBeRepeated(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	batch := []event.Event{accepted(t, "1"), accepted(t, "2")}
	first := mustAppend(t, log, stream, 0, batch...)
	mustAppend(t, log, stream, 2, accepted(t, "3"))

	again, err := log.Append(ctx, stream, event.Event{}, batch...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the repeated append was answered otherwise: %s", diff)
	}
	if events, err := log.Stream(ctx, stream); err != nil || len(events) != 3 {
		t.Errorf("the stream has %d events (%v), not 3", len(events), err)
	}

	changed := []event.Event{batch[0], batch[1]}
	changed[1].Data = []byte(`{"request":{"asin":"another"}}`)
	for name, events := range map[string][]event.Event{
		"other data": changed, "a part of it": batch[1:], "more than it": append(batch, accepted(t, "3")),
	} {
		if _, err := log.Append(ctx, stream, event.Event{}, events...); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: got %v, want ErrConflict", name, err)
		}
	}
}

func TestAnIDServesOnce(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	e := accepted(t, "1")
	mustAppend(t, log, stream, 0, e)
	if _, err := log.Append(ctx, event.CommandStream("other"), event.Event{}, e); !errors.Is(err, ErrConflict) {
		t.Errorf("the id in another stream: got %v, want ErrConflict", err)
	}
	found, err := log.Find(ctx, e.ID)
	if err != nil || found.Stream != stream {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := log.Find(ctx, event.NewID()); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown id: got %v, want ErrNotFound", err)
	}
}

// Writers whose connections are cut again and again can never know whether a
// commit came through; still each event is appended, and once.
func TestAppendSurvivesBrokenConnections(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	const writers, each = 4, 40
	cutting, stop := context.WithCancel(ctx)
	var cutter, wg sync.WaitGroup
	cutter.Go(func() { cutConnections(cutting, t, log) })
	for w := range writers {
		wg.Go(func() {
			name := event.CommandStream(string(rune('a' + w)))
			var last event.Event
			for range each {
				e := accepted(t, "cut")
				appended, err := log.Append(ctx, name, last, e)
				for err != nil && ctx.Err() == nil && !errors.Is(err, ErrConflict) {
					appended, err = log.Append(ctx, name, last, e)
				}
				if err != nil {
					t.Error(err)
					return
				}
				last = appended[0]
			}
		})
	}
	wg.Wait()
	stop()
	cutter.Wait()
	for w := range writers {
		var events []event.Event
		until(t, "the last cut is over", func(context.Context) (ok bool) {
			var err error
			events, err = log.Stream(ctx, event.CommandStream(string(rune('a'+w))))
			return err == nil
		})
		if len(events) != each {
			t.Errorf("a stream has %d events, not %d", len(events), each)
		}
		if err := event.VerifyStream(events); err != nil {
			t.Error(err)
		}
	}
}

// cutConnections ends the connections of log's pool, all at once, again and
// again. They are known by the schema in their search_path.
func cutConnections(ctx context.Context, t *testing.T, log *Log) {
	t.Helper()
	config := log.pool.Config().ConnConfig
	delete(config.RuntimeParams, "application_name")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for sleep(ctx, longestPoll) == nil {
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND application_name = current_schema()`)
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
	}
}

func TestAppendMustBeTheOnlyWriteOfItsTransaction(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	err := pgx.BeginFunc(ctx, log.pool, func(tx pgx.Tx) error {
		for range 2 {
			if err := write(ctx, tx, true, newTestEntry(t, stream, "")); err != nil {
				return err
			}
		}
		return nil
	})
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "EV002" {
		t.Errorf("got %v, want the refusal EV002", err)
	}
}

func TestAppendRefusesWhatCouldNeverBePublished(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	for name, damage := range map[string]func(e *event.Event){
		"a wildcard as integration": func(e *event.Event) { e.Integration = "*" },
		"a space in the operation":  func(e *event.Event) { e.Operation = "buy now" },
		"no type":                   func(e *event.Event) { e.Type = "" },
		"too much data":             func(e *event.Event) { e.Data = []byte(`"` + strings.Repeat("x", event.MaxDataBytes) + `"`) },
		"a control character":       func(e *event.Event) { e.Caller = "a\x00" },
	} {
		e := accepted(t, "")
		damage(&e)
		if _, err := log.Append(ctx, stream, event.Event{}, e); err == nil {
			t.Errorf("%s was appended", name)
		}
	}
	for name, appendBad := range map[string]func() ([]event.Event, error){
		"nothing":                     func() ([]event.Event, error) { return log.Append(ctx, stream, event.Event{}) },
		"a stream without a name":     func() ([]event.Event, error) { return log.Append(ctx, "", event.Event{}, accepted(t, "")) },
		"a stream with a broken name": func() ([]event.Event, error) { return log.Append(ctx, "a\nb", event.Event{}, accepted(t, "")) },
	} {
		if _, err := appendBad(); err == nil {
			t.Errorf("%s was appended", name)
		}
	}
	// The database itself holds writers to it that do not use this package.
	_, err := log.pool.Exec(ctx, `SELECT append_events(true, '{s}', '{1}', '{""}', '{i}', '{command.accepted}',
		'{market.place}', '{""}', '{""}', '{""}', '{""}', '{\\x7b7d}')`)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "EV003" {
		t.Errorf("got %v, want the refusal EV003", err)
	}
}

func newTestEntry(t testing.TB, stream, note string) *entry {
	t.Helper()
	e, err := newEntry(stream, event.Event{}, []event.Event{accepted(t, note)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mustAppend appends to a stream whose last event has the version expected.
func mustAppend(t testing.TB, log *Log, stream string, expected int64, events ...event.Event) []event.Event {
	t.Helper()
	var last event.Event
	if expected > 0 {
		var err error
		if last, err = log.Last(limited(t), stream); err != nil || last.Version != expected {
			t.Fatalf("stream %s has %d events, not %d: %v", stream, last.Version, expected, err)
		}
	}
	appended, err := log.Append(limited(t), stream, last, events...)
	if err != nil {
		t.Fatal(err)
	}
	return appended
}

func TestLastEventOfAStreamIsReadWithoutTheRest(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	if last, err := log.Last(ctx, stream); err != nil || last.Version != 0 {
		t.Errorf("of no stream: %+v, %v", last, err)
	}
	mustAppend(t, log, stream, 0, accepted(t, "1"), accepted(t, "2"))
	third := mustAppend(t, log, stream, 2, accepted(t, "3"))
	if last, err := log.Last(ctx, stream); err != nil || !cmp.Equal(last, third[0]) {
		t.Errorf("%+v, %v", last, err)
	}
	for kind, want := range map[string]bool{event.TypeCommandAccepted: true, event.TypeCommandCompleted: false} {
		if has, err := log.Has(ctx, stream, kind); err != nil || has != want {
			t.Errorf("the stream has %s: %v, %v", kind, has, err)
		}
	}
	if has, err := log.Has(ctx, "other", event.TypeCommandAccepted); err != nil || has {
		t.Errorf("another stream has it, too: %v", err)
	}
}
