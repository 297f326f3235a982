package integration

import (
	"context"
	"errors"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

// retryAfter is what a caller is told when the application does not work.
const retryAfter = 10 * time.Second

// asError turns what ended a flow into the caller's error, and tells the
// command when there was no effect: the application refused it, or the flow
// ended before the act.
func asError(ctx context.Context, cmd *command.Command, err error) error {
	var known *contracts.Error
	var failure *flow.Failure
	if errors.Is(err, vault.ErrErased) {
		return contracts.Errorf(contracts.Unauthorized, "the account was erased meanwhile")
	}
	if !errors.As(err, &failure) {
		return err
	}
	if failure.NotActed || failure.EffectStarted && failure.Refusal() {
		cmd.Refuse()
	}
	if failure.Answered {
		cmd.Answered()
	}
	if errors.As(err, &known) {
		return err
	}
	e := failure.ForCaller()
	switch {
	case e.Kind == contracts.Fault && errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Kind = contracts.Timeout
		e.Message += "; the command's time is over"
	case e.Kind == contracts.Unavailable:
		e.RetryAfter = retryAfter
	}
	return e
}
