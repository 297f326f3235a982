package readmodel

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// Ids do not tell which command is the newer one: these are c0 to c5 by their
// last letters, in the order of the log.
var mixed = []string{"d-c0", "a-c1", "f-c2", "b-c3", "e-c4", "c-c5"}

func TestCommandsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	at := map[string]time.Time{}
	for i, id := range mixed {
		accepted, ended := of(t, event.CommandAccepted{}), of(t, event.CommandCompleted{Outcome: event.Succeeded})
		for _, e := range []*event.Event{&accepted, &ended} {
			e.Integration = []string{"marketplace", "agency"}[i%2]
			e.Operation = []string{"buy-now", "search", "get-account"}[i%3]
			e.Caller = []string{"p", "q"}[i/3]
			e.Account = []string{"a", "b"}[i/4]
		}
		if i == 2 {
			ended.Type, ended.Data = event.TypeCommandRejected, []byte(`{"kind":"busy"}`)
		}
		at[id[2:]] = b.append(ctx, t, event.CommandStream(id), 0, accepted, ended)[0].Time
	}
	b.sequence(ctx, t)
	b.project(ctx, t)
	for name, c := range map[string]struct {
		filter CommandFilter
		limit  int
		want   []string
	}{
		"all":            {CommandFilter{}, 10, []string{"c5", "c4", "c3", "c2", "c1", "c0"}},
		"the first part": {CommandFilter{}, 2, []string{"c5", "c4"}},
		"the next part":  {CommandFilter{Before: "e-c4"}, 2, []string{"c3", "c2"}},
		"past the end":   {CommandFilter{Before: "d-c0"}, 2, nil},
		"integration":    {CommandFilter{Integration: "agency"}, 10, []string{"c5", "c3", "c1"}},
		"operation":      {CommandFilter{Operation: "search"}, 10, []string{"c4", "c1"}},
		"caller":         {CommandFilter{Caller: "p"}, 10, []string{"c2", "c1", "c0"}},
		"account":        {CommandFilter{Account: "b"}, 10, []string{"c5", "c4"}},
		"state":          {CommandFilter{State: Rejected}, 10, []string{"c2"}},
		"since":          {CommandFilter{Since: at["c3"]}, 10, []string{"c5", "c4", "c3"}},
		"until":          {CommandFilter{Until: at["c3"]}, 10, []string{"c2", "c1", "c0"}},
		"all at once": {
			CommandFilter{
				Integration: "agency", Operation: "search", Caller: "p", Account: "a", State: Succeeded,
				Since: at["c0"], Until: at["c5"], Before: "f-c2",
			},
			10,
			[]string{"c1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Commands(ctx, b.pool, c.filter, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, f := range found {
				ids = append(ids, f.ID[2:])
			}
			if diff := cmp.Diff(c.want, ids); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPartsHaveNeitherGapsNorDoublesWhileCommandsArrive(t *testing.T) {
	t.Parallel()
	for name, filter := range map[string]CommandFilter{"all": {}, "of a state": {State: Accepted}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := limited(t)
			want := b.arrive(ctx, t, 20)
			slices.Reverse(want)
			var got []string
			for {
				part, err := Commands(ctx, b.pool, filter, 3)
				if err != nil {
					t.Fatal(err)
				}
				if len(part) == 0 {
					break
				}
				for _, c := range part {
					got = append(got, c.ID)
				}
				// The next part follows its command, also once that is in another state.
				filter.Before = got[len(got)-1]
				b.append(ctx, t, event.CommandStream(filter.Before), 1, of(t, event.CommandCompleted{Outcome: event.Succeeded}))
				b.arrive(ctx, t, 1)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

// arrive has 2n commands accepted: n whose ids rise with time, and n whose ids
// are hashes. It returns the ids in the order of the log.
func (b *bundle) arrive(ctx context.Context, t *testing.T, n int) (ids []string) {
	t.Helper()
	for range n {
		for _, id := range []string{uuid.Must(uuid.NewV7()).String(), uuid.NewString()} {
			ids = append(ids, id)
			b.append(ctx, t, event.CommandStream(id), 0, of(t, event.CommandAccepted{}))
		}
	}
	b.sequence(ctx, t)
	b.project(ctx, t)
	return ids
}

func TestPartAfterWhatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	b.fill(ctx, t, 1)
	b.sequence(ctx, t)
	b.project(ctx, t)
	for _, filter := range []CommandFilter{{Before: uuid.NewString()}, {Before: "not a UUID", State: Succeeded}} {
		if found, err := Commands(ctx, b.pool, filter, 2); !errors.Is(err, ErrNoRow) {
			t.Errorf("after %q: got %d commands, %v", filter.Before, len(found), err)
		}
	}
	if found, err := Sessions(ctx, b.pool, SessionFilter{Before: uuid.NewString()}, 2); !errors.Is(err, ErrNoRow) {
		t.Errorf("got %d sessions, %v", len(found), err)
	}
}

func TestFoundCommandIsAsItsEventsSay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	events := b.append(ctx, t, event.CommandStream("c1"), 0,
		of(t, event.CommandAccepted{Site: "sandbox", SiteHash: "5f70"}), of(t, event.EffectStarted{Effect: contracts.Order}),
		of(t, event.EffectUnknown{Message: "the browser crashed"}))
	b.sequence(ctx, t)
	b.project(ctx, t)
	want := Command{
		ID: "c1", Integration: "marketplace", Operation: "buy-now", Caller: "caller-1", Account: "a1", Site: "sandbox", SiteHash: "5f70",
		State: EffectUnknown, Effect: contracts.Order, EffectState: Unknown, Failure: "the browser crashed",
		AcceptedAt: events[0].Time, Trace: Trace{Events: 3, FirstSeq: 1, LastSeq: 3},
	}
	got, err := Commands(ctx, b.pool, CommandFilter{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Command{want}, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
