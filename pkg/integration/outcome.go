package integration

import (
	"context"
	"errors"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
)

// kinds says what a flow's declared outcome is to the caller. What is missing
// here is no refusal by the application.
var kinds = map[flow.Outcome]contracts.Kind{
	flow.Rejected:     contracts.Rejected,
	flow.Precondition: contracts.Rejected,
	flow.Invalid:      contracts.Invalid,
	flow.NotFound:     contracts.NotFound,
	flow.Unavailable:  contracts.Unavailable,
}

// asError turns a flow's failure into the caller's error, and tells the
// command when the application refused its effect.
func (p *Player) asError(ctx context.Context, cmd *command.Command, err error) error {
	var known *contracts.Error
	var failure *flow.Failure
	if errors.As(err, &known) || !errors.As(err, &failure) {
		return err
	}
	if kind, ok := kinds[failure.Outcome]; ok && failure.Declared {
		if failure.EffectStarted {
			cmd.Refuse()
		}
		return &contracts.Error{Kind: kind, Message: failure.Message, Quotes: failure.Quotes, Err: failure}
	}
	e := &contracts.Error{Kind: contracts.Fault, Message: failure.Error(), Err: failure.Err}
	switch {
	case failure.EffectStarted:
		e.Kind = contracts.Unknown
		e.Message += "; whether it took effect is not known, so look at the site before trying again"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind = contracts.Timeout
		e.Message += "; the command's time is over, nothing irreversible was done, and trying again is safe"
	case failure.Outcome == flow.SignedOut || failure.Outcome == flow.Unavailable:
		e.Kind = contracts.Unavailable
		e.RetryAfter = retryAfter
	}
	return e
}

// retryAfter is what a caller is told when the application does not work.
const retryAfter = 10 * time.Second
