package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"integration.gateway/contracts"
)

// Outcome says what a failed flow means to the caller.
type Outcome string

// The outcomes of FLOWS.md, and Plain for every failure that no step declared.
const (
	Plain        Outcome = ""             // the flow could not be played: an internal error
	Rejected     Outcome = "rejected"     // the application itself says no
	Invalid      Outcome = "invalid"      // the request must be changed
	NotFound     Outcome = "not-found"    // what the request names does not exist
	Precondition Outcome = "precondition" // something must be set up at the application first; nothing was done
	SignedOut    Outcome = "signed-out"   // the session ended and could not be renewed
	Unavailable  Outcome = "unavailable"  // the application does not work at present
)

// Failure is why a flow ended early. It never holds credentials, nor request
// values that are marked sensitive.
type Failure struct {
	Outcome  Outcome
	Message  string // for the caller when Declared, else for the operator
	Declared bool   // a fail step or the sign-in said so: the application's own answer
	Quotes   bool   // the message is text of the page, which may hold personal data
	File     string // of the flow; empty before the first step
	Step     string // its number
	Name     string // what it does, such as "click #place-order"
	Line     int
	// EffectStarted says that the effect step was passed: unless Declared,
	// whether the effect happened is unknown.
	EffectStarted bool
	Err           error // the cause, for the process log only
}

// Error names file and step: "buy-now.json step 7 (click #place-order): …".
func (f *Failure) Error() string {
	var b strings.Builder
	if f.File != "" {
		fmt.Fprintf(&b, "%s step %s (%s): ", f.File, f.Step, f.Name)
	}
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// ForCaller is the failure as the error that crosses to the caller. What the
// application or the site's author declared is told in their words; any other
// failure names the step, so that a site that has changed can be mended.
func (f *Failure) ForCaller() *contracts.Error {
	kind, message := contracts.Fault, f.Error()
	if f.Declared {
		message = f.Message
	}
	switch {
	case f.EffectStarted && !f.Declared:
		kind = contracts.Unknown
	case f.Outcome == Rejected:
		kind = contracts.Rejected
	case f.Outcome == Invalid || f.Outcome == Precondition:
		kind = contracts.Invalid
	case f.Outcome == NotFound:
		kind = contracts.NotFound
	case f.Outcome == SignedOut || f.Outcome == Unavailable:
		kind = contracts.Unavailable
	case errors.Is(f.Err, context.DeadlineExceeded):
		kind = contracts.Timeout
	}
	return &contracts.Error{Kind: kind, Message: message, Err: f}
}
