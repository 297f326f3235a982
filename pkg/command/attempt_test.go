package command_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
)

// fails makes what ends with an error of a kind, before any effect.
func fails(kind contracts.Kind) act {
	return func(context.Context, *command.Command) (*order, error) { return nil, contracts.Errorf(kind, "no") }
}

// A failure of ours, or of the application, does not use a key up: the same
// request is the next attempt of the same command.
func TestWhatFailedAndDidNothingIsTriedAgainUnderItsKey(t *testing.T) {
	t.Parallel()
	started := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted}
	for name, c := range map[string]struct {
		act   act
		first []string // events of the first attempt
	}{
		"the application is down": {fails(contracts.Unavailable), []string{event.TypeCommandAccepted, event.TypeCommandCompleted}},
		"the time was too short":  {fails(contracts.Timeout), []string{event.TypeCommandAccepted, event.TypeCommandCompleted}},
		"the site lacks the flow": {fails(contracts.NotImplemented), []string{event.TypeCommandAccepted, event.TypeCommandRejected}},
		"no page was free":        {fails(contracts.Busy), []string{event.TypeCommandAccepted, event.TypeCommandRejected}},
		"a fault without a type":  {func(context.Context, *command.Command) (*order, error) { return nil, errors.New("database is away") }, []string{event.TypeCommandAccepted, event.TypeCommandCompleted}},
		"the act did not go ahead": {func(ctx context.Context, c *command.Command) (*order, error) {
			err := start(ctx, c)
			c.Refuse()
			return nil, errors.Join(err, contracts.Errorf(contracts.Unavailable, "no connection"))
		}, started},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			r := p.recorder(t)
			_, err := q.send(t.Context(), r, c.act)
			if e := contracts.AsError(err); err == nil || e.Outcome != contracts.NothingDone || e.Final {
				t.Errorf("the first attempt: %+v", e)
			}
			result, err := q.send(t.Context(), p.recorder(t), confirm)
			if err != nil {
				t.Fatal("the second attempt:", err)
			}
			wantOrder(t, result)
			if result, err = q.send(t.Context(), r, never(t)); err != nil {
				t.Error("a repeat:", err)
			}
			wantOrder(t, result)
			want := append(slices.Clone(c.first), event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted)
			wantEvents(t, p, q.id, want...)
		})
	}
}

// What was found not to have happened stays so under its key: the application
// may still be at work.
func TestVerdictIsNotFollowedByAnotherAttempt(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := doubtful(t, p, r)
	settle(t, p, q.id, command.Verdict{By: event.ByFlow})
	_, err := q.send(t.Context(), r, never(t))
	if e := contracts.AsError(err); e.Kind != contracts.Unavailable || e.Outcome != contracts.NothingDone || !e.Final {
		t.Errorf("got %+v", e)
	}
}

// A log from before there were attempts: its failures are final, for their
// callers were told to use a new key.
func TestOldFailureStaysTheAnswerOfItsKey(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	if _, err := q.send(t.Context(), r, fails(contracts.Unavailable)); err == nil {
		t.Fatal("it did not fail")
	}
	err := p.asSuperuser(t.Context(), `ALTER TABLE events DISABLE TRIGGER USER;
		UPDATE events SET data = convert_to(replace(convert_from(data, 'UTF8'), '"repeatable":true,', ''), 'UTF8') WHERE type = 'command.completed';
		ALTER TABLE events ENABLE TRIGGER USER`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.send(t.Context(), r, never(t))
	if e := contracts.AsError(err); e.Kind != contracts.Unavailable || !e.Final || e.Message != "no; this is the stored answer" {
		t.Errorf("got %+v", e)
	}
}

// Eight repeats at once, at three instances: one of them is the next attempt.
func TestRepeatsAtTheSameMomentAreOneAttempt(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	recorders := []command.Recorder{p.recorder(t), p.recorder(t), p.recorder(t)}
	if _, err := q.send(t.Context(), recorders[0], fails(contracts.Unavailable)); err == nil {
		t.Fatal("it did not fail")
	}
	var (
		attempts atomic.Int32
		clients  sync.WaitGroup
	)
	for n := range 8 {
		clients.Go(func() {
			result, err := q.send(t.Context(), recorders[n%len(recorders)], func(ctx context.Context, c *command.Command) (*order, error) {
				attempts.Add(1)
				return confirm(ctx, c)
			})
			if err != nil {
				t.Error(err)
				return
			}
			wantOrder(t, result)
		})
	}
	clients.Wait()
	if n := attempts.Load(); n != 1 {
		t.Errorf("%d attempts", n)
	}
}

// An instance that stood still during its attempt comes back when the next
// attempt is in doubt. What it knows of its own settles nothing.
func TestWhoComesBackFromAnEarlierAttemptDoesNotSettleTheNext(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	sleeper := p.of(p.silent(t, brief))
	sleeper.Log = &scripted{Log: p.log, steps: []step{kept, lost}}
	_, err := q.send(t.Context(), sleeper, func(ctx context.Context, c *command.Command) (*order, error) {
		err := start(ctx, c) // which is not in the log
		r := p.recorder(t)
		until(t, "the attempt is ended", func() bool {
			sweep(t, r)
			return len(p.events(t, q.id)) == 2
		})
		if _, next := q.send(t.Context(), r, breakOff); contracts.AsError(next).Kind != contracts.Unknown {
			t.Errorf("the next attempt: %v", next)
		}
		return nil, err
	})
	if e := contracts.AsError(err); e.Outcome != contracts.NotKnown {
		t.Errorf("got %+v", e)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeCommandCompleted,
		event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown)
}

// A repeat that waits is the caller of an attempt that fails: it tells of that
// one and does not try by itself.
func TestRepeatThatWaitedIsAnsweredWithThatAttempt(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	begun, end := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	r := p.recorder(t)
	go func() {
		_, err := q.send(t.Context(), r, func(context.Context, *command.Command) (*order, error) {
			close(begun)
			<-end
			return nil, contracts.Errorf(contracts.Unavailable, "no")
		})
		first <- err
	}()
	<-begun
	repeated := make(chan error, 1)
	ctx, waits := context.WithTimeout(t.Context(), patience)
	defer waits()
	parked := make(chan struct{})
	go func() {
		_, err := q.send(bus.WithGiveBack(ctx, func() *contracts.Error { close(parked); return nil }), r, never(t))
		repeated <- err
	}()
	select {
	case <-parked:
	case <-time.After(patience):
		t.Error("it waits with its worker")
	}
	close(end)
	if err := <-first; err == nil {
		t.Error("it did not fail")
	}
	if e := contracts.AsError(<-repeated); e.Kind != contracts.Unavailable || e.Outcome != contracts.NothingDone || e.Final {
		t.Errorf("got %+v", e)
	}
}

// The end of a command says that it can be tried again, and its effect was
// confirmed all the same: the database refuses the attempt, and so it stays.
func TestDatabaseHasTheLastWordOnAnotherAttempt(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
		err := start(ctx, c)
		c.Refuse()
		return nil, errors.Join(err, contracts.Errorf(contracts.Unavailable, "no"))
	})
	if err == nil {
		t.Fatal("it did not fail")
	}
	err = p.asSuperuser(t.Context(), `ALTER TABLE events DISABLE TRIGGER USER;
		UPDATE events SET type = 'effect.confirmed' WHERE type = 'effect.not-applied';
		ALTER TABLE events ENABLE TRIGGER USER`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := q.send(ctx, r, never(t)); contracts.AsError(err).Kind != contracts.Unavailable || ctx.Err() != nil {
		t.Errorf("got %v", err)
	}
}

// An instance that stood still before its attempt had its turn is taken for dead.
// When it goes on, the turn of the next attempt is not its own.
func TestWhoComesBackDoesNotTakeTheTurnOfTheNextAttempt(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	goOn := make(chan struct{})
	config := p.pool.Config()
	config.PrepareConn = func(ctx context.Context, _ *pgx.Conn) (bool, error) {
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return true, ctx.Err()
	}
	standing, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standing.Close)
	sleeper, r := p.recorder(t), p.recorder(t)
	sleeper.Register = command.NewRegister(standing)
	first := make(chan error, 1)
	go func() {
		_, err := q.send(t.Context(), sleeper, func(context.Context, *command.Command) (*order, error) {
			t.Error("two attempts are carried out at once")
			return nil, nil
		})
		first <- err
	}()
	until(t, "it is accepted", func() bool { return len(p.events(t, q.id)) == 1 })
	bury(t, p, sleeper.Instance)
	sweep(t, r)
	finish := holdWith(t, r, q)
	close(goOn)
	if err := <-first; contracts.AsError(err).Outcome != contracts.NotKnown {
		t.Errorf("the first attempt: %v", err)
	}
	if err := finish(); err != nil {
		t.Errorf("the next attempt: %v", err)
	}
	wantEvents(t, p, q.id,
		event.TypeCommandAccepted, event.TypeCommandCompleted,
		event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted)
}

// Who fails again and again under one key is told to wait ever longer: the
// attempts that it has last for hours.
func TestRetryAfterGrowsWithTheAttempts(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for _, told := range []time.Duration{0, 20 * time.Minute} {
		q := newRequest()
		var waits []time.Duration
		for range 4 {
			_, err := q.send(t.Context(), r, func(context.Context, *command.Command) (*order, error) {
				return nil, &contracts.Error{Kind: contracts.Unavailable, Message: "no", RetryAfter: told}
			})
			e := contracts.AsError(err)
			if e.Final || e.Outcome != contracts.NothingDone {
				t.Errorf("got %+v", e)
			}
			waits = append(waits, e.Advise(place, true, q.id).RetryAfter)
		}
		want := []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second} // unless told, an application that is down is given 5 s
		if told > 0 {
			want = []time.Duration{told, 2 * told, time.Hour, time.Hour}
		}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", told, diff)
		}
	}
}
