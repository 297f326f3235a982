package command_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// Wherever an instance dies, its command is ended once, though all the others
// find it at the same time.
func TestCommandsOfADeadInstanceAreEndedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []step
		op     contracts.Info
		act    act
		want   []string // behind command.accepted
	}{
		"accepted":                   {[]step{kept}, read, succeed, []string{event.TypeCommandCompleted}},
		"accepted, and nobody knows": {[]step{unheard}, place, confirm, []string{event.TypeCommandCompleted}},
		"leased":                     {[]step{kept}, place, succeed, []string{event.TypeCommandCompleted}},
		"at the start of its effect": {[]step{kept, lost}, place, confirm, []string{event.TypeCommandCompleted}},
		"with its effect started":    {[]step{kept, kept}, place, confirm, []string{event.TypeEffectStarted, event.TypeEffectUnknown}},
		"with its effect started, and nobody knows": {
			[]step{kept, unheard}, place, confirm, []string{event.TypeEffectStarted, event.TypeEffectUnknown},
		},
		"with its end recorded": {
			[]step{kept, kept, unheard}, place, confirm, []string{event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			q.op = c.op
			if _, err := q.send(t.Context(), p.dead(t, c.script...), c.act); err == nil {
				t.Fatal("the command did not die")
			}
			var sweeps sync.WaitGroup
			for range instances {
				r := p.recorder(t)
				sweeps.Go(func() { sweep(t, r) })
				sweeps.Go(func() { sweep(t, r) })
			}
			sweeps.Wait()
			events := p.events(t, q.id)
			if diff := cmp.Diff(append([]string{event.TypeCommandAccepted}, c.want...), types(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if len(events) == 2 {
				if end := last[event.CommandCompleted](t, p, q.id); end.Outcome != event.Failed || !end.Repeatable {
					t.Errorf("got %+v", end)
				}
			}
		})
	}
}

func TestCommandsThatAreCarriedOutAreLeftAlone(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	finish := holdWith(t, r, q)
	sweep(t, r)
	sweep(t, p.recorder(t))
	other := p.recorder(t)
	v := command.Recovery{Recorder: other, Integration: "another", Logger: slog.New(slog.DiscardHandler)}
	bury(t, p, r.Instance)
	if err := v.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if err := finish(); err != nil {
		t.Error(err)
	}
}

// The answer to an acceptance was lost: nobody carries the command out, though
// its instance is alive.
func TestInstanceEndsWhatItDidNotKnowItHadAccepted(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	r.Log = &scripted{Log: p.log, steps: []step{unheard}}
	_, err := q.send(t.Context(), r, func(context.Context, *command.Command) (*order, error) {
		t.Error("it was carried out")
		return nil, nil
	})
	if contracts.AsError(err).Kind != contracts.Unavailable {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	recovery := command.Recovery{Recorder: p.of(r.Instance), Integration: "shop", Logger: slog.New(slog.DiscardHandler)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		recovery.Run(ctx)
	}()
	until(t, "it is ended", func() bool { return len(p.events(t, q.id)) == 2 })
	cancel()
	<-done
	if end := last[event.CommandCompleted](t, p, q.id); end.Outcome != event.Failed || end.Kind != contracts.Unavailable {
		t.Errorf("got %+v", end)
	}
}

// The database is away when the command ends.
func TestEndIsRecordedOnceTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  act
		log  []step
		want []string
	}{
		"confirmed": {confirm, []step{kept, kept, lost, lost}, []string{event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted}},
		"confirmed, and recorded after all": {
			confirm, []step{kept, kept, unheard, lost}, []string{event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted},
		},
		"failed before the effect": {
			func(context.Context, *command.Command) (*order, error) { return nil, errors.New("browser died") },
			[]step{kept, lost, unheard},
			[]string{event.TypeCommandCompleted},
		},
		"failed at the start of the effect": {
			confirm, []step{kept, unheard, lost, lost}, []string{event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted},
		},
		"in doubt": {breakOff, []step{kept, kept, lost}, []string{event.TypeEffectStarted, event.TypeEffectUnknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			r := p.recorder(t)
			r.Log = &scripted{Log: p.log, steps: c.log}
			if _, err := q.send(t.Context(), r, c.act); err == nil {
				t.Error("an answer without a record")
			}
			want := append([]string{event.TypeCommandAccepted}, c.want...)
			until(t, "the end is recorded", func() bool {
				sweep(t, r) // it is not left behind meanwhile
				return len(p.events(t, q.id)) >= len(want)
			})
			wantEvents(t, p, q.id, want...)
			if name != "confirmed" {
				return
			}
			if end := last[event.CommandCompleted](t, p, q.id); len(end.Result) == 0 {
				t.Errorf("the result is lost: %+v", end)
			}
		})
	}
}

// overtake ends what its instance is at, as the others do who take it for dead.
func overtake(t *testing.T, p parts, r command.Recorder) {
	t.Helper()
	bury(t, p, r.Instance)
	sweep(t, p.recorder(t))
}

func TestWhoComesBackAndKnowsSettlesTheDoubt(t *testing.T) {
	t.Parallel()
	refusal := contracts.Errorf(contracts.Rejected, "the card was declined")
	for name, c := range map[string]struct {
		log     []step
		refuse  bool
		err     error
		want    contracts.Kind // of the answer
		settled bool
		applied bool
		outcome event.Outcome
	}{
		"it was confirmed":              {want: "", settled: true, applied: true, outcome: event.Succeeded},
		"it was refused":                {refuse: true, err: refusal, want: contracts.Rejected, settled: true, outcome: event.Failed},
		"it was not acted":              {log: []step{kept, unheard}, want: contracts.Unavailable, settled: true, outcome: event.Failed},
		"nobody knows":                  {err: errors.New("browser died"), want: contracts.Unknown},
		"confirmed, database away then": {log: []step{kept, kept, lost, lost}, want: contracts.Unknown, settled: true, applied: true, outcome: event.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			r := p.recorder(t)
			r.Log = &scripted{Log: p.log, steps: c.log}
			result, err := q.send(t.Context(), r, func(ctx context.Context, cmd *command.Command) (*order, error) {
				err := start(ctx, cmd)
				overtake(t, p, r)
				if c.refuse {
					cmd.Refuse()
				}
				return &order{ID: "7"}, errors.Join(err, c.err)
			})
			if err == nil && c.want != "" || err != nil && contracts.AsError(err).Kind != c.want {
				t.Errorf("got %v", err)
			}
			if placed, _ := result.(*order); err == nil && (placed == nil || placed.ID != "7") {
				t.Errorf("got %v", result)
			}
			want := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown}
			if c.settled {
				want = append(want, event.TypeEffectReconciled, event.TypeCommandCompleted)
			}
			until(t, "it is settled", func() bool { return len(p.events(t, q.id)) >= len(want) })
			events := p.events(t, q.id)
			if diff := cmp.Diff(want, types(events)); diff != "" {
				t.Fatalf("events (-want +got):\n%s", diff)
			}
			if !c.settled {
				return
			}
			reconciled, err := event.PayloadOf[event.EffectReconciled](events[3])
			if err != nil || reconciled.Applied != c.applied || reconciled.By != event.ByCommand {
				t.Errorf("got %+v, %v", reconciled, err)
			}
			if end := last[event.CommandCompleted](t, p, q.id); end.Outcome != c.outcome || (len(end.Result) > 0) != c.applied {
				t.Errorf("got %+v", end)
			}
		})
	}
}

// The log's word counts where it has one. Only that nothing was done, it must
// not say to who knows better.
func TestWhoComesBackAfterTheEndTellsWhatTheLogHas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		applied bool // is what somebody has settled
		act     act
		want    contracts.Kind
		events  int
	}{
		"both know that it was":        {true, confirm, "", 5},
		"it was, and the log denies":   {false, confirm, "", 6},
		"nobody here knows, it was":    {true, breakOff, "", 5},
		"nobody here knows, it wasn't": {false, breakOff, contracts.Unavailable, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			r := p.recorder(t)
			_, err := q.send(t.Context(), r, func(ctx context.Context, cmd *command.Command) (*order, error) {
				result, err := c.act(ctx, cmd)
				overtake(t, p, r)
				settle(t, p, q.id, command.Verdict{Applied: c.applied, By: event.ByOperator, Result: &order{ID: "7"}})
				return result, err
			})
			if err == nil && c.want != "" || err != nil && contracts.AsError(err).Kind != c.want {
				t.Errorf("got %v", err)
			}
			if events := p.events(t, q.id); len(events) != c.events {
				t.Errorf("events %v", types(events))
			} else if c.events == 6 {
				if found := last[event.EffectFoundLate](t, p, q.id); found.By != event.ByCommand || found.Result == nil {
					t.Errorf("found late: %+v", found)
				}
			}
			if e := contracts.AsError(err); c.want != "" && (!e.Final || (e.Outcome == contracts.Done) != (c.want == contracts.Unknown)) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// settle settles a command in doubt.
func settle(t *testing.T, p parts, id string, v command.Verdict) {
	t.Helper()
	r := command.Recorder{Log: p.log, Sealer: p.vault, Register: p.register}
	d, err := r.Doubt(t.Context(), id)
	if err == nil {
		err = r.Settle(t.Context(), d, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A verdict can be restored without the end that was appended with it.
func TestRestoredVerdictEndsItsCommand(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := doubtful(t, p, r)
	events := p.events(t, q.id)
	e, err := event.New(event.EffectReconciled{Applied: true, By: event.ByFlow})
	if err != nil {
		t.Fatal(err)
	}
	last := events[len(events)-1]
	e.Integration, e.Operation, e.Command, e.Caller, e.Account = last.Integration, last.Operation, last.Command, last.Caller, last.Account
	if _, err := p.log.Append(t.Context(), event.CommandStream(q.id), last.Version, e); err != nil {
		t.Fatal(err)
	}
	rebuild(t, p, q.id)
	sweep(t, r)
	if got := types(p.events(t, q.id)); got[len(got)-1] != event.TypeCommandCompleted {
		t.Errorf("the command is left open: %v", got)
	}
}

// A restored effect has lost its lease, and may be in the middle of its act.
func TestRestoredEffectKeepsOthersBack(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	q, next := newRequest(), newRequest()
	if _, err := q.send(t.Context(), p.dead(t, kept, kept), breakOff); err == nil {
		t.Fatal("it succeeded")
	}
	r, ended := p.recorder(t), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := next.send(ctx, r, breakOff)
		ended <- err
	}()
	until(t, "it waits for its turn", func() bool { return len(p.events(t, next.id)) == 1 })
	rebuild(t, p, q.id)
	if n := p.count(t, `SELECT granted::integer FROM lease_user($1, 1)`, next.id); n != 0 {
		t.Error("the next command of the user has the lease beside an effect that was started")
	}
	cancel()
	if err := <-ended; contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("the next command: %v", err)
	}
}

func rebuild(t *testing.T, p parts, commands ...string) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), newPool(t, p.url), func(tx pgx.Tx) error { return command.Rebuild(t.Context(), tx, commands) })
	if err != nil {
		t.Fatal(err)
	}
}
