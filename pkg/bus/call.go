package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// ReplyMargin is how much longer than the command's own limit a caller waits,
// so that the service can record the command's end and answer.
const ReplyMargin = 7 * time.Second

// goneSubject is where the instances of an integration's service hear the
// Call-Id of a request whose caller has gone.
func goneSubject(integration string) string { return "gone." + integration }

// Call sends req to an instance of the operation's service and decodes the
// answer into res. It acts for the Identity in ctx and waits for the
// operation's time limit and a little more, or until ctx ends. A ctx that is
// cancelled has the service give up the request, unless it is under way and not
// a read.
//
// Every error is a *contracts.Error. A service that is not running is noticed
// at once.
func Call(ctx context.Context, nc *nats.Conn, op contracts.Info, req, res any) error {
	data, err := json.Marshal(req)
	if err != nil {
		return contracts.AsError(fmt.Errorf("encode the request of %s: %w", op.ID(), err))
	}
	ctx, cancel := context.WithTimeout(ctx, op.Timeout+ReplyMargin)
	defer cancel()

	call := uuid.NewString()
	msg := nats.NewMsg(op.Subject())
	msg.Header = IdentityFrom(ctx).header()
	msg.Header.Set(timeLeftHeader, strconv.FormatInt(op.Timeout.Milliseconds(), 10))
	msg.Header.Set(callHeader, call)
	msg.Data = data
	reply, err := nc.RequestMsgWithContext(ctx, msg)
	if errors.Is(err, context.Canceled) {
		_ = nc.Publish(goneSubject(op.Integration), []byte(call)) // if it is lost, the service works in vain
	}
	if err != nil {
		return sendError(ctx, op, err)
	}
	if e := decodeError(reply); e != nil {
		return e
	}
	if err := json.Unmarshal(reply.Data, res); err != nil {
		return resultLost(ctx, op, fmt.Errorf("decode the result of %s: %w", op.ID(), err))
	}
	return nil
}

// sent says whether the request may have reached the service before err.
func sent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, nats.ErrConnectionClosed)
}

// resultLost is the error when an operation was carried out and its result
// does not reach the caller.
func resultLost(ctx context.Context, op contracts.Info, err error) *contracts.Error {
	if op.Effect == contracts.NoEffect {
		return contracts.AsError(err)
	}
	return &contracts.Error{
		Kind:    contracts.Unknown,
		Message: "the operation was carried out, but its result was lost on the way; " + lookUp(ctx, op),
		Err:     err,
	}
}

// lookUp says how a caller learns what became of an effect.
func lookUp(ctx context.Context, op contracts.Info) string {
	if !op.ActsOnAccount() {
		return "look at what is there before you send the request again"
	}
	return fmt.Sprintf("look it up at GET /admin/v1/commands/%s, or repeat the request with its %s if it had one",
		IdentityFrom(ctx).CommandID, contracts.IdempotencyKeyHeader)
}

// sendError says what it means for the caller that no reply came.
func sendError(ctx context.Context, op contracts.Info, err error) *contracts.Error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    fmt.Sprintf("the %s service is not running; this request was not begun", op.Integration),
			RetryAfter: 5 * time.Second,
			Err:        err,
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return &contracts.Error{Kind: contracts.Invalid, Message: "the request is too large", Err: err}
	case op.Effect != contracts.NoEffect && sent(err):
		return &contracts.Error{
			Kind:    contracts.Unknown,
			Message: "no answer came in time and the outcome is not known; " + lookUp(ctx, op),
			Err:     err,
		}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &contracts.Error{Kind: contracts.Timeout, Message: "no answer came in time; trying again is safe", Err: err}
	default:
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the message bus cannot be reached; this request was not begun",
			RetryAfter: 5 * time.Second,
			Err:        err,
		}
	}
}
