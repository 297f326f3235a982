package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// Doubt is a command in doubt: its effect was started, and nobody knows whether
// it happened. Or it was settled that it did not, and it may still appear.
type Doubt struct {
	ID        string
	Caller    string
	Account   string
	Operation string
	Site      string    // name of the site that it was carried out at
	StartedAt time.Time // when the command was accepted
	Since     time.Time // when its effect fell into doubt; for the log alone, since clocks differ
	Answered  bool      // the application answered the requests of the effect
	Late      bool      // it is settled that there was no effect, and the command has ended: only its appearance changes that

	// What Open fills in, in clear.
	Request json.RawMessage // the request, as the contract has it
	Vars    map[string]any  // what the flow knew when it started the effect
	Partial json.RawMessage // what was read of the result; nil for nothing

	story story
}

// Verdict settles a Doubt. All of it is in clear.
type Verdict struct {
	Applied  bool
	By       string // one of event's By constants
	Named    bool   // the evidence was found by the command's own id
	Creates  string // what identifies in the result or evidence what the effect created; see contracts.Operation
	Evidence any    // what was found; nil for nothing
	Result   any    // the operation's result, of its own type, when the effect was applied; nil if it is not known

	// ChecksAfter are the times after a verdict that there was no effect at which
	// it is looked for again, in rising order; none where that is final.
	ChecksAfter []time.Duration
}

// ErrSettled says that somebody else has settled a command in doubt.
var ErrSettled = contracts.Errorf(contracts.Invalid, "the command has been settled meanwhile")

// Doubt reads a command in doubt from the log. Errors: NotFound when there is no
// such command, Invalid when it is not in doubt, nor settled as without effect.
func (r Recorder) Doubt(ctx context.Context, id string) (*Doubt, error) {
	s, err := r.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.inDoubt() && !s.mayAppear() {
		return nil, contracts.Errorf(contracts.Invalid, "command %s is not in doubt: there is nothing to settle", id)
	}
	first, last := s.first(), s.events[len(s.events)-1]
	answered := s.unknown != nil && s.unknown.Answered
	return &Doubt{
		ID: first.Command, Caller: first.Caller, Account: first.Account, Operation: first.Operation, Site: s.accepted.Site,
		StartedAt: first.Time, Since: last.Time, Answered: answered, Late: s.mayAppear(), story: s,
	}, nil
}

// Open opens what is sealed of a command in doubt. It returns vault.ErrErased
// when the account is erased: then only a person can settle it.
func (r Recorder) Open(ctx context.Context, d *Doubt) (err error) {
	s := d.story
	if d.Request, err = r.open(ctx, d.Account, s.accepted.Request); err != nil {
		return err
	}
	if d.Partial, err = r.open(ctx, d.Account, s.unknown.Partial); err != nil {
		return err
	}
	vars, err := r.open(ctx, d.Account, s.started.Vars)
	if err != nil || vars == nil {
		return err
	}
	if err := json.Unmarshal(vars, &d.Vars); err != nil {
		return fmt.Errorf("what command %s knew when it started its effect is not a JSON object", d.ID)
	}
	return nil
}

func (r Recorder) open(ctx context.Context, account string, sealed json.RawMessage) (json.RawMessage, error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	return r.Sealer.OpenFields(ctx, account, sealed)
}

// Settle records a verdict and so ends the command; ErrSettled says that
// somebody else was faster, and an error of kind Invalid that the verdict of a
// flow does not tell whose effect it is: then the command stays in doubt. Of a
// command that has ended, it records that its effect has appeared. Of an account
// that is erased, neither evidence nor result is kept.
func (r Recorder) Settle(ctx context.Context, d *Doubt, v Verdict) (err error) {
	var evidence, result json.RawMessage
	if v.Evidence != nil {
		if evidence, err = r.sealValue(ctx, d.Account, v.Evidence); err != nil {
			return err
		}
	}
	if v.Applied && v.Result != nil {
		if result, err = r.sealResult(ctx, d.Account, v.Result); err != nil {
			return err
		}
	}
	c, created := r.command(d.story), ""
	if v.Applied {
		if created, err = r.proven(ctx, c, d, v); err != nil {
			return err
		}
	}
	switch {
	case d.Late && v.Applied:
		err = r.foundLate(ctx, c, event.EffectFoundLate{By: v.By, Evidence: evidence, Result: result, Created: created})
	case d.Late:
		err = ErrSettled
	default:
		reconciled := event.EffectReconciled{Applied: v.Applied, By: v.By, Evidence: evidence, Created: created}
		end := event.CommandCompleted{Outcome: event.Succeeded, Result: result, DurationMS: d.story.took().Milliseconds()}
		if !v.Applied {
			reconciled.ChecksAfterMS = milliseconds(v.ChecksAfter)
			end.Outcome, end.Kind, end.Message = event.Failed, contracts.Unavailable, notApplied(d, v, time.Now())
		}
		err = c.record(ctx, reconciled, end)
	}
	switch {
	case errors.Is(err, eventlog.ErrConflict):
		return ErrSettled
	case errors.Is(err, eventlog.ErrClaimed):
		return errNotEvidence
	}
	return err
}
