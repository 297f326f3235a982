package eventlog

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts/event"
)

// newVariedLog returns a log with n events in which every filter of
// randomFilter finds something or, combined with others, nothing.
func newVariedLog(t *testing.T, n int) (*Log, []event.Event) {
	t.Helper()
	log, batch := newLog(t), make([]event.Event, n)
	for i := range batch {
		e, err := event.New(event.CommandAccepted{Request: json.RawMessage(`{}`), Site: "sandbox", SiteHash: "5f70bf18a086"})
		if err != nil {
			t.Fatal(err)
		}
		e.Type = pick("command.accepted", "effect.started", "effect.confirmed")
		e.Integration, e.Operation = pick("marketplace", "dispatch"), pick("", "search", "buy-now")
		e.Caller, e.Account, e.Command = pick("", "c1", "c2"), pick("", "a1", "a2"), pick("", "m1", "m2", "m3")
		batch[i] = e
	}
	for chunk := range slices.Chunk(batch, 10) { // each with a time of its own
		mustAppend(t, log, event.CommandStream(event.NewID()), 0, chunk...)
	}
	sequenceAll(t, log)
	events, err := log.Range(limited(t), 0, n)
	if err != nil || len(events) != n {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return log, events
}

func pick(values ...string) string { return values[rand.IntN(len(values))] }

// randomFilter sets each condition in one of three filters.
func randomFilter(events []event.Event) Filter {
	set := func() bool { return rand.IntN(3) == 0 }
	e, other := events[rand.IntN(len(events))], events[rand.IntN(len(events))]
	f := Filter{Newest: set()}
	for _, field := range []struct {
		to   *string
		from string
	}{
		{&f.Integration, e.Integration},
		{&f.Operation, e.Operation},
		{&f.Type, e.Type},
		{&f.Caller, e.Caller},
		{&f.Account, e.Account},
		{&f.Command, e.Command},
	} {
		if set() {
			*field.to = field.from
		}
	}
	if set() {
		f.Since = e.Time
	}
	if set() {
		f.Until = other.Time
	}
	if set() {
		f.AfterSeq = e.Seq
	}
	if set() {
		f.UntilSeq = other.Seq
	}
	return f
}

// choose is what Query must find, by looking at every event.
func choose(events []event.Event, f Filter) (chosen []event.Event) {
	is := func(condition, value string) bool { return condition == "" || condition == value }
	for _, e := range events {
		if is(f.Integration, e.Integration) && is(f.Operation, e.Operation) && is(f.Type, e.Type) &&
			is(f.Caller, e.Caller) && is(f.Account, e.Account) && is(f.Command, e.Command) &&
			(f.Since.IsZero() || !e.Time.Before(f.Since)) && (f.Until.IsZero() || e.Time.Before(f.Until)) &&
			e.Seq > f.AfterSeq && (f.UntilSeq == 0 || e.Seq <= f.UntilSeq) {
			chosen = append(chosen, e)
		}
	}
	if f.Newest {
		slices.Reverse(chosen)
	}
	return chosen
}

// queryAll reads all pages of a filter.
func queryAll(ctx context.Context, log *Log, f Filter, page int) ([]event.Event, error) {
	var all []event.Event
	for {
		events, err := log.Query(ctx, f, page)
		all = append(all, events...)
		if err != nil || len(events) == 0 {
			return all, err
		}
		switch last := events[len(events)-1].Seq; {
		case !f.Newest:
			f.AfterSeq = last
		case last == 1:
			return all, nil
		default:
			f.UntilSeq = last - 1
		}
	}
}

func TestAQueryFindsWhatItsFilterChoosesPageByPage(t *testing.T) {
	t.Parallel()
	log, events := newVariedLog(t, 200)
	ctx := limited(t)
	found := 0
	for range 100 {
		f := randomFilter(events)
		got, err := queryAll(ctx, log, f, 10+rand.IntN(100))
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		if diff := cmp.Diff(choose(events, f), got, asBytes); diff != "" {
			t.Fatalf("%+v: %s", f, diff)
		}
		found += min(1, len(got))
	}
	if found < 15 {
		t.Errorf("only %d filters found anything", found)
	}
}

// The order of the log is that of commits: times may go back a little.
func TestAQueryByTimeFindsEventsThatCommittedLate(t *testing.T) {
	t.Parallel()
	log, _ := newVariedLog(t, 200)
	ctx := limited(t)
	tamper(t, log, `
		CREATE TEMP TABLE late AS SELECT stream_id, version,
			timestamptz '2026-01-01' + seq * interval '5 seconds' - random() * interval '59 seconds' AS at FROM log;
		UPDATE events e SET recorded_at = at FROM late WHERE (late.stream_id, late.version) = (e.stream_id, e.version);
		UPDATE log l SET recorded_at = at FROM late WHERE (late.stream_id, late.version) = (l.stream_id, l.version)`)
	events, err := log.Range(ctx, 0, 200)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		f := Filter{Newest: rand.IntN(2) == 0, Since: events[rand.IntN(200)].Time, Until: events[rand.IntN(200)].Time}
		if rand.IntN(2) == 0 {
			f.Integration = "dispatch"
		}
		got, err := queryAll(ctx, log, f, 100)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(choose(events, f), got, asBytes); diff != "" {
			t.Fatalf("%+v: %s", f, diff)
		}
	}
	if got, err := log.Query(ctx, Filter{Since: events[199].Time.Add(time.Hour)}, 10); err != nil || len(got) != 0 {
		t.Errorf("after the last event there are %d, %v", len(got), err)
	}
}

func TestAQueryFindsOnlyEventsThatHaveASeq(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	mustAppend(t, log, stream, 0, accepted(t, "1"))
	sequenceAll(t, log)
	mustAppend(t, log, stream, 1, accepted(t, "2"))
	for _, f := range []Filter{{}, {Account: "a1"}, {Command: "c1"}, {Type: event.TypeCommandAccepted}, {Since: time.Unix(0, 0)}} {
		if events, err := log.Query(ctx, f, 10); err != nil || len(events) != 1 || events[0].Seq != 1 {
			t.Errorf("%+v: got %+v, %v", f, events, err)
		}
	}
}

// A value is a value, whatever it looks like.
func TestAQueryTakesItsValuesLiterally(t *testing.T) {
	t.Parallel()
	log, _ := newVariedLog(t, 3)
	for _, value := range []string{"' OR true --", "@limit", "$1", "%"} {
		f := Filter{Integration: value, Operation: value, Type: value, Caller: value, Account: value, Command: value}
		if events, err := log.Query(limited(t), f, 10); err != nil || len(events) != 0 {
			t.Errorf("%s: got %d events, %v", value, len(events), err)
		}
	}
}
