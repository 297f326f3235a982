package contracts

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Outcome says what became of what a request asked for.
type Outcome string

// The outcomes of a request.
const (
	NotBegun    Outcome = "not-begun"    // this request was not begun; an earlier one with its key may have been
	NothingDone Outcome = "nothing-done" // it ended, and nothing was done
	Done        Outcome = "done"         // it was done
	NotKnown    Outcome = "unknown"      // it may have been done, or may still be
)

// OutcomeOfResult is the outcome of a request that was answered with a result:
// where that has a status, the application itself may have said no.
func OutcomeOfResult(result any) Outcome {
	v := reflect.Indirect(reflect.ValueOf(result))
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("Status"); f.IsValid() && f.Type() == reflect.TypeFor[Status]() && f.String() == string(StatusError) {
			return NothingDone
		}
	}
	return Done
}

// outcome is what the error says of the request, or else what its kind
// promises. A write whose error promises nothing may have been done.
func (e *Error) outcome(op Info) Outcome {
	switch e.Outcome {
	case NotBegun, NothingDone, Done, NotKnown:
		return e.Outcome
	}
	switch e.Kind {
	case Invalid, Unauthorized, NotFound, Rejected, NotImplemented, Busy, Timeout:
		return NothingDone
	case Unavailable, Fault:
		if op.Effect == NoEffect {
			return NothingDone
		}
	case Unknown:
	}
	return NotKnown
}

// Passes says whether another try of the same request can have another end, as
// nothing is wrong with what it asks for.
func (k Kind) Passes() bool { return k.pause() > 0 && k != Unknown }

// pause is how long to wait before another try when the error does not say; 0
// for a kind that does not pass.
func (k Kind) pause() time.Duration {
	switch k {
	case Busy, Timeout:
		return time.Second
	case Unknown:
		return 2 * time.Second
	case Unavailable:
		return 5 * time.Second
	case Fault:
		return 10 * time.Second
	case NotImplemented:
		return time.Minute
	case Invalid, Unauthorized, NotFound, Rejected:
	}
	return 0
}

// Advice is what an error comes down to for the caller of an operation.
type Advice struct {
	Outcome    Outcome
	Message    string        // the error's own, and whether to send the request again, with which key and when
	RetryAfter time.Duration // after which sending it again may help; 0: it does not, or may do harm
}

// Advise completes the error for the caller of an operation. Keyed says whether
// the request had an Idempotency-Key, command which command it was.
func (e *Error) Advise(op Info, keyed bool, command string) Advice {
	a := Advice{Outcome: e.outcome(op)}
	again := "send it again"
	if keyed {
		again += " with the same " + IdempotencyKeyHeader
	}
	var do string
	switch a.Outcome {
	case NotBegun:
		do, a.RetryAfter = e.tryAgain(again, keyed, false)
	case NothingDone:
		do, a.RetryAfter = e.tryAgain(again, keyed, true)
	case Done:
		switch {
		case keyed && !e.Final:
			do, a.RetryAfter = again+" and no other, to get its result", e.Pause()
		default:
			do = "do not send it again; " + lookUp(op, command)
		}
	case NotKnown:
		switch {
		case keyed && !e.Final, !op.ActsOnAccount() && e.RetryAfter > 0:
			do, a.RetryAfter = strings.Replace(again, IdempotencyKeyHeader, IdempotencyKeyHeader+" and no other", 1), e.Pause()
		default:
			do = "do not send it again before you know; " + lookUp(op, command)
		}
	}
	if a.RetryAfter > 0 {
		do += fmt.Sprintf(", after %d s", seconds(a.RetryAfter))
	}
	a.Message = join(e.Message, clause(a.Outcome, op)+do)
	return a
}

// join adds advice to a message. One that is a sentence, as the application's own
// words are, stays as it is.
func join(message, advice string) string {
	if !strings.HasSuffix(message, ".") {
		return message + "; " + advice
	}
	return message + " " + strings.ToUpper(advice[:1]) + advice[1:] + "."
}

// tryAgain says how to try something again that was not done. A command that
// was begun may have used its key up.
func (e *Error) tryAgain(again string, keyed, begun bool) (do string, after time.Duration) {
	switch {
	case e.Kind.Passes() && !e.Final:
		return again, e.Pause()
	case e.Kind.Passes() && keyed:
		return "to try again, use a new " + IdempotencyKeyHeader, 0
	case keyed && (begun || e.Final):
		return "once that has changed, send it with a new " + IdempotencyKeyHeader, 0
	default:
		return "once that has changed, " + again, 0
	}
}

// Pause is how long to wait before another try.
func (e *Error) Pause() time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	return max(e.Kind.pause(), time.Second)
}

// clause tells an outcome. Of a read there is nothing to tell.
func clause(o Outcome, op Info) string {
	switch {
	case o == Done:
		return "it was done: "
	case o == NotKnown:
		return "whether it was done is not known: "
	case op.Effect == NoEffect && !op.TakesKey():
		return ""
	case o == NotBegun:
		return "this request was not begun: "
	default:
		return "nothing was done: "
	}
}

// lookUp says where a caller learns what became of its request.
func lookUp(op Info, command string) string {
	if !op.ActsOnAccount() {
		return "look at what is there"
	}
	return "look it up at GET /admin/v1/commands/" + command
}

// seconds is d in whole seconds, rounded up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
