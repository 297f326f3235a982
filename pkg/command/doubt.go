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
// it happened.
type Doubt struct {
	ID        string
	Caller    string
	Account   string
	Operation string
	Site      string    // name of the site that it was carried out at
	StartedAt time.Time // when the command was accepted
	Since     time.Time // when its effect fell into doubt

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
	Evidence any    // what was found; nil for nothing
	Result   any    // the operation's result, of its own type, when the effect was applied; nil if it is not known
}

// ErrSettled says that somebody else has settled a command in doubt.
var ErrSettled = contracts.Errorf(contracts.Invalid, "the command has been settled meanwhile")

// Doubt reads a command in doubt from the log. Errors: NotFound when there is no
// such command, Invalid when it is not in doubt.
func (r Recorder) Doubt(ctx context.Context, id string) (*Doubt, error) {
	s, err := r.read(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.inDoubt() {
		return nil, contracts.Errorf(contracts.Invalid, "command %s is not in doubt: there is nothing to settle", id)
	}
	first, last := s.first(), s.events[len(s.events)-1]
	return &Doubt{
		ID: first.Command, Caller: first.Caller, Account: first.Account, Operation: first.Operation, Site: s.accepted.Site,
		StartedAt: first.Time, Since: last.Time, story: s,
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
// somebody else was faster. Of an account that is erased, neither evidence nor
// result is kept.
func (r Recorder) Settle(ctx context.Context, d *Doubt, v Verdict) (err error) {
	reconciled := event.EffectReconciled{Applied: v.Applied, By: v.By}
	end := event.CommandCompleted{Outcome: event.Succeeded, DurationMS: d.story.took().Milliseconds()}
	if !v.Applied {
		end.Outcome, end.Kind = event.Failed, contracts.Unavailable
		end.Message = "the command broke off, and the application was found not to have carried it out"
	}
	if v.Evidence != nil {
		if reconciled.Evidence, err = r.sealValue(ctx, d.Account, v.Evidence); err != nil {
			return err
		}
	}
	if v.Applied && v.Result != nil {
		if end.Result, err = r.sealResult(ctx, d.Account, v.Result); err != nil {
			return err
		}
	}
	err = r.command(d.story).record(ctx, reconciled, end)
	if errors.Is(err, eventlog.ErrConflict) {
		return ErrSettled
	}
	return err
}
