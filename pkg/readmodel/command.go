package readmodel

import (
	"cmp"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// State is how far a command has come.
type State string

// The states of a command, in the order in which it can be in them. Three are
// its ends, and FoundLate is what can become of one that failed.
const (
	Accepted         State = "accepted"
	EffectStarted    State = "effect-started"
	EffectConfirmed  State = "effect-confirmed"
	EffectNotApplied State = "effect-not-applied"
	EffectUnknown    State = "effect-unknown"
	EffectReconciled State = "effect-reconciled"
	Succeeded        State = "succeeded"
	Failed           State = "failed"
	Rejected         State = "rejected"
	FoundLate        State = "found-late"
)

// EffectState is what is known of the effect that a command has started. It
// outlives the command's end.
type EffectState string

// The states of an effect; empty stands for one that was not started.
const (
	Started              EffectState = "started"
	Confirmed            EffectState = "confirmed"
	NotApplied           EffectState = "not-applied"
	Unknown              EffectState = "unknown"
	ReconciledApplied    EffectState = "reconciled-applied"
	ReconciledNotApplied EffectState = "reconciled-not-applied"
	AppearedLate         EffectState = "found-late"
)

// Command is what the events of a command's stream add up to. A command that did
// nothing can be accepted again: then it tells of its last attempt.
type Command struct {
	ID           string           `json:"id"`
	Integration  string           `json:"integration"`
	Operation    string           `json:"operation"`
	Caller       string           `json:"caller"`
	Account      string           `json:"account"`
	Site         string           `json:"site"`
	SiteHash     string           `json:"site_hash"`
	State        State            `json:"state"`
	Effect       contracts.Effect `json:"effect"` // empty unless one was started
	EffectState  EffectState      `json:"effect_state"`
	ReconciledBy string           `json:"reconciled_by"` // who settled an effect in doubt, or found it late: one of the By constants of package event
	FailureKind  contracts.Kind   `json:"failure_kind"`  // empty unless it failed or was rejected
	Failure      string           `json:"failure"`       // why, or what is not known of its effect
	Picture      string           `json:"picture"`       // name in the vault of a picture of the page on which it broke off
	AcceptedAt   time.Time        `json:"accepted_at"`
	EndedAt      *time.Time       `json:"ended_at,omitempty"` // nil until it has ended
	Trace
}

// Duration is the time from a command's acceptance to its end, 0 until then. It is 0 as well where the log's clock
// was set back in between.
func (c *Command) Duration() time.Duration {
	if c.EndedAt == nil {
		return 0
	}
	return max(0, c.EndedAt.Sub(c.AcceptedAt))
}

// Apply counts in the next event of the command's stream. An error says that
// the row could not take what the event tells, and is in Problem as well.
func (c *Command) Apply(e event.Event) error {
	if c.Events == 0 {
		c.ID = commands.idOf(e.Stream)
		c.Integration, c.Operation, c.Caller, c.Account = e.Integration, e.Operation, e.Caller, e.Account
		c.State, c.AcceptedAt = Accepted, e.Time
	}
	return c.count(e, c.apply)
}

func (c *Command) apply(e event.Event) error {
	switch e.Type {
	case event.TypeCommandAccepted:
		c.begin(e)
		return take(e, func(p event.CommandAccepted) { c.Site, c.SiteHash = text(p.Site), text(p.SiteHash) })
	case event.TypeEffectStarted:
		return take(e, func(p event.EffectStarted) {
			c.Effect = contracts.Effect(text(string(p.Effect)))
			c.effect(EffectStarted, Started, "")
		})
	case event.TypeEffectConfirmed:
		c.effect(EffectConfirmed, Confirmed, "")
	case event.TypeEffectNotApplied:
		return take(e, func(p event.EffectNotApplied) { c.effect(EffectNotApplied, NotApplied, p.Message) })
	case event.TypeEffectUnknown:
		return take(e, func(p event.EffectUnknown) {
			c.effect(EffectUnknown, Unknown, p.Message)
			c.Picture = text(p.Picture)
		})
	case event.TypeEffectReconciled:
		return take(e, func(p event.EffectReconciled) {
			found := ReconciledNotApplied
			if p.Applied {
				found = ReconciledApplied
			}
			c.effect(EffectReconciled, found, "")
			c.ReconciledBy = text(p.By)
		})
	case event.TypeEffectFoundLate:
		return take(e, func(p event.EffectFoundLate) {
			c.State, c.EffectState, c.ReconciledBy = FoundLate, AppearedLate, text(p.By)
		})
	case event.TypeCommandRejected:
		return take(e, func(p event.CommandRejected) { c.end(e, Rejected, p.Kind, p.Message) })
	case event.TypeCommandCompleted:
		return take(e, func(p event.CommandCompleted) {
			state := Failed
			if p.Outcome == event.Succeeded {
				state = Succeeded
			}
			c.end(e, state, p.Kind, p.Message)
			c.Picture = cmp.Or(text(p.Picture), c.Picture)
		})
	}
	return nil
}

// begin forgets what came of the attempt before.
func (c *Command) begin(e event.Event) {
	c.State, c.AcceptedAt, c.EndedAt = Accepted, e.Time, nil
	c.Effect, c.EffectState, c.ReconciledBy = "", "", ""
	c.FailureKind, c.Failure, c.Picture = "", "", ""
}

// effect notes what became of the effect. A command that has ended stays so,
// whatever follows.
func (c *Command) effect(state State, effect EffectState, failure string) {
	c.EffectState = effect
	if c.EndedAt == nil {
		c.State, c.Failure = state, text(failure)
	}
}

func (c *Command) end(e event.Event, state State, kind contracts.Kind, failure string) {
	at := e.Time
	c.State, c.EndedAt = state, &at
	c.FailureKind, c.Failure = contracts.Kind(text(string(kind))), text(failure)
}

func (c *Command) key() string { return c.ID }

func (c *Command) times() []*time.Time { return []*time.Time{&c.AcceptedAt, c.EndedAt} }
