package event

import (
	"encoding/json"
	"fmt"
	"time"

	"integration.gateway/contracts"
)

// The types of events.
const (
	TypeCommandAccepted  = "command.accepted"
	TypeCommandRejected  = "command.rejected"
	TypeCommandCompleted = "command.completed"

	TypeEffectStarted    = "effect.started"
	TypeEffectConfirmed  = "effect.confirmed"
	TypeEffectNotApplied = "effect.not-applied"
	TypeEffectUnknown    = "effect.unknown"
	TypeEffectReconciled = "effect.reconciled"

	TypeSessionOpened   = "session.opened"
	TypeSessionAttached = "session.attached"
	TypeSessionClosed   = "session.closed"

	TypeAccountLinked      = "account.linked"
	TypeAccountSignedIn    = "account.signed-in"
	TypeAccountNeedsSignIn = "account.needs-sign-in"
	TypeAccountUnlinked    = "account.unlinked"
	TypeAccountErased      = "account.erased"

	TypeSiteDrifted = "site.drifted"
)

// Payload is what an event of one type carries as its Data.
type Payload interface {
	// EventType returns the type of the events that carry it.
	EventType() string
}

// New starts an event that carries p, with a new id. The caller adds where it
// belongs: Integration, Operation, Command, Caller and Account.
func New(p Payload) (Event, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return Event{}, fmt.Errorf("encode the payload of %s: %w", p.EventType(), err)
	}
	return Event{ID: NewID(), Type: p.EventType(), Data: data}, nil
}

// PayloadOf decodes the payload of an event whose type the caller knows, as
// in PayloadOf[CommandAccepted](e). Fields that P does not have are ignored, so that
// old readers understand new writers; another type of event is an error.
func PayloadOf[P Payload](e Event) (P, error) {
	var p P
	if e.Type != p.EventType() {
		return p, fmt.Errorf("event %s is a %s, not a %s", e.ID, e.Type, p.EventType())
	}
	if err := json.Unmarshal(e.Data, &p); err != nil {
		return p, fmt.Errorf("decode the payload of %s event %s: %w", e.Type, e.ID, err)
	}
	return p, nil
}

// CommandAccepted: the request is valid and will be carried out.
type CommandAccepted struct {
	Request  json.RawMessage `json:"request"`            // sensitive fields sealed
	Site     string          `json:"site,omitempty"`     // the site that the integration points at
	SiteHash string          `json:"siteHash,omitempty"` // hash of that site's folder
}

// CommandRejected: the command will not be carried out; nothing was done.
type CommandRejected struct {
	Kind    contracts.Kind `json:"kind"`
	Message string         `json:"message"`
}

// Outcome is how a command ended.
type Outcome string

// The outcomes of a command.
const (
	Succeeded Outcome = "succeeded"
	Failed    Outcome = "failed"
)

// CommandCompleted: the command has ended.
type CommandCompleted struct {
	Outcome    Outcome         `json:"outcome"`
	Result     json.RawMessage `json:"result,omitempty"`  // when it succeeded, unless too long for an event; sensitive fields sealed
	Kind       contracts.Kind  `json:"kind,omitempty"`    // when it failed
	Message    string          `json:"message,omitempty"` // when it failed
	DurationMS int64           `json:"durationMs"`        // milliseconds since it was accepted
}

// EffectStarted: from here on the effect may have happened. It is on disk
// before the step that causes the effect.
type EffectStarted struct {
	Effect contracts.Effect `json:"effect"`
	Vars   json.RawMessage  `json:"vars,omitempty"` // the flow's variables, for its reconcile flow
}

// EffectConfirmed: the application confirmed the effect.
type EffectConfirmed struct{}

// EffectNotApplied: the application refused; there was no effect.
type EffectNotApplied struct {
	Message string `json:"message"`
}

// EffectUnknown: nobody can say yet whether the effect happened.
type EffectUnknown struct {
	Message string `json:"message"`
}

// EffectReconciled settles an unknown effect.
type EffectReconciled struct {
	Applied  bool            `json:"applied"`
	Evidence json.RawMessage `json:"evidence,omitempty"` // what was found at the site
}

// SessionOpened: a signed-in browser is ready for its caller.
type SessionOpened struct {
	Expires time.Time `json:"expires"`
}

// SessionAttached: a client connected to the session's browser.
type SessionAttached struct{}

// SessionClosed: the session's browser has ended.
type SessionClosed struct {
	Reason string `json:"reason"`
}

// AccountLinked: an end user's account was linked. It holds neither user name
// nor secret.
type AccountLinked struct{}

// AccountSignedIn: a browser signed in to the account.
type AccountSignedIn struct {
	Site string `json:"site"`
}

// AccountNeedsSignIn: the site refused the stored user name and password.
type AccountNeedsSignIn struct {
	Site    string `json:"site"`
	Message string `json:"message"`
}

// AccountUnlinked: the account's token works no more.
type AccountUnlinked struct{}

// AccountErased: the account's key is destroyed; what it sealed cannot be
// read any more, by anybody.
type AccountErased struct{}

// SiteDrifted: a step's first choice of element is losing; the site's markup
// is changing under the flow.
type SiteDrifted struct {
	Site     string `json:"site"`
	SiteHash string `json:"siteHash"`
	Flow     string `json:"flow"`
	Step     string `json:"step"`
}

// EventType implements Payload.
func (CommandAccepted) EventType() string { return TypeCommandAccepted }

// EventType implements Payload.
func (CommandRejected) EventType() string { return TypeCommandRejected }

// EventType implements Payload.
func (CommandCompleted) EventType() string { return TypeCommandCompleted }

// EventType implements Payload.
func (EffectStarted) EventType() string { return TypeEffectStarted }

// EventType implements Payload.
func (EffectConfirmed) EventType() string { return TypeEffectConfirmed }

// EventType implements Payload.
func (EffectNotApplied) EventType() string { return TypeEffectNotApplied }

// EventType implements Payload.
func (EffectUnknown) EventType() string { return TypeEffectUnknown }

// EventType implements Payload.
func (EffectReconciled) EventType() string { return TypeEffectReconciled }

// EventType implements Payload.
func (SessionOpened) EventType() string { return TypeSessionOpened }

// EventType implements Payload.
func (SessionAttached) EventType() string { return TypeSessionAttached }

// EventType implements Payload.
func (SessionClosed) EventType() string { return TypeSessionClosed }

// EventType implements Payload.
func (AccountLinked) EventType() string { return TypeAccountLinked }

// EventType implements Payload.
func (AccountSignedIn) EventType() string { return TypeAccountSignedIn }

// EventType implements Payload.
func (AccountNeedsSignIn) EventType() string { return TypeAccountNeedsSignIn }

// EventType implements Payload.
func (AccountUnlinked) EventType() string { return TypeAccountUnlinked }

// EventType implements Payload.
func (AccountErased) EventType() string { return TypeAccountErased }

// EventType implements Payload.
func (SiteDrifted) EventType() string { return TypeSiteDrifted }
