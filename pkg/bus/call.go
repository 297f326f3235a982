package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// ReplyMargin is how much longer than the command's own limit a caller waits,
// so that the service can record the command's end and answer.
const ReplyMargin = 7 * time.Second

// Call sends req to an instance of the operation's service and decodes the
// answer into res. It acts for the Identity in ctx and waits for the
// operation's time limit and a little more, or until ctx ends.
//
// Every error is a *contracts.Error. A service that is not running is noticed
// at once.
func Call(ctx context.Context, nc *nats.Conn, op contracts.Info, req, res any) error {
	data, err := json.Marshal(req)
	if err != nil {
		return contracts.AsError(fmt.Errorf("encode the request of %s: %w", op.ID(), err))
	}
	deadline := time.Now().Add(op.Timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(ReplyMargin))
	defer cancel()

	msg := nats.NewMsg(op.Subject())
	msg.Header = IdentityFrom(ctx).header()
	msg.Header.Set(deadlineHeader, deadline.UTC().Format(time.RFC3339Nano))
	msg.Data = data
	reply, err := nc.RequestMsgWithContext(ctx, msg)
	if err != nil {
		return sendError(op, err)
	}
	if e := decodeError(reply); e != nil {
		return e
	}
	if err := json.Unmarshal(reply.Data, res); err != nil {
		return resultLost(op, fmt.Errorf("decode the result of %s: %w", op.ID(), err))
	}
	return nil
}

// sent says whether the request may have reached the service before err.
func sent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, nats.ErrConnectionClosed)
}

// resultLost is the error when an operation was carried out and its result
// does not reach the caller.
func resultLost(op contracts.Info, err error) *contracts.Error {
	if op.Effect == contracts.NoEffect {
		return contracts.AsError(err)
	}
	return &contracts.Error{
		Kind:    contracts.Unknown,
		Message: "the operation was carried out, but its result was lost on the way; look it up by its Command-Id and do not try again",
		Err:     err,
	}
}

// sendError says what it means for the caller that no reply came.
func sendError(op contracts.Info, err error) *contracts.Error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    fmt.Sprintf("the %s service is not running; nothing was done", op.Integration),
			RetryAfter: 5 * time.Second,
			Err:        err,
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return &contracts.Error{Kind: contracts.Invalid, Message: "the request is too large", Err: err}
	case op.Effect != contracts.NoEffect && sent(err):
		return &contracts.Error{
			Kind:    contracts.Unknown,
			Message: "no answer came in time and the outcome is not known; look it up by its Command-Id before trying again",
			Err:     err,
		}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &contracts.Error{Kind: contracts.Timeout, Message: "no answer came in time; trying again is safe", Err: err}
	default:
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the message bus cannot be reached",
			RetryAfter: 5 * time.Second,
			Err:        err,
		}
	}
}
