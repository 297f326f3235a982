package readmodel

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

func TestCommandsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := limited(t)
	at := map[string]time.Time{}
	for i := range 6 {
		id := fmt.Sprintf("c%d", i)
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
		at[id] = b.append(ctx, t, event.CommandStream(id), 0, accepted, ended)[0].Time
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
		"the next part":  {CommandFilter{Before: "c4"}, 2, []string{"c3", "c2"}},
		"past the end":   {CommandFilter{Before: "c0"}, 2, nil},
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
				Since: at["c0"], Until: at["c5"], Before: "c2",
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
				ids = append(ids, f.ID)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
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
