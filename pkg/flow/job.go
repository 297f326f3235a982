package flow

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Job is one playing of an operation's flow.
type Job struct {
	Operation string
	Request   map[string]any // the contract's fields, parameters and body side by side; Flat makes it
	CommandID string
	StartedAt time.Time
	Account   *Account       // nil: the flow is played as a guest
	Effect    EffectRecorder // may be nil for an operation without an effect
	Vars      map[string]any // for Reconcile: as they stood at the effect step

	// StopAtEffect ends the playing where its effect step is reached, and all
	// that the act needs is there: with a failure whose cause is ErrStopped.
	StopAtEffect bool
	// Watch is told each step when it has ended. It may be nil.
	Watch func(TraceStep)
}

// ErrStopped says that a job with StopAtEffect got as far as its effect.
var ErrStopped = errors.New("stopped before the effect")

// EffectRecorder commits that an effect begins, durably, before it does.
type EffectRecorder interface {
	// Started is called once, before the step that acts. When it fails, that
	// step is not played.
	Started(ctx context.Context, kind string, vars map[string]any) error

	// Act is called once, after Started and at the last moment before the step
	// that acts touches the page. When it fails, that step does not.
	Act(ctx context.Context) error

	// Holds says whether what Act allowed is still allowed. It is asked right
	// before the first request of that step that changes something leaves the
	// browser, by another goroutine. When it is not, that request does not.
	Holds() bool
}

// Account is the account that a flow is played for.
type Account struct {
	// Credentials fetches the account's secrets. It is called only to sign in.
	// ErrRefused says that they must not be tried again.
	Credentials func(ctx context.Context) (Credentials, error)
	// Refused is told that the application refused the password, before the turn
	// is over. It may be nil.
	Refused func(ctx context.Context)
	// ClaimCode says which one-time code may be typed. Where it is nil, no code is
	// typed twice within this process.
	ClaimCode ClaimCode
	Session   map[string]any // what the last sign-in remembered
	ProvenAt  time.Time      // when the page's context was last proven signed in; zero: never
	// Turn waits until no other playing in the page's context signs the account
	// in, and keeps others from it until done is called. It brings Session and
	// ProvenAt up to date. It may be nil.
	Turn func(ctx context.Context) (done func(), err error)
	// Proven is told each proof; session is nil unless the account was signed
	// in just now: then it holds what that sign-in remembered, maybe nothing.
	// It may be nil.
	Proven func(at time.Time, session map[string]any)
	// Remembered is told what there is to remember of a sign-in that was made
	// before, when Session did not hold it. It may be nil.
	Remembered func(session map[string]any)
	// CloseIdle closes the idle connections of the page's context, so that an
	// effect goes over a new one. It may be nil.
	CloseIdle func()
}

// ErrRefused says that the application has refused an account's credentials
// before.
var ErrRefused = errors.New("the application has refused these credentials before")

// ClaimCode claims a one-time code of a secret that is typed nowhere else: that
// of the time at, to be typed once wait is over. Release says that it was not.
type ClaimCode func(ctx context.Context, secret string) (at time.Time, wait time.Duration, release func(), err error)

// Credentials are what an account signs in with. They are never logged.
type Credentials struct {
	Username      string
	Password      string
	OneTimeSecret string // TOTP secret in base32; empty without a second factor
}

// proofLasts is how long a proof counts.
const proofLasts = 5 * time.Minute

// Trace is what a playing did, step by step, sign-in included.
type Trace struct {
	Steps []TraceStep
	Calls int64 // requests sent to the browser
	// Unclean tells that the page could not be given back clean and must not
	// be used again; nil when it can.
	Unclean error
}

// SignedIn tells whether a sign-in was played: the page was given the account's
// credentials.
func (t Trace) SignedIn() bool {
	return slices.ContainsFunc(t.Steps, func(s TraceStep) bool { return s.SignIn })
}

// TraceStep is one step that was played.
type TraceStep struct {
	File    string
	Number  string
	Name    string // what it does, as in messages
	Started time.Time
	Took    time.Duration
	Choices []Choice // in the order in which they were made
	SignIn  bool     // a step of the sign-in, whatever operation needed it
}

// Choice says which of a step's alternatives was found. All texts are as the
// flow has them, without the values of placeholders.
type Choice struct {
	Of       string // the first alternative
	Listed   int    // how many there are
	Won      int    // which one was found; 0 is the first
	Selector string // that one
}
