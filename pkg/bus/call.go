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
// operation's time limit and a little more, until the instance that has the
// request has gone, or until ctx ends. A ctx that is cancelled has the service
// give up the request, unless it is under way and not a read.
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
	reply, err := ask(ctx, nc, msg)
	if errors.Is(err, context.Canceled) {
		_ = nc.Publish(goneSubject(op.Integration), []byte(call)) // if it is lost, the service works in vain
	}
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

// askEvery is the time between two questions whether the instance that has a
// request is there.
const askEvery = time.Second

// errGone says that the instance that had a request is not connected any more.
var errGone = errors.New("the service instance that had the request has gone")

// ask sends a request and returns the answer. The instance that takes the request
// in says so, and is asked from time to time whether it is there: NATS itself
// says no for one whose process has died. One that stands still says nothing, and
// nothing follows from that.
func ask(ctx context.Context, nc *nats.Conn, msg *nats.Msg) (*nats.Msg, error) {
	inbox, err := inboxOf(nc)
	if err != nil {
		return nil, err
	}
	call := msg.Header.Get(callHeader)
	reply, heard := inbox.open(call)
	defer inbox.close(call)
	msg.Reply = reply
	msg.Header.Set(tellTakenHeader, "true")
	if err := nc.PublishMsg(msg); err != nil {
		return nil, err
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	instance, misses := "", 0
	for {
		select {
		case m := <-heard:
			takenBy := m.Header.Get(takenHeader)
			switch nobody := len(m.Data) == 0 && m.Header.Get("Status") == noResponders; {
			case takenBy != "":
				instance, misses = takenBy, 0
			case !nobody:
				return m, nil
			case instance == "":
				return nil, nats.ErrNoResponders
			case misses > 0:
				return nil, errGone
			default:
				misses++
			}
		case <-tick.C:
			switch {
			case nc.IsClosed():
				return nil, nats.ErrConnectionClosed
			case instance != "":
				_ = nc.PublishRequest(aliveSubject(instance), msg.Reply, nil) // while the connection is lost, nobody is asked
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// noResponders is the status with which NATS says that nobody listens.
const noResponders = "503"

// aliveSubject is where an instance of a service answers that it is there.
func aliveSubject(instance string) string { return "alive." + instance }

// sent says whether the request may have reached the service before err.
func sent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, nats.ErrConnectionClosed) ||
		errors.Is(err, errGone)
}

// resultLost is the error when an operation was carried out and its result
// does not reach the caller.
func resultLost(op contracts.Info, err error) *contracts.Error {
	if op.Effect == contracts.NoEffect {
		return contracts.AsError(err)
	}
	return &contracts.Error{Kind: contracts.Unknown, Message: "the result was lost on the way", Outcome: contracts.Done, Err: err}
}

// unanswered says why there is no answer to a request that was sent.
func unanswered(err error) string {
	if errors.Is(err, errGone) {
		return "the service stopped in the middle of the request"
	}
	return "no answer came in time"
}

// sendError says what it means for the caller that no reply came.
func sendError(op contracts.Info, err error) *contracts.Error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    fmt.Sprintf("the %s service is not running", op.Integration),
			RetryAfter: 5 * time.Second,
			Outcome:    contracts.NotBegun,
			Err:        err,
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return &contracts.Error{Kind: contracts.Invalid, Message: "the request is too large", Outcome: contracts.NotBegun, Err: err}
	case op.Effect != contracts.NoEffect && sent(err):
		return &contracts.Error{Kind: contracts.Unknown, Message: unanswered(err), Outcome: contracts.NotKnown, Err: err}
	case errors.Is(err, errGone):
		return &contracts.Error{Kind: contracts.Unavailable, Message: unanswered(err), RetryAfter: time.Second, Outcome: contracts.NothingDone, Err: err}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &contracts.Error{Kind: contracts.Timeout, Message: unanswered(err), RetryAfter: time.Second, Outcome: contracts.NothingDone, Err: err}
	default:
		return &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the message bus cannot be reached",
			RetryAfter: 5 * time.Second,
			Outcome:    contracts.NotBegun,
			Err:        err,
		}
	}
}
