package contracts

import (
	"errors"
	"fmt"
	"time"
)

// Kind classes an error by what the caller can do about it.
type Kind string

// The kinds of error. The gateway turns each into one HTTP status.
const (
	Invalid        Kind = "invalid"         // the request must be changed
	Unauthorized   Kind = "unauthorized"    // the tokens do not allow it
	NotFound       Kind = "not-found"       // no such resource
	Rejected       Kind = "rejected"        // the application itself says no
	NotImplemented Kind = "not-implemented" // the installed site has no flow for it
	Busy           Kind = "busy"            // nothing was done; try again later
	Timeout        Kind = "timeout"         // nothing irreversible was done in the time allowed
	Unknown        Kind = "unknown"         // an effect was started and its outcome is not known
	Unavailable    Kind = "unavailable"     // the application or a service cannot be reached
	Fault          Kind = "fault"           // our own failure; the log says more
)

// Error is the one error type that crosses the bus and the edge. Its message
// tells what is wrong, and never holds a secret. Unless Quotes is set it
// holds no personal datum either. Whether and how to send the request again,
// Advise adds for the caller of an operation.
type Error struct {
	Kind       Kind
	Message    string
	RetryAfter time.Duration // when trying again may help; zero if unknown
	Outcome    Outcome       // what became of the request; empty: what Kind promises, and for a write else NotKnown
	Final      bool          // another try of the same command gets the same: its key is used up
	Quotes     bool          // the message quotes the application's page: for the caller alone, never for a log
	Err        error         // the cause, for the process log only; never crosses the bus
}

// Error returns the message for the caller.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a kind. As in fmt.Errorf, %w keeps the cause; use
// it only for causes whose text may be shown to the caller.
func Errorf(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Err: errors.Unwrap(err)}
}

// AsError finds the Error in err's chain. Anything else becomes a Fault whose
// text is hidden from the caller and kept as the cause.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Fault, Message: "internal error; the command's id finds its cause in the log", Err: err}
}
