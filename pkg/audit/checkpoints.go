package audit

import (
	"context"
	"errors"
	"slices"

	"integration.gateway/pkg/eventlog"
)

// lastCheckpoint returns the log's last checkpoint, or one of size 0 for none.
func lastCheckpoint(ctx context.Context, log *eventlog.Log) (eventlog.SignedCheckpoint, error) {
	last, err := log.LastCheckpoint(ctx)
	if errors.Is(err, eventlog.ErrNotFound) {
		return eventlog.SignedCheckpoint{}, nil
	}
	return last, err
}

// checkpoints hands out the log's checkpoints in order, up to the one of size
// last.
type checkpoints struct {
	log  *eventlog.Log
	last int64

	next []eventlog.SignedCheckpoint // read and not handed out yet
	read int64                       // size of the last that was read
}

// upTo calls use with each checkpoint that is due once the log has seq events.
func (c *checkpoints) upTo(ctx context.Context, seq int64, use func(note []byte) error) error {
	return c.each(ctx, seq, func(signed eventlog.SignedCheckpoint) error { return use(signed.Note) })
}

func (c *checkpoints) each(ctx context.Context, seq int64, use func(eventlog.SignedCheckpoint) error) error {
	seq = min(seq, c.last)
	for c.read < seq {
		if len(c.next) == 0 {
			var err error
			if c.next, err = c.log.Checkpoints(ctx, c.read, page); err != nil {
				return err
			}
		}
		if len(c.next) == 0 || c.next[0].Size > seq {
			return nil
		}
		if err := use(c.next[0]); err != nil {
			return err
		}
		c.read, c.next = c.next[0].Size, c.next[1:]
	}
	return nil
}

// verifiers returns the keys with which the checkpoints up to one size are
// signed, as the log itself names them: one, unless the key was changed.
func verifiers(ctx context.Context, log *eventlog.Log, last int64) ([]string, error) {
	var keys []string
	all := &checkpoints{log: log, last: last}
	err := all.each(ctx, last, func(c eventlog.SignedCheckpoint) error {
		if !slices.Contains(keys, c.Verifier) {
			keys = append(keys, c.Verifier)
		}
		return nil
	})
	return keys, err
}
