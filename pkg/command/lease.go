package command

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"integration.gateway/contracts"
)

// The pauses between two requests for a lease that another command holds.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = 50 * time.Millisecond
)

// leaseAccount waits until the command holds the lease of its account: until
// the writes of the account that came before it have ended, in whatever
// instance. The lease ends with the command, in the same transaction.
func (r Recorder) leaseAccount(ctx context.Context, c *Command) error {
	pause := pauses(firstPause, longestPause)
	for {
		granted, doubt, err := r.Register.lease(ctx, c.ID)
		switch {
		case errors.Is(err, errEnded):
			return givenUp(err)
		case ctx.Err() != nil:
			return &contracts.Error{
				Kind: contracts.Busy, Message: "the command did not get its turn among those of its account", RetryAfter: time.Second, Err: err,
			}
		case err != nil:
			return &contracts.Error{
				Kind: contracts.Unavailable, Message: "the account could not be reserved for this command", RetryAfter: time.Second, Err: err,
			}
		case doubt != "":
			return &contracts.Error{
				Kind: contracts.Busy, RetryAfter: firstLook,
				Message: "first it must be settled whether command " + doubt + " of this account took effect",
			}
		case granted:
			return nil
		}
		rest(ctx, pause.NextBackOff())
	}
}

// pauses returns pauses that grow from the first to the longest.
func pauses(first, longest time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: first, MaxInterval: longest, Multiplier: 2}
}

// rest waits for a while, or until ctx ends.
func rest(ctx context.Context, pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}
