package bus

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
)

// job is one request that has arrived.
type job struct {
	binding binding
	msg     *nats.Msg
	account string
	call    string // its Call-Id

	ctx     context.Context // ends when the request must, wherever it is by then
	giveUp  context.CancelCauseFunc
	end     context.CancelFunc // frees what ctx holds
	unwatch func() bool        // stops watching over ctx while the job waits
	parked  bool               // it was begun, has given its worker back and waits; the queue's
}

// newJob makes the job of a request, whose time counts from now.
func newJob(ctx context.Context, b binding, msg *nats.Msg) *job {
	id := identityOf(msg.Header)
	j := &job{binding: b, msg: msg, account: id.AccountID, call: msg.Header.Get(callHeader)}
	ctx, j.end = context.WithTimeout(WithIdentity(ctx, id), timeLeft(msg.Header, b.op.Timeout))
	j.ctx, j.giveUp = context.WithCancelCause(ctx)
	return j
}

// timeLeft is how long a request may take: as long as its caller says, and no
// longer than the operation's own limit, which holds too where that is not said.
func timeLeft(h nats.Header, limit time.Duration) time.Duration {
	ms, err := strconv.ParseUint(h.Get(timeLeftHeader), 10, 31)
	if err != nil {
		return limit
	}
	return min(limit, time.Duration(ms)*time.Millisecond)
}

// isWrite reports whether the job has an effect on an account.
func (j *job) isWrite() bool { return j.binding.op.Effect != contracts.NoEffect && j.account != "" }

// isRead reports whether the job can end anywhere without leaving a trace: it has
// a caller, not a service that reaches into this one, and no effect.
func (j *job) isRead() bool {
	return j.binding.op.Method != "" && j.binding.op.Effect == contracts.NoEffect
}

// busy is the error for a request that was not begun. It does not say that
// nothing was done: the request may be a repeat, of one that was.
func busy(why string) *contracts.Error {
	return &contracts.Error{Kind: contracts.Busy, Message: why, RetryAfter: time.Second, Outcome: contracts.NotBegun}
}

// What a caller is told whose request was not begun, or was given up.
var (
	errStopping    = busy("the service is stopping")
	errFull        = busy("the service is busy")
	errAccountFull = busy("too many requests of this account wait already")
	errWaited      = busy("the request waited for its whole time limit")
	errParked      = busy("too many requests wait for commands that are under way")
	errGivenUp     = &contracts.Error{Kind: contracts.Timeout, Message: "the caller gave the request up", Outcome: contracts.NothingDone}
)

// notBegun says why a request whose context has ended was not begun.
func notBegun(ctx context.Context) *contracts.Error {
	switch {
	case givenUp(ctx):
		e := *errGivenUp
		e.Outcome = contracts.NotBegun
		return &e
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errWaited
	default:
		return errStopping
	}
}

// givenUp reports whether the context of a request ended because its caller had
// gone.
func givenUp(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errGivenUp) }

type giveBackKey struct{}

// WithGiveBack returns a context for a request that can give its worker back: by
// giveBack, which returns why it may not.
func WithGiveBack(ctx context.Context, giveBack func() *contracts.Error) context.Context {
	return context.WithValue(ctx, giveBackKey{}, giveBack)
}

// GiveWorkerBack has the request of ctx hold no worker any more: from now on it
// only waits for what others do. It returns a Busy error when too many wait so.
func GiveWorkerBack(ctx context.Context) error {
	if giveBack, ok := ctx.Value(giveBackKey{}).(func() *contracts.Error); ok {
		if why := giveBack(); why != nil {
			return why
		}
	}
	return nil
}
