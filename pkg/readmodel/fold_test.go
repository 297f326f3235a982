package readmodel

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// story places events in a stream, a second and ten seqs apart.
func story(t failer, stream string, payloads ...event.Payload) []event.Event {
	t.Helper()
	events := make([]event.Event, len(payloads))
	for i, p := range payloads {
		events[i] = of(t, p)
	}
	return place(stream, events...)
}

func place(stream string, events ...event.Event) []event.Event {
	for i := range events {
		events[i].Stream, events[i].Version, events[i].Seq = stream, int64(i+1), int64(10*(i+1))
		events[i].Time = start.Add(time.Duration(i) * time.Second)
	}
	return events
}

func after(seconds int) *time.Time {
	at := start.Add(time.Duration(seconds) * time.Second)
	return &at
}

func TestCommandIsWhatItsEventsAddUpTo(t *testing.T) {
	t.Parallel()
	accepted := event.CommandAccepted{Request: json.RawMessage(`{}`), Site: "sandbox", SiteHash: "5f70"}
	started := event.EffectStarted{Effect: contracts.Order}
	broken := event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Rejected, Message: "sold out"}
	for name, c := range map[string]struct {
		payloads []event.Payload
		want     Command // what differs from a command that was just accepted
	}{
		"accepted": {nil, Command{State: Accepted}},
		"rejected": {
			[]event.Payload{event.CommandRejected{Kind: contracts.Busy, Message: "no browser is free"}},
			Command{State: Rejected, FailureKind: contracts.Busy, Failure: "no browser is free", EndedAt: after(1)},
		},
		"read": {
			[]event.Payload{event.CommandCompleted{Outcome: event.Succeeded}},
			Command{State: Succeeded, EndedAt: after(1)},
		},
		"in its effect": {
			[]event.Payload{started},
			Command{State: EffectStarted, Effect: contracts.Order, EffectState: Started},
		},
		"done": {
			[]event.Payload{started, event.EffectConfirmed{}, event.CommandCompleted{Outcome: event.Succeeded}},
			Command{State: Succeeded, Effect: contracts.Order, EffectState: Confirmed, EndedAt: after(3)},
		},
		"refused by the application": {
			[]event.Payload{started, event.EffectNotApplied{Message: "sold out"}, broken},
			Command{State: Failed, Effect: contracts.Order, EffectState: NotApplied, FailureKind: contracts.Rejected, Failure: "sold out", EndedAt: after(3)},
		},
		"in doubt": {
			[]event.Payload{started, event.EffectUnknown{Message: "the browser crashed"}},
			Command{State: EffectUnknown, Effect: contracts.Order, EffectState: Unknown, Failure: "the browser crashed"},
		},
		"broken with a picture": {
			[]event.Payload{event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Fault, Message: "no button", Picture: "picture/c1"}},
			Command{State: Failed, FailureKind: contracts.Fault, Failure: "no button", Picture: "picture/c1", EndedAt: after(1)},
		},
		"tried again": {
			[]event.Payload{
				started,
				event.EffectNotApplied{Message: "no connection"},
				event.CommandCompleted{Outcome: event.Failed, Kind: contracts.Unavailable, Message: "no connection", Picture: "picture/c1", Repeatable: true},
				accepted,
			},
			Command{State: Accepted, AcceptedAt: *after(4)},
		},
		"in doubt with a picture, and found not to be done": {
			[]event.Payload{started, event.EffectUnknown{Message: "no answer", Picture: "picture/c1"}, event.EffectReconciled{By: event.ByOperator}, broken},
			Command{State: Failed, Effect: contracts.Order, EffectState: ReconciledNotApplied, ReconciledBy: "operator", FailureKind: contracts.Rejected, Failure: "sold out", Picture: "picture/c1", EndedAt: after(4)},
		},
		"found to be done": {
			[]event.Payload{started, event.EffectUnknown{Message: "the browser crashed"}, event.EffectReconciled{Applied: true, By: event.ByFlow}, event.CommandCompleted{Outcome: event.Succeeded}},
			Command{State: Succeeded, Effect: contracts.Order, EffectState: ReconciledApplied, ReconciledBy: "flow", EndedAt: after(4)},
		},
		"found not to be done": {
			[]event.Payload{started, event.EffectUnknown{Message: "the browser crashed"}, event.EffectReconciled{By: event.ByOperator}, broken},
			Command{State: Failed, Effect: contracts.Order, EffectState: ReconciledNotApplied, ReconciledBy: "operator", FailureKind: contracts.Rejected, Failure: "sold out", EndedAt: after(4)},
		},
		"found not to be done, and then to be": {
			[]event.Payload{started, event.EffectUnknown{Message: "no answer"}, event.EffectReconciled{By: event.ByOperator}, broken, event.EffectFoundLate{By: event.ByFlow}},
			Command{State: FoundLate, Effect: contracts.Order, EffectState: AppearedLate, ReconciledBy: "flow", FailureKind: contracts.Rejected, Failure: "sold out", EndedAt: after(4)},
		},
		"ended before its effect was reconciled": {
			[]event.Payload{started, event.EffectUnknown{Message: "the browser crashed"}, broken, event.EffectReconciled{Applied: true}},
			Command{State: Failed, Effect: contracts.Order, EffectState: ReconciledApplied, FailureKind: contracts.Rejected, Failure: "sold out", EndedAt: after(3)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := story(t, event.CommandStream("c1"), append([]event.Payload{accepted}, c.payloads...)...)
			c.want.ID, c.want.Integration, c.want.Operation, c.want.Caller, c.want.Account = "c1", "marketplace", "buy-now", "caller-1", "a1"
			c.want.Site, c.want.SiteHash = "sandbox", "5f70"
			if c.want.AcceptedAt.IsZero() {
				c.want.AcceptedAt = start
			}
			c.want.Trace = Trace{Events: int64(len(events)), FirstSeq: 10, LastSeq: int64(10 * len(events))}
			var got Command
			for _, e := range events {
				if err := got.Apply(e); err != nil {
					t.Errorf("%s: %v", e.Type, err)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDurationIsFromAcceptanceToEnd(t *testing.T) {
	t.Parallel()
	var c Command
	for i, e := range story(t, event.CommandStream("c1"), event.CommandAccepted{}, event.EffectStarted{}, event.CommandCompleted{}) {
		if err := c.Apply(e); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, 0, 2 * time.Second}[i]; c.Duration() != want {
			t.Errorf("after %s: %v, want %v", e.Type, c.Duration(), want)
		}
	}
}

func TestSessionIsWhatItsEventsAddUpTo(t *testing.T) {
	t.Parallel()
	expires := start.Add(time.Hour + time.Nanosecond).In(time.FixedZone("east", 3600))
	whole := start.Add(time.Hour)
	want := Session{
		ID: "s1", Integration: "marketplace", Command: "c1", Caller: "caller-1", Account: "a1", Site: "sandbox", State: Closed, OpenedAt: start,
		Expires: &whole, Attached: 3, AttachedAt: after(3), Detached: 2, ClosedAt: after(6), Reason: "idle", Trace: Trace{Events: 7, FirstSeq: 10, LastSeq: 70},
	}
	var got Session
	clients := []int64{0, 1, 2, 3, 2, 1, 0} // the last was cut off with the browser
	for i, e := range story(t, event.SessionStream("s1"),
		event.SessionOpened{Site: "sandbox", Expires: expires}, event.SessionAttached{}, event.SessionAttached{Purpose: event.View}, event.SessionAttached{},
		event.SessionDetached{}, event.SessionDetached{Purpose: event.View}, event.SessionClosed{Reason: "idle"}) {
		if err := got.Apply(e); err != nil {
			t.Error(err)
		}
		if got.Clients() != clients[i] {
			t.Errorf("after %s: %d clients, want %d", e.Type, got.Clients(), clients[i])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
}

func TestAccountIsWhatItsEventsAddUpTo(t *testing.T) {
	t.Parallel()
	refused := event.AccountNeedsSignIn{Site: "sandbox", Message: "wrong password"}
	signedIn := event.AccountSignedIn{Site: "sandbox"}
	for name, c := range map[string]struct {
		payloads []event.Payload
		want     Account
	}{
		"linked":          {nil, Account{State: Linked}},
		"signed in":       {[]event.Payload{refused, signedIn}, Account{State: SignedIn, Site: "sandbox", SignedInAt: after(2)}},
		"needs a sign-in": {[]event.Payload{refused}, Account{State: NeedsSignIn, Site: "sandbox", Message: "wrong password"}},
		"unlinked stays so": {
			[]event.Payload{event.AccountUnlinked{}, signedIn, refused},
			Account{State: Unlinked, Site: "sandbox", SignedInAt: after(2), UnlinkedAt: after(1)},
		},
		"erased stays so": {
			[]event.Payload{refused, event.AccountErased{}, event.AccountUnlinked{}, refused},
			Account{State: Erased, Site: "sandbox", ErasedAt: after(2), UnlinkedAt: after(3)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := story(t, event.AccountStream("a1"), append([]event.Payload{event.AccountLinked{}}, c.payloads...)...)
			c.want.ID, c.want.Integration, c.want.Caller, c.want.LinkedAt = "a1", "marketplace", "caller-1", start
			c.want.Trace = Trace{Events: int64(len(events)), FirstSeq: 10, LastSeq: int64(10 * len(events))}
			var got Account
			for _, e := range events {
				if err := got.Apply(e); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("account (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventOfAnUnknownTypeIsCountedAndIgnored(t *testing.T) {
	t.Parallel()
	var before, got Command
	events := place(event.CommandStream("c1"), of(t, event.CommandAccepted{}), raw("command.paused", `["PRIVATE"]`))
	for i, e := range events {
		if err := got.Apply(e); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
		if i == 0 {
			before = got
		}
	}
	before.Events, before.LastSeq = 2, 20
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

func TestEventThatIsNotUnderstoodIsNamedAndTheRowGoesOn(t *testing.T) {
	t.Parallel()
	gap := of(t, event.CommandCompleted{Outcome: event.Succeeded})
	for name, c := range map[string]struct {
		wrong  event.Event
		change func(*event.Event)
		want   string
	}{
		"data of another shape": {raw(event.TypeEffectStarted, `{"effect":"PRIVATE","vars":1,"effect":{"a":"PRIVATE"}}`), nil, "its data is not that of a effect.started"},
		"a number too large":    {raw(event.TypeCommandCompleted, `{"durationMs":99999999999999999999}`), nil, "its data is not that of a command.completed"},
		"a version is missing":  {raw(event.TypeEffectConfirmed, `{}`), func(e *event.Event) { e.Version++ }, "it has version 3 and is number 2 of its stream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := place(event.CommandStream("c1"), of(t, event.CommandAccepted{}), c.wrong, gap)
			if c.change != nil {
				c.change(&events[1])
				c.change(&events[2])
			}
			var got Command
			var problems []string
			for _, e := range events {
				if err := got.Apply(e); err != nil {
					problems = append(problems, err.Error())
				}
			}
			if want := "event " + c.wrong.ID + ": " + c.want; got.Problem != want || !slices.Equal(problems, []string{want}) {
				t.Errorf("got %q and problem %q, want %q", problems, got.Problem, want)
			}
			if got.State != Succeeded || got.LastSeq != 30 {
				t.Errorf("the row did not go on: %+v", got)
			}
		})
	}
}

func TestTextsAreMadeStorable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                   "plain",
		"a\x00b":                  "a\uFFFDb",
		strings.Repeat("x", 1000): strings.Repeat("x", 1000),
		strings.Repeat("x", 1001): strings.Repeat("x", 997) + "…",
		strings.Repeat("ü", 501):  strings.Repeat("ü", 498) + "…",
	} {
		if got := text(in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Whatever an event says, a fold takes it, and the row can be stored.
func FuzzApply(f *testing.F) {
	types := []string{
		event.TypeCommandAccepted, event.TypeCommandRejected, event.TypeCommandCompleted, event.TypeEffectStarted,
		event.TypeEffectConfirmed, event.TypeEffectNotApplied, event.TypeEffectUnknown, event.TypeEffectReconciled, event.TypeEffectFoundLate,
		event.TypeSessionOpened, event.TypeSessionAttached, event.TypeSessionClosed, event.TypeAccountSignedIn,
		event.TypeAccountNeedsSignIn, event.TypeAccountUnlinked, event.TypeAccountErased, "command.paused",
	}
	for i := range types {
		f.Add(byte(i), []byte(`{"site":"a\u0000b","message":"\ud800","kind":"x","outcome":"succeeded","effect":"order","applied":true}`))
		f.Add(byte(i), []byte(`{"expires":"0000-01-01T00:00:00+14:00","message":1,"site":[]}`))
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		if !json.Valid(data) {
			return
		}
		e := raw(types[int(which)%len(types)], string(data))
		e = place("x/1", e)[0]
		var c Command
		var s Session
		var a Account
		for _, r := range []interface{ Apply(event.Event) error }{&c, &s, &a} {
			_ = r.Apply(e)
			encoded, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(encoded), `\u0000`) || !utf8.Valid(encoded) || len(encoded) > 8*6*maxText {
				t.Errorf("cannot be stored: %.200s", encoded)
			}
		}
		if s.Expires != nil && (s.Expires.Year() < 1 || s.Expires.Nanosecond()%1000 != 0) {
			t.Errorf("expires %v", s.Expires)
		}
	})
}

// The clock of the log's database may have been set back between the two.
func TestNoCommandEndsBeforeItBegins(t *testing.T) {
	t.Parallel()
	accepted := time.Now()
	ended := accepted.Add(-2 * time.Minute)
	c := Command{AcceptedAt: accepted, EndedAt: &ended}
	if got := c.Duration(); got != 0 {
		t.Errorf("the command took %v", got)
	}
}
