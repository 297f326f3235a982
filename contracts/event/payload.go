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
	TypeEffectFoundLate  = "effect.found-late"

	TypeSessionOpened   = "session.opened"
	TypeSessionAttached = "session.attached"
	TypeSessionDetached = "session.detached"
	TypeSessionClosed   = "session.closed"

	TypeAccountLinked      = "account.linked"
	TypeAccountSignedIn    = "account.signed-in"
	TypeAccountNeedsSignIn = "account.needs-sign-in"
	TypeAccountUnlinked    = "account.unlinked"
	TypeAccountErased      = "account.erased"

	TypeSiteDrifted = "site.drifted"
)

// Payload is what an event of one type carries as its Data. The tags of its
// fields are those of requests and results (see package contracts): its schema
// in the document for subscribers comes from them. A field that is sensitive is
// sealed by whoever makes the payload, for the event holds it as it is.
type Payload interface {
	// EventType returns the type of the events that carry it.
	EventType() string
}

// Payloads returns an empty payload of each type.
func Payloads() []Payload {
	return []Payload{
		CommandAccepted{},
		CommandRejected{},
		CommandCompleted{},
		EffectStarted{},
		EffectConfirmed{},
		EffectNotApplied{},
		EffectUnknown{},
		EffectReconciled{},
		EffectFoundLate{},
		SessionOpened{},
		SessionAttached{},
		SessionDetached{},
		SessionClosed{},
		AccountLinked{},
		AccountSignedIn{},
		AccountNeedsSignIn{},
		AccountUnlinked{},
		AccountErased{},
		SiteDrifted{},
	}
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
	Request  json.RawMessage  `json:"request" doc:"The request: its parameters by name, its body as body. Sensitive fields are sealed."`
	Site     string           `json:"site,omitempty" doc:"Name of the site that the integration points at." example:"sandbox"`
	SiteHash string           `json:"siteHash,omitempty" doc:"Hash of the folder that describes the site: its settings and flows." example:"9c1185a5c5e9fc54612808977ee8f548b2258d31c3c7e9a6b2e4c3f0c1d2e3f4"`
	Effect   contracts.Effect `json:"effect,omitempty" enum:"order,cart,message,record,appointment" doc:"Kind of effect that the operation has; absent for a read." example:"order"`
	User     string           `json:"user,omitempty" doc:"Fingerprint of the user that the account signs in as at the site: the same for all accounts that are linked with one user there. Absent for a read." example:"q83vEjRWeJCrze8SNFZ4kA"`
	Instance string           `json:"instance,omitempty" doc:"Id of the service instance that carries the command out." example:"019a9f02-1d3c-7b55-8e21-0f1a2b3c4d5e"`
	Content  string           `json:"content,omitempty" doc:"Keyed fingerprint of the operation and its request: two commands of one user that have the same would do the same; absent for a read." example:"3q2-7wABAgMEBQYHCAkKCw"`
	Risk     string           `json:"risk,omitempty" doc:"Id of the command that its caller named in the header Accept-Duplicate-Risk." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
}

// CommandRejected: the command will not be carried out; nothing was done.
type CommandRejected struct {
	Kind       contracts.Kind  `json:"kind" enum:"invalid,unauthorized,not-found,rejected,not-implemented,busy,timeout,unknown,unavailable,fault" doc:"What kind of refusal it is." example:"invalid"`
	Message    string          `json:"message" doc:"Why; without personal data, and without the application's own words." example:"provide asin or itemUrl"`
	Quote      json.RawMessage `json:"quote,omitempty" sensitive:"true" doc:"The application's own words, where it refused in some; sealed."`
	Repeatable bool            `json:"repeatable,omitempty" doc:"Whether the same request with the same Idempotency-Key is the next attempt of this command, as nothing was done and nothing is wrong with what was asked: then command.accepted can follow, and all that can follow it. Absent: this is the command's last event." example:"true"`
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
	Outcome    Outcome         `json:"outcome" enum:"succeeded,failed" doc:"How it ended." example:"succeeded"`
	Result     json.RawMessage `json:"result,omitempty" doc:"The result, when the command succeeded; left out when it is too long for an event, or could not be sealed since the account was erased meanwhile. Sensitive fields are sealed."`
	Kind       contracts.Kind  `json:"kind,omitempty" enum:"invalid,unauthorized,not-found,rejected,not-implemented,busy,timeout,unknown,unavailable,fault" doc:"What kind of failure it is, when the command failed."`
	Message    string          `json:"message,omitempty" doc:"Why, when the command failed; without personal data, and without the application's own words."`
	Quote      json.RawMessage `json:"quote,omitempty" sensitive:"true" doc:"The application's own words, where it refused in some; sealed."`
	Picture    string          `json:"picture,omitempty" doc:"Name under which the vault keeps a picture of the page on which the flow broke; absent where there is none. It goes when the account is unlinked or erased, or when 20 newer ones are there."`
	Repeatable bool            `json:"repeatable,omitempty" doc:"Whether the same request with the same Idempotency-Key is the next attempt of this command, as nothing was done and nothing is wrong with what was asked: then command.accepted can follow, and all that can follow it. Absent: this is the command's last event."`
	DurationMS int64           `json:"durationMs" minimum:"0" doc:"Milliseconds since the command was accepted." example:"1840"`
}

// EffectStarted: from here on the effect may have happened. It is on disk
// before the step that causes the effect.
type EffectStarted struct {
	Effect contracts.Effect `json:"effect" enum:"order,cart,message,record,appointment" doc:"What is about to change at the application." example:"order"`
	Vars   json.RawMessage  `json:"vars,omitempty" sensitive:"true" doc:"What the flow had read by then, for the flow that finds out what became of an effect in doubt."`
}

// EffectConfirmed: the application confirmed the effect.
type EffectConfirmed struct {
	Created string `json:"created,omitempty" doc:"Fingerprint of the identifier of what the effect has made, such as the order's number. No other command of the user has it. Absent where the effect makes nothing new that has an identifier." example:"7m0bVQkVt1mJv0qkQ1c7uw"`
}

// EffectNotApplied: the application refused; there was no effect.
type EffectNotApplied struct {
	Message string          `json:"message" doc:"Why; without personal data, and without the application's own words." example:"the marketplace did not take the order"`
	Quote   json.RawMessage `json:"quote,omitempty" sensitive:"true" doc:"The application's own words, where it refused in some; sealed."`
}

// EffectUnknown: nobody can say yet whether the effect happened.
type EffectUnknown struct {
	Message string          `json:"message" doc:"What broke off; without personal data, and without the application's own words." example:"the command broke off after its effect was started"`
	Quote   json.RawMessage `json:"quote,omitempty" sensitive:"true" doc:"The application's own words, where it refused in some; sealed."`
	Partial json.RawMessage `json:"partial,omitempty" sensitive:"true" doc:"What was read of the result before the command broke off."`
	Picture string          `json:"picture,omitempty" doc:"Name under which the vault keeps a picture of the page on which the flow broke; absent where there is none."`

	Answered bool `json:"answered,omitempty" doc:"Whether the application answered the requests of the effect; absent where it did not, and where nobody can tell."`
}

// Who settles an effect in doubt.
const (
	ByFlow     = "flow"     // the site's reconcile flow looked at the application
	ByOperator = "operator" // a person did
	ByCommand  = "command"  // the instance that carried the command out came back and knew
)

// EffectReconciled settles an unknown effect.
type EffectReconciled struct {
	Applied  bool            `json:"applied" doc:"Whether the effect happened after all." example:"true"`
	By       string          `json:"by" enum:"flow,operator,command" doc:"Who found out: the site's reconcile flow, a person, or the service instance itself once it came back." example:"flow"`
	Created  string          `json:"created,omitempty" doc:"Fingerprint of the identifier of what the effect has made, as in effect.confirmed." example:"7m0bVQkVt1mJv0qkQ1c7uw"`
	Evidence json.RawMessage `json:"evidence,omitempty" sensitive:"true" doc:"What was found at the application."`

	ChecksAfterMS []int64 `json:"checksAfterMs,omitempty" doc:"Milliseconds after this event at which the reconcile flow looks again, since the application may still carry the effect out: then effect.found-late follows. Absent where the verdict is final." example:"[600000,3600000,86400000]"`
}

// EffectFoundLate: the application carried the effect out after it had been
// settled that there was none. It follows the command's end.
type EffectFoundLate struct {
	By       string          `json:"by" enum:"flow,operator,command" doc:"Who found out: the site's reconcile flow, a person, or the service instance itself once it came back." example:"flow"`
	Evidence json.RawMessage `json:"evidence,omitempty" sensitive:"true" doc:"What was found at the application."`
	Result   json.RawMessage `json:"result,omitempty" doc:"The command's result as far as the application showed it. Sensitive fields are sealed."`
	Created  string          `json:"created,omitempty" doc:"Fingerprint of the identifier of what the effect has created, which belongs to this command alone; absent where it created nothing of its own." example:"7m0bVQkVt1mJv0qkQ1c7uw"`
}

// SessionOpened: a signed-in browser is ready for its caller.
type SessionOpened struct {
	Site    string    `json:"site,omitempty" doc:"Name of the site that the browser is signed in at." example:"sandbox"`
	User    string    `json:"user,omitempty" doc:"Fingerprint of the user that the account signs in as there, as in command.accepted." example:"q83vEjRWeJCrze8SNFZ4kA"`
	Expires time.Time `json:"expires" doc:"When the session ends by itself." example:"2026-11-21T10:30:00Z"`
}

// Purpose is what a client of a session may do.
type Purpose string

// The purposes of a session's clients.
const (
	Control Purpose = "control" // drive the browser
	View    Purpose = "view"    // look at it
)

// SessionAttached: a client connected to the session's browser.
type SessionAttached struct {
	Purpose Purpose `json:"purpose,omitempty" enum:"control,view" doc:"What the client may do: drive the browser, or look at it." example:"control"`
}

// SessionDetached: a client is connected no more.
type SessionDetached struct {
	Purpose Purpose `json:"purpose" enum:"control,view" doc:"What the client could do." example:"control"`
	Seconds float64 `json:"seconds" doc:"How long it was connected." example:"73.25"`
}

// Why a session's browser has ended.
const (
	SessionReleased = "released" // its caller, or its client, gave it back
	SessionStopped  = "stopped"  // the operator ended it
	SessionIdle     = "idle"     // nobody was connected for too long
	SessionExpired  = "expired"  // its time was over
	SessionUnlinked = "unlinked" // its account was unlinked or erased
	SessionRevoked  = "revoked"  // a token that it was opened with works no more
	SessionShutdown = "shutdown" // the process that held the browser was stopped
	SessionLost     = "lost"     // the browser, or the process that held it, died
)

// SessionClosed: the session's browser has ended.
type SessionClosed struct {
	Reason  string  `json:"reason" enum:"released,stopped,idle,expired,unlinked,revoked,shutdown,lost" doc:"Why the session's browser has ended: given back by its caller or client, ended by the operator, nobody connected for too long, its time over, its account unlinked or erased, a token revoked that it was opened with, the process that held it stopped, or that or the browser died." example:"expired"`
	Seconds float64 `json:"seconds,omitempty" doc:"How long it was open; absent where nobody was left to tell." example:"1800.5"`
}

// AccountLinked: an end user's account was linked. It holds neither user name
// nor secret.
type AccountLinked struct{}

// AccountSignedIn: a browser signed in to the account.
type AccountSignedIn struct {
	Site string `json:"site" doc:"Name of the site." example:"sandbox"`
}

// AccountNeedsSignIn: the site refused the stored user name and password.
type AccountNeedsSignIn struct {
	Site    string          `json:"site" doc:"Name of the site." example:"sandbox"`
	Message string          `json:"message" doc:"Why; without personal data, and without the application's own words." example:"the application refused the user name or the password"`
	Quote   json.RawMessage `json:"quote,omitempty" sensitive:"true" doc:"The application's own words, where it refused in some; sealed."`
}

// AccountUnlinked: the account's token works no more.
type AccountUnlinked struct{}

// AccountErased: the account's key is destroyed; what it sealed cannot be
// read any more, by anybody.
type AccountErased struct{}

// What can drift: what a step looks for first, and what a result needs.
const (
	DriftOfFirstChoice   = "first-choice"
	DriftOfRequiredField = "required-field"
)

// SiteDrifted: a step's first choice of element has started losing, or a
// required field has started to be missing; the site's pages are changing under
// the flow. All texts are as the flow has them.
type SiteDrifted struct {
	Site        string `json:"site" doc:"Name of the site." example:"sandbox"`
	SiteHash    string `json:"siteHash" doc:"Hash of the folder that describes the site: its settings and flows." example:"9c1185a5c5e9fc54612808977ee8f548b2258d31c3c7e9a6b2e4c3f0c1d2e3f4"`
	Flow        string `json:"flow" doc:"File of the flow." example:"buy-now.json"`
	Step        string `json:"step" doc:"Number of the step in it." example:"5"`
	Name        string `json:"name" doc:"What the step does, as messages have it." example:"click #buy-now-button"`
	What        string `json:"what" enum:"first-choice,required-field" doc:"Whether the step found another of its alternatives than the first, or did not find a field that the result needs." example:"first-choice"`
	FirstChoice string `json:"firstChoice,omitempty" doc:"The alternative that is listed first and has started losing." example:"#buy-now-button"`
	Winner      string `json:"winner,omitempty" doc:"The alternative that was found in its stead." example:"aria/Buy now"`
	Field       string `json:"field,omitempty" doc:"The required field that was missing; the command that found it out has failed, or is in doubt."`
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
func (EffectFoundLate) EventType() string { return TypeEffectFoundLate }

// EventType implements Payload.
func (SessionOpened) EventType() string { return TypeSessionOpened }

// EventType implements Payload.
func (SessionAttached) EventType() string { return TypeSessionAttached }

// EventType implements Payload.
func (SessionDetached) EventType() string { return TypeSessionDetached }

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
