package command_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// journal notes what it is told and answers with an error: no real JetStream
// fails at a chosen moment.
type journal struct {
	err     error
	entries []event.Event
}

func (j *journal) Record(_ context.Context, events ...event.Event) error {
	j.entries = append(j.entries, events...)
	return j.err
}

// An effect begins only once its events are known outside of the database, too,
// as the log holds them.
func TestEffectThatIsNotJournaledIsNotApplied(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	for _, failure := range []error{nil, errors.New("no acknowledgment")} {
		r, j, req, acted := p.recorder(t), &journal{err: failure}, newRequest(), false
		req.account = event.NewID()
		r.Journal = j
		_, err := req.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
			if err := start(ctx, c); err != nil {
				return nil, err
			}
			acted = true
			return &order{ID: "1"}, nil
		})
		events := p.events(t, req.id)
		if len(j.entries) != 2 || !slices.EqualFunc(j.entries, events[:2], func(a, b event.Event) bool { return slices.Equal(a.Hash, b.Hash) }) {
			t.Errorf("the journal has %d entries, which are not the first events of the command", len(j.entries))
		}
		switch {
		case failure == nil:
			if err != nil || !acted {
				t.Errorf("the effect was kept from happening: %v", err)
			}
		case acted || contracts.AsError(err).Kind != contracts.Unavailable:
			t.Errorf("acted %v; got %v", acted, err)
		case events[2].Type != event.TypeEffectNotApplied:
			t.Errorf("the log says %s", events[2].Type)
		}
	}
}

// forgetful is a journal before whose answer a standby that lacks a command has
// become the log's database.
type forgetful struct {
	command.Journal
	forget func()
}

func (j forgetful) Record(ctx context.Context, events ...event.Event) error {
	j.forget()
	return j.Journal.Record(ctx, events...)
}

func TestEffectThatTheLogHasLostMeanwhileIsNotApplied(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r, q, acts := p.recorder(t), newRequest(), 0
	act := func(ctx context.Context, c *command.Command) (*order, error) {
		if err := start(ctx, c); err != nil {
			return nil, err
		}
		acts++
		return &order{ID: "7"}, nil
	}
	r.Journal = forgetful{p.journal, func() { p.forget(t, q.id) }}
	_, err := q.send(t.Context(), r, act)
	if e := contracts.AsError(err); acts != 0 || e.Kind != contracts.Unavailable || e.Outcome != contracts.NothingDone {
		t.Errorf("%d acts; got %+v", acts, e)
	}
	if _, err := q.send(t.Context(), p.recorder(t), act); err != nil || acts != 1 {
		t.Errorf("%d acts after the repeat; got %v", acts, err)
	}
}

// forget takes a command out of the database, as a standby that lagged has it.
func (p parts) forget(t *testing.T, id string) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), newPool(t, p.url), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `ALTER TABLE events DISABLE TRIGGER ALL`)
		_, errEvents := tx.Exec(t.Context(), `DELETE FROM events WHERE stream_id = 'command/' || $1`, id)
		_, errOpen := tx.Exec(t.Context(), `DELETE FROM open_commands WHERE id = $1`, id)
		_, errAgain := tx.Exec(t.Context(), `ALTER TABLE events ENABLE TRIGGER ALL`)
		return errors.Join(err, errEvents, errOpen, errAgain)
	})
	if err != nil {
		t.Fatal(err)
	}
}
