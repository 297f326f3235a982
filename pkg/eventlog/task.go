package eventlog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// task is a part of the keeper's work that can fail by itself.
type task int

const (
	leading  task = iota // the connection that holds the leader's lock, and the sequencer on it
	ordering             // whether a transaction elsewhere holds the order back
	relaying
	signing
	tasks // how many there are
)

// persist has a task of the leader follow the log until ctx ends: again after
// each failure, which it reports. A mismatch it returns: that ends all tasks.
// The task resets the pauses when it gets on.
func persist(ctx context.Context, logger *slog.Logger, report func(error), follow func(context.Context, backoff.BackOff) error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 50*time.Millisecond, 2*time.Second
	for {
		err := follow(ctx, pauses)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the task was ended
		case errors.Is(err, ErrMismatch):
			report(err)
			return err
		}
		report(err)
		logger.Warn("event log keeper's task interrupted", "error", err)
		_ = sleep(ctx, pauses.NextBackOff()) // follow ends with ctx
	}
}
