package command_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// A database that was rolled back forgets a command that a process still carries
// out, and another process begins it anew under the same id: their events do
// not mix.
func TestACommandThatWasBegunAnewIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]act{
		"at its end":                  succeed,
		"at the start of its effect":  confirm,
		"at an end that nobody knows": breakOff,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := newParts(t), newRequest()
			finish := func() error { return errors.New("it was not begun") }
			_, err := q.send(t.Context(), p.recorder(t), func(ctx context.Context, c *command.Command) (*order, error) {
				p.forget(t, q.id)
				finish = holdWith(t, p.recorder(t), q)
				return end(ctx, c)
			})
			if e := contracts.AsError(err); e.Outcome == contracts.Done || e.RetryAfter == 0 {
				t.Errorf("the answer is %+v", e)
			}
			if diff := cmp.Diff([]string{event.TypeCommandAccepted}, types(p.events(t, q.id))); diff != "" {
				t.Errorf("events of the command that was begun anew (-want +got):\n%s", diff)
			}
			if err := finish(); err != nil {
				t.Errorf("the command that was begun anew: %v", err)
			}
		})
	}
}

// Who has lost its command knows nothing of the effect that is in doubt under its id.
func TestACommandThatWasBegunAnewIsNotSettledByTheLostOne(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	r.Log = &scripted{Log: p.log, steps: []step{kept, lost}}
	_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
		err := start(ctx, c) // lost
		p.forget(t, q.id)
		if _, err := q.send(t.Context(), p.recorder(t), breakOff); contracts.AsError(err).Outcome != contracts.NotKnown {
			t.Errorf("the command that was begun anew: %v", err)
		}
		return nil, err
	})
	if e := contracts.AsError(err); e.Outcome != contracts.NotKnown {
		t.Errorf("the answer is %+v", e)
	}
	if diff := cmp.Diff([]string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown}, types(p.events(t, q.id))); diff != "" {
		t.Errorf("events of the command in doubt (-want +got):\n%s", diff)
	}
}
