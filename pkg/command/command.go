// Package command records what becomes of a command: one request to carry out
// an operation. Its events are one stream of the event log, from
// command.accepted over its effect to command.completed or command.rejected.
//
// A service puts Recorder.Middleware around its operations. What carries out
// the operation finds the Command in its context and tells it of the effect:
// Start before the irreversible act, and nothing irreversible happens unless
// Start has returned without an error. How the operation returns settles the
// rest.
//
// What keeps an effect from happening twice, whatever dies when:
//
//	lease.go     the writes of a user are carried out one at a time, over all accounts and instances
//	repeat.go    a request that comes again gets the command that is there already, or is its next attempt
//	recovery.go  the commands of an instance that died are ended in the log
//	doubt.go     a command whose effect nobody knows is settled later
//	created.go   what an effect has created counts for one command alone
//	late.go      the same is not begun again while an effect that the application did not show may still appear
//
// All six lean on the log alone: on the versions of a command's stream, and on
// the tables that the database derives from each append; see Register.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
)

// ErrEffectTwice is returned when a command is about to start a second effect.
var ErrEffectTwice = errors.New("the command has started its effect already")

// Command is one request under way. One goroutine at a time uses it.
type Command struct {
	ID        string // UUID; the Command-Id of the HTTP response
	Caller    string
	Account   string // empty for operations without an account
	Operation contracts.Info
	StartedAt time.Time

	// Generation is that of the account's browser state, as a write learns it
	// with its lease: the state of an older one is not to be used.
	Generation int64

	begun      time.Time // StartedAt, by this process's monotonic clock
	content    string    // fingerprint of the operation and its request; empty for a read
	risk       string    // id of the command that may be done a second time by this one, with the caller's consent
	log        Log
	journal    Journal
	user       string // who the account signs in as; see Recorder.User
	instance   *Instance
	instanceID string          // of the instance when it accepted the command
	version    int64           // of the stream's last event
	attempt    int             // how many times it has been accepted, this one included
	started    bool            // effect.started is in the log, or may be
	refused    bool            // the effect did not happen: the application refused it, or the act did not follow
	written    []event.Event   // of a write, up to effect.started, as the log holds them
	known      any             // what the flow knew when it started the effect, in clear; nil for nothing
	answered   bool            // the application answered the requests of the effect
	unsure     *event.Event    // effect.started, when its append failed and nobody knows whether it is in the log
	partial    json.RawMessage // what was read of the result before the flow broke off after the effect
	picture    string          // name in the vault of a picture of the page on which the flow broke; empty for none
}

type contextKey struct{}

// From returns the command that ctx carries out, or nil outside of one.
func From(ctx context.Context) *Command {
	c, _ := ctx.Value(contextKey{}).(*Command)
	return c
}

func (r Recorder) newCommand(ctx context.Context, op contracts.Info) (*Command, error) {
	id := bus.IdentityFrom(ctx)
	if uuid.Validate(id.CommandID) != nil {
		return nil, contracts.Errorf(contracts.Invalid, "the request carries no command id")
	}
	begun := time.Now()
	return &Command{
		ID:        id.CommandID,
		Caller:    id.CallerID,
		Account:   id.AccountID,
		Operation: op,
		StartedAt: begun.UTC(),
		begun:     begun, risk: id.DuplicateRisk,
		log:      r.Log,
		journal:  r.Journal,
		instance: r.Instance, instanceID: r.Instance.ID(), attempt: 1,
	}, nil
}

// lastMoment is what an effect is left of its command's time at least, or a
// tenth of it where that is less: one that is started too late to be seen
// through would be in doubt.
const lastMoment = 5 * time.Second

// Start records that the effect is about to happen. The act may follow only
// after a nil error: the event is durable then, in the log's database and in the
// journal, so that the loss of either loses no effect. Vars are the JSON of what the
// flow knew at that moment, sealed by the caller where it is personal; the
// reconcile flow is given them.
func (c *Command) Start(ctx context.Context, kind contracts.Effect, vars json.RawMessage) error {
	switch {
	case c.started:
		return ErrEffectTwice
	case kind != c.Operation.Effect:
		return fmt.Errorf("%s has an effect of kind %q, and not one of kind %q", c.Operation.ID(), c.Operation.Effect, kind)
	case !c.instance.Holds(c.instanceID):
		return givenUp(errLapsed)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < min(lastMoment, c.Operation.Timeout/10) {
		return contracts.Errorf(contracts.Timeout, "too little of the command's time was left to begin its effect")
	}
	e, err := c.event(event.EffectStarted{Effect: kind, Vars: vars})
	if err != nil {
		return err
	}
	if err := e.Validate(); err != nil {
		return err // as it would be at every attempt
	}
	err = c.append(ctx, e)
	if errors.Is(err, eventlog.ErrConflict) {
		return givenUp(err)
	}
	c.started = true
	if err != nil {
		c.unsure, c.refused = &e, true
		return &contracts.Error{
			Kind: contracts.Unavailable, Message: "the start of the effect could not be recorded", RetryAfter: time.Second, Err: err,
		}
	}
	if err := c.writeJournal(ctx); err != nil {
		c.refused = true
		return &contracts.Error{
			Kind: contracts.Unavailable, Message: "the start of the effect could not be recorded outside of the database",
			RetryAfter: time.Second, Err: err,
		}
	}
	return nil
}

// writeJournal has the journal hold what the log holds of the command. A standby
// may have become the log's database meanwhile, and have been compared with the
// journal before it got there: so the log is asked once more.
func (c *Command) writeJournal(ctx context.Context) error {
	if err := c.journal.Record(ctx, c.written...); err != nil {
		return err
	}
	last, err := c.log.Last(ctx, event.CommandStream(c.ID))
	if err != nil {
		return err
	}
	if !bytes.Equal(last.Hash, c.written[len(c.written)-1].Hash) { // which holds those before it
		return errors.New("the log has lost the start of the effect")
	}
	c.written = nil
	return nil
}

// Holds says whether the act may still follow, after Act: an instance can also be
// stopped in the middle of the act. It may be called while the command is used.
func (c *Command) Holds() bool { return c.instance.Holds(c.instanceID) }

// Act is asked at the last moment, after Start and right before the act. An
// error says that the act must not follow: this instance was stopped for so
// long that others may take it for dead, and its command for theirs to settle.
func (c *Command) Act() error {
	if c.Holds() {
		return nil
	}
	c.refused = true
	return givenUp(errLapsed)
}

var errLapsed = errors.New("the lease of this instance has expired since it accepted the command")

// givenUp is the answer when others have taken this instance for dead before the
// act, or may have.
func givenUp(err error) error {
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the service was held up for so long that the command was given up", RetryAfter: time.Second, Err: err,
	}
}

// Knew notes what the flow had read before the effect, in clear: what is there
// already, the effect has not created.
func (c *Command) Knew(vars map[string]any) { c.known = vars }

// Refuse notes that the application itself refused the effect after it had
// been started: it did not happen.
func (c *Command) Refuse() { c.refused = true }

// Answered notes that the application answered the requests of the effect: what
// it made of them shows soon.
func (c *Command) Answered() { c.answered = true }

// Read notes what was read of the result when the flow breaks off after the
// effect, so that a reconciliation need find the rest only.
func (c *Command) Read(partial json.RawMessage) { c.partial = partial }

// Pictured notes under which name the vault keeps a picture of the page on
// which the flow broke, for who looks into it.
func (c *Command) Pictured(name string) { c.picture = name }

// maxAttempts bounds the attempts of one command. The end of the last one is
// final, whatever it was.
const maxAttempts = 100

// withOutcome is how the operation ended, as the caller is told it. Whatever broke after
// the effect was started, its outcome is unknown; otherwise nothing was done, and
// another attempt may follow unless the request itself is at fault.
func (c *Command) withOutcome(err error) error {
	if err == nil {
		return nil
	}
	e := *contracts.AsError(err)
	if !c.started || c.refused {
		e.Outcome, e.Final = contracts.NothingDone, e.Final || !e.Kind.Passes() || c.attempt >= maxAttempts
		if !e.Final { // who comes again when told to has attempts left for many hours
			e.RetryAfter = max(e.RetryAfter, min(e.Pause()*time.Duration(c.attempt), longestLook))
		}
		return &e
	}
	if e.Kind != contracts.Unknown {
		e = contracts.Error{Kind: contracts.Unknown, Message: "the command broke off after its effect was started", Err: err}
	}
	e.Outcome = contracts.NotKnown
	return &e
}

// event makes an event of the command.
func (c *Command) event(p event.Payload) (event.Event, error) {
	e, err := event.New(p)
	if err != nil {
		return event.Event{}, err
	}
	e.Integration, e.Operation = c.Operation.Integration, c.Operation.Name
	e.Command, e.Caller, e.Account = c.ID, c.Caller, c.Account
	return e, nil
}

// append adds events to the command's stream, all or none.
func (c *Command) append(ctx context.Context, events ...event.Event) error {
	appended, err := c.log.Append(ctx, event.CommandStream(c.ID), c.version, events...)
	if err != nil {
		return err
	}
	c.version += int64(len(events))
	if c.Operation.Effect != contracts.NoEffect && !c.started {
		c.written = append(c.written, appended...)
	}
	return nil
}

// record makes and appends events.
func (c *Command) record(ctx context.Context, payloads ...event.Payload) error {
	events := make([]event.Event, len(payloads))
	for i, p := range payloads {
		var err error
		if events[i], err = c.event(p); err != nil {
			return err
		}
	}
	return c.append(ctx, events...)
}
