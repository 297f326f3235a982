package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// sweepTimeout bounds one sweep.
const sweepTimeout = 30 * time.Second

// Recovery ends, in the log, the commands that nobody carries out any more:
// those of an instance that died, and those that this instance could not
// record to the end. It touches no application.
type Recovery struct {
	Recorder    Recorder
	Integration string
	Logger      *slog.Logger
}

// Run sweeps until ctx ends, several times within the lease of an instance.
func (v Recovery) Run(ctx context.Context) {
	tick := time.NewTicker(v.Recorder.Instance.lease / 8)
	defer tick.Stop()
	for {
		if err := v.Sweep(ctx); err != nil && ctx.Err() == nil {
			v.Logger.Warn("commands left behind were not all ended", "integration", v.Integration, "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep ends the commands that are left behind at this moment.
func (v Recovery) Sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	instance := v.Recorder.Instance
	left, err := v.Recorder.Register.leftBehind(ctx, v.Integration, instance.ID())
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range left {
		if instance.carriesOut(c.ID) {
			continue
		}
		// One that has ended, or gone on, since it was looked up stays as it is.
		if err := v.end(ctx, c.ID); err != nil && !errors.Is(err, eventlog.ErrConflict) {
			errs = append(errs, fmt.Errorf("end command %s: %w", c.ID, err))
		}
	}
	return errors.Join(errs...)
}

// end ends one command. It appends to the version that it has read: should
// the command's instance be alive after all, one of the two has a conflict.
func (v Recovery) end(ctx context.Context, id string) error {
	s, err := v.Recorder.read(ctx, id)
	if err != nil || s.ended() || s.inDoubt() {
		return err
	}
	c := v.Recorder.command(s)
	p := abandoned(s)
	if err := c.record(ctx, p); err != nil {
		return err
	}
	v.Logger.Warn("a command that was left behind is ended", "command", id, "operation", c.Operation.ID(), "event", p.EventType())
	return nil
}

// abandoned is what the log is told of a command that was left behind.
func abandoned(s story) event.Payload {
	took := s.took().Milliseconds()
	switch {
	case s.confirmed || s.settled != nil && s.settled.Applied:
		return event.CommandCompleted{Outcome: event.Succeeded, DurationMS: took}
	case s.started == nil || s.refused != nil || s.settled != nil:
		return event.CommandCompleted{
			Outcome: event.Failed, Kind: contracts.Unavailable, DurationMS: took,
			Message: "the service stopped in the middle of the command", Repeatable: s.settled == nil && s.attempt < maxAttempts,
		}
	default:
		return event.EffectUnknown{
			Message: "the service stopped after the command had started its effect, and whether it took effect is not known",
		}
	}
}
