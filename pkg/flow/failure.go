package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"integration.gateway/contracts"
	"integration.gateway/pkg/flow/placeholder"
)

// Outcome says what a failed flow means to the caller.
type Outcome string

// The outcomes of the site format, and Plain for every failure that no step declared.
const (
	Plain        Outcome = ""             // the flow could not be played: an internal error
	Rejected     Outcome = "rejected"     // the application itself says no
	Invalid      Outcome = "invalid"      // the request must be changed
	NotFound     Outcome = "not-found"    // what the request names does not exist
	Precondition Outcome = "precondition" // something must be set up at the application first; nothing was done
	SignedOut    Outcome = "signed-out"   // the session ended and could not be renewed
	Unavailable  Outcome = "unavailable"  // the application does not work at present
)

// Failure is why a flow ended early. It never holds credentials, and a value of
// the request or of a page only where Quotes says so.
type Failure struct {
	Outcome  Outcome
	Message  string // for the caller when Declared, else for the operator
	Declared bool   // a fail step or the sign-in said so: the application's own answer
	Quotes   bool   // the message is text of the page, which may hold personal data
	SignIn   bool   // the application refused to sign the account in with its credentials
	File     string // of the flow; empty before the first step
	Step     string // its number
	Name     string // what it does, such as "click #place-order"
	Line     int
	// EffectStarted says that the effect step was passed: unless Declared or
	// NotActed, whether the effect happened is unknown.
	EffectStarted bool
	NotActed      bool   // the flow ended before the act behind that step: there was no effect
	Answered      bool   // the application answered the requests of the effect
	Missing       string // the required field of a result that was not on the page; empty for other failures
	// Picture is how the page looked when a flow broke on it; nil where the
	// failure was declared, or there was no page.
	Picture *Picture
	Err     error // the cause, for the process log only
}

// Picture is how a page looked. It holds whatever the page shows, personal data
// among it.
type Picture struct {
	Image   []byte   `json:"image"`   // JPEG; nil where it would be too large, or could show a secret
	Address string   `json:"address"` // of the page
	Near    []string `json:"near"`    // the buttons, labels and texts near where a selector should have matched
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

// Refusal says that the application, or the site's author, ended the flow: it
// did not break. After the effect step it means that there was no effect.
func (f *Failure) Refusal() bool { return f.Declared && f.Outcome != SignedOut }

// ForCaller is the failure as the error that crosses to the caller. What the
// application or the site's author declared is told in their words; any other
// failure names the step, so that a site that has changed can be mended.
func (f *Failure) ForCaller() *contracts.Error {
	switch {
	case f.Refusal():
		return &contracts.Error{Kind: f.Outcome.kind(), Message: f.Message, Quotes: f.Quotes, Err: f}
	case f.EffectStarted && !f.NotActed:
		return &contracts.Error{
			Kind: contracts.Unknown, Quotes: f.Quotes, Err: f,
			Message: f.Error() + "; its effect had been started",
		}
	default:
		return &contracts.Error{Kind: f.Outcome.kind(), Message: f.Error(), Quotes: f.Quotes, Err: f}
	}
}

// kind is what an outcome is called at the edge.
func (o Outcome) kind() contracts.Kind {
	switch o {
	case Rejected:
		return contracts.Rejected
	case Invalid, Precondition: // a 400 also where the contract has a status
		return contracts.Invalid
	case NotFound:
		return contracts.NotFound
	case SignedOut, Unavailable:
		return contracts.Unavailable
	default:
		return contracts.Fault
	}
}

// failure makes a failure of a step; nil stands for the site as a whole.
func (p *player) failure(s *Step, outcome Outcome, format string, args ...any) *Failure {
	f := &Failure{Outcome: outcome, Message: fmt.Sprintf(format, args...), EffectStarted: p.effectKind != "", NotActed: p.pending}
	f.at(s)
	return f
}

func (f *Failure) at(s *Step) {
	if s != nil && f.File == "" {
		f.File, f.Step, f.Name, f.Line = s.File, s.Number, s.String(), s.Line
	}
}

// wrap makes every error a failure that names its step.
func (p *player) wrap(ctx context.Context, s *Step, err error) error {
	if err == nil {
		return nil
	}
	var f *Failure
	if !errors.As(err, &f) {
		f = p.failure(s, Plain, "%s", err.Error())
		f.Err = err
		var unfilled *placeholder.Error
		if ctx.Err() != nil && !errors.As(err, &unfilled) {
			f.Message = "the time allowed was over or the command was given up"
			if f.Err = context.Cause(ctx); !errors.Is(f.Err, context.DeadlineExceeded) && !errors.Is(f.Err, context.Canceled) {
				f.Message = f.Err.Error() // such as a browser that is gone
			}
		}
	}
	f.at(s)
	f.EffectStarted, f.NotActed = p.effectKind != "", p.pending
	f.Answered = p.tab != nil && p.tab.Answered()
	return f
}
