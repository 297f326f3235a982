package command_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

const (
	instances    = 3
	writesOfEach = 5
)

// Writes of one account come in at several instances while another one is
// under way: all of them get their turn, one at a time, oldest first.
func TestWritesOfAnAccountTakeTurnsOverAllInstances(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	first := hold(t, p, newRequest())
	var (
		inside atomic.Int32
		mu     sync.Mutex
		places []int
		all    sync.WaitGroup
	)
	for range instances {
		r := p.recorder(t)
		for range writesOfEach {
			all.Go(func() {
				q := newRequest()
				_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d writes are under way at once", n)
					}
					defer inside.Add(-1)
					mu.Lock()
					places = append(places, p.count(t, `SELECT place FROM open_commands WHERE id = $1`, q.id))
					mu.Unlock()
					return confirm(ctx, c)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	until(t, "all have come in", func() bool { return p.count(t, `SELECT count(*) FROM open_commands`) == instances*writesOfEach+1 })
	if n := inside.Load(); n != 0 {
		t.Errorf("%d did not wait for the first", n)
	}
	if err := first(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if len(places) != instances*writesOfEach || !slices.IsSorted(places) {
		t.Errorf("they were carried out in the order %v", places)
	}
}

// hold sends a request from an instance of its own, whose operation waits
// until finish is called.
func hold(t *testing.T, p parts, q request) (finish func() error) {
	t.Helper()
	return holdWith(t, p.recorder(t), q)
}

func holdWith(t *testing.T, r command.Recorder, q request) (finish func() error) {
	t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := q.send(context.Background(), r, func(ctx context.Context, c *command.Command) (*order, error) {
			close(begun)
			<-end
			return confirm(ctx, c)
		})
		done <- err
	}()
	finish = sync.OnceValue(func() error {
		close(end)
		return <-done
	})
	t.Cleanup(func() { _ = finish() })
	select {
	case <-begun:
	case err := <-done:
		done <- err
		t.Fatalf("the operation was not begun: %v: %v", err, errors.Unwrap(err))
	case <-time.After(patience):
		t.Fatal("the operation was not begun")
	}
	return finish
}

func TestOnlyWritesOfTheSameAccountWait(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	hold(t, p, newRequest())
	r := p.recorder(t)
	for name, change := range map[string]func(*request){
		"a write of another account": func(q *request) { q.account = "account-2" },
		"a read":                     func(q *request) { q.op = read },
	} {
		q := newRequest()
		change(&q)
		if _, err := q.send(t.Context(), r, succeed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	q := newRequest()
	_, err := q.send(ctx, r, func(context.Context, *command.Command) (*order, error) {
		t.Error("a write of the same account was begun")
		return nil, nil
	})
	if e := contracts.AsError(err); e.Kind != contracts.Busy || e.RetryAfter == 0 || e.Outcome != contracts.NothingDone {
		t.Errorf("got %v", err)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeCommandRejected)
}

// An instance stands still while it holds a lease, and comes back after the
// lease has fallen to another one.
func TestLeaseOfASilentInstanceFalls(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	finish := holdWith(t, p.of(p.silent(t, brief)), q)
	r := p.recorder(t)
	next := make(chan error, 1)
	go func() {
		_, err := newRequest().send(t.Context(), r, confirm)
		next <- err
	}()
	until(t, "the command is ended", func() bool {
		sweep(t, r)
		return len(p.events(t, q.id)) == 2
	})
	if err := <-next; err != nil {
		t.Error(err)
	}
	if err := finish(); contracts.AsError(err).Kind != contracts.Unavailable || contracts.AsError(err).Outcome != contracts.NothingDone {
		t.Errorf("got %v", err)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeCommandCompleted)
}

// What keeps a command that others have ended from its effect, even where its
// own process does not know that time has passed: the version of its stream.
func TestCommandThatOthersHaveEndedStartsNoEffect(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	i := p.silent(t, hour)
	finish := holdWith(t, p.of(i), q)
	bury(t, p, i)
	sweep(t, p.recorder(t))
	if err := finish(); contracts.AsError(err).Kind != contracts.Unavailable {
		t.Errorf("got %v", err)
	}
	wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeCommandCompleted)
}

// bury has the others take an instance for dead.
func bury(t *testing.T, p parts, i *command.Instance) {
	t.Helper()
	if _, err := p.pool.Exec(t.Context(), `DELETE FROM instances WHERE id = $1`, i.ID()); err != nil {
		t.Error(err)
	}
}

// An instance stands still between the start of an effect and the act. That it
// has a lease again when it goes on does not help.
func TestEffectIsNotActedOnceTheLeaseHasRunOut(t *testing.T) {
	t.Parallel()
	for _, renewed := range []bool{false, true} {
		t.Run(fmt.Sprint("renewed ", renewed), func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			i := p.silent(t, brief)
			_, err := q.send(t.Context(), p.of(i), func(ctx context.Context, c *command.Command) (*order, error) {
				if err := start(ctx, c); err != nil {
					return nil, err
				}
				if err := c.Act(); err != nil {
					t.Errorf("at first: %v", err)
				}
				id := i.ID()
				until(t, "the lease runs out", func() bool { return !i.Holds(id) })
				if renewed {
					run(t, i)
					until(t, "there is another lease", func() bool { return i.Holds(i.ID()) })
				}
				return nil, c.Act()
			})
			if contracts.AsError(err).Kind != contracts.Unavailable {
				t.Errorf("got %v", err)
			}
			wantEvents(t, p, q.id, event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted)
		})
	}
}

// The lease is given back and the doubt begins at one moment: there is none at
// which the account looks free.
func TestDoubtLeavesNoGapForTheNextWrite(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for n := range 60 {
		q, next := newRequest(), newRequest()
		q.account = fmt.Sprint("account-", n)
		next.account = q.account
		finished := make(chan error, 1)
		began, asked := make(chan struct{}), make(chan struct{})
		go func() {
			_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
				close(began)
				<-asked
				return breakOff(ctx, c)
			})
			finished <- err
		}()
		<-began
		accept(t, p, next)
		for close(asked); ; {
			var granted *bool
			var doubt *string
			if err := p.pool.QueryRow(t.Context(), `SELECT granted, doubt FROM lease_user($1, 1)`, next.id).Scan(&granted, &doubt); err != nil {
				t.Fatal(err)
			}
			if granted == nil || *granted {
				t.Fatalf("round %d: granted beside an effect in doubt", n)
			}
			if doubt != nil {
				break
			}
		}
		<-finished
	}
}

// accept appends a request's first event, and no more.
func accept(t *testing.T, p parts, q request) {
	t.Helper()
	e, err := event.New(event.CommandAccepted{Request: []byte(`{}`), Effect: q.op.Effect, Instance: "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Operation, e.Command, e.Caller, e.Account = q.op.Integration, q.op.Name, q.id, q.caller, q.account
	if _, err := p.log.Append(t.Context(), event.CommandStream(q.id), 0, e); err != nil {
		t.Fatal(err)
	}
}
