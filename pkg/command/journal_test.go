package command_test

import (
	"context"
	"errors"
	"slices"
	"testing"

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
