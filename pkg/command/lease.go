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

// leaseUser waits until the command holds the lease of its user: until the
// writes of the user at the site that came before it have ended, in whatever
// instance and through whichever account. The lease ends with the command, in
// the same transaction.
func (r Recorder) leaseUser(ctx context.Context, c *Command) error {
	pause := pauses(firstPause, longestPause)
	for {
		t, err := r.Register.lease(ctx, c.ID, c.version)
		switch {
		case errors.Is(err, errEnded):
			return givenUp(err)
		case ctx.Err() != nil:
			return &contracts.Error{
				Kind: contracts.Busy, Message: "the command did not get its turn among those of its user", RetryAfter: time.Second, Err: err,
			}
		case err != nil:
			return &contracts.Error{
				Kind: contracts.Unavailable, Message: "the user could not be reserved for this command", RetryAfter: time.Second, Err: err,
			}
		case t.doubted:
			return &contracts.Error{Kind: contracts.Busy, RetryAfter: firstLook, Message: "first it must be settled whether " + t.inDoubt() + " took effect"}
		case t.granted:
			c.Generation = t.generation
			return nil
		}
		rest(ctx, pause.NextBackOff())
	}
}

// inDoubt names the command in doubt to the caller of another one.
func (t turn) inDoubt() string {
	if t.doubt == "" { // its caller may be another one, too
		return "a command of the same user, who is linked more than once,"
	}
	return "command " + t.doubt + " of this account"
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
