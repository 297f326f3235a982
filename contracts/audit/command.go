package audit

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// ListCommands lists commands.
var ListCommands = contracts.Operation[ListCommandsRequest, Commands]{
	Integration: integration,
	Name:        "list-commands",
	Method:      http.MethodGet,
	Path:        "/admin/v1/commands",
	Summary:     "List commands",
	Description: "Lists commands, the newest first, each with what became of it. The list follows the event log within a second.",
	Access:      contracts.AdminToken,
}

// ListCommandsRequest says which commands to list: those to which all of what
// is given applies.
type ListCommandsRequest struct {
	Integration string    `query:"integration" json:"integration,omitempty" doc:"Lists only commands of this integration." maxLength:"100" example:"marketplace"`
	Operation   string    `query:"operation" json:"operation,omitempty" doc:"Lists only commands of this operation." maxLength:"100" example:"buy-now"`
	CallerID    string    `query:"callerId" json:"callerId,omitempty" doc:"Lists only this caller's commands." maxLength:"256" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID   string    `query:"accountId" json:"accountId,omitempty" doc:"Lists only commands on this account." maxLength:"256" example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	State       string    `query:"state" json:"state,omitempty" doc:"Lists only commands that are in this state now." enum:"accepted,effect-started,effect-confirmed,effect-not-applied,effect-unknown,effect-reconciled,succeeded,failed,rejected,found-late" example:"effect-unknown"`
	Since       time.Time `query:"since" json:"since,omitzero" doc:"Lists only commands that were accepted at this time or later." example:"2026-11-21T00:00:00Z"`
	Until       time.Time `query:"until" json:"until,omitzero" doc:"Lists only commands that were accepted before this time." example:"2026-11-22T00:00:00Z"`
	After       string    `query:"after" json:"after,omitempty" doc:"Id of the last command of the part before; leave out for the first part." maxLength:"36" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Limit       int       `query:"limit" json:"limit,omitempty" doc:"How many commands to return at most." minimum:"1" maximum:"500" default:"100" example:"100"`
}

// Validate returns an error of kind Invalid when a text cannot be in the log,
// or no time fits the request.
func (r *ListCommandsRequest) Validate() error {
	return check(r.Since, r.Until, map[string]string{
		"integration": r.Integration, "operation": r.Operation, "callerId": r.CallerID,
		"accountId": r.AccountID, "state": r.State, "after": r.After,
	})
}

// Commands is a part of the list of commands.
type Commands struct {
	Commands []Command `json:"commands" nullable:"false" doc:"Commands, the newest first."`
	Next     string    `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
}

// Command is what the log's events say about a command.
type Command struct {
	CommandID    string     `json:"commandId" doc:"Id of the command, as in the header Command-Id of its answer." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Integration  string     `json:"integration" doc:"Integration of its operation." example:"marketplace"`
	Operation    string     `json:"operation" doc:"Operation that it carries out." example:"buy-now"`
	CallerID     string     `json:"callerId,omitempty" doc:"Caller that gave it." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID    string     `json:"accountId,omitempty" doc:"Account that it acts on." example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	Site         string     `json:"site,omitempty" doc:"Site that it was carried out at." example:"sandbox"`
	SiteHash     string     `json:"siteHash,omitempty" doc:"Hash of that site's folder, as it was then." example:"5f70bf18a086"`
	State        string     `json:"state" doc:"How far it has come. It has ended as succeeded, failed or rejected; found-late is a failed one whose effect appeared later." enum:"accepted,effect-started,effect-confirmed,effect-not-applied,effect-unknown,effect-reconciled,succeeded,failed,rejected,found-late" example:"succeeded"`
	Effect       string     `json:"effect,omitempty" doc:"Kind of the effect that it started; absent where it started none." example:"order"`
	EffectState  string     `json:"effectState,omitempty" doc:"What is known of that effect. After a reconciliation it says what was found." enum:"started,confirmed,not-applied,unknown,reconciled-applied,reconciled-not-applied,found-late" example:"confirmed"`
	ReconciledBy string     `json:"reconciledBy,omitempty" doc:"Who found out what became of an effect that was in doubt, or that it appeared late: the site's reconcile flow, a person, or the service instance itself once it came back. Absent where none was, or none has." enum:"flow,operator,command"`
	FailureKind  string     `json:"failureKind,omitempty" doc:"Kind of the error that it failed or was rejected with, such as timeout or unavailable."`
	Failure      string     `json:"failure,omitempty" doc:"Why it failed or was rejected, or what is not known of its effect."`
	Picture      string     `json:"picture,omitempty" doc:"Name under which the vault keeps a picture of the page on which it broke off, for who has the vault: igw command picture shows it. Absent where there is none; it may be gone since, as when the account was unlinked or erased."`
	AcceptedAt   time.Time  `json:"acceptedAt" doc:"When it was accepted; the last time, where it was tried again." example:"2026-11-21T09:30:00.584Z"`
	EndedAt      *time.Time `json:"endedAt,omitempty" doc:"When it ended; absent until then." example:"2026-11-21T09:30:02.318Z"`
	DurationMS   int64      `json:"durationMs,omitempty" doc:"Milliseconds from its acceptance to its end." example:"1734"`
	Events       int64      `json:"events" doc:"How many events its stream has." example:"4"`
	FirstSeq     int64      `json:"firstSeq,omitempty" doc:"Seq of its first event; absent in the milliseconds before it has one." example:"1039"`
	LastSeq      int64      `json:"lastSeq,omitempty" doc:"Seq of its last event." example:"1042"`
	Problem      string     `json:"problem,omitempty" doc:"Which of its events could not be understood; the rest says what the others say."`
}

// GetCommand returns one command's whole story.
var GetCommand = contracts.Operation[GetCommandRequest, CommandStory]{
	Integration: integration,
	Name:        "get-command",
	Method:      http.MethodGet,
	Path:        "/admin/v1/commands/{commandId}",
	Summary:     "Get a command",
	Description: whatBecame,
	Access:      contracts.CallerOrAdmin,
}

// whatBecame tells a caller what to do with each state of its command.
const whatBecame = `Returns a command and all events that it caused, in the order of the log, also those of its account. It reads the log itself, so that it is never behind.

A caller asks with its access token, and is told of its own commands only: another's is not there for it. The operator's token shows all.

What became of the command, and what to do:

| state | meaning | what to do |
|---|---|---|
| accepted | It is being carried out. No effect was started. | Ask again. |
| effect-started | Its effect is under way. | Ask again. |
| effect-confirmed, effect-not-applied, effect-reconciled | What became of the effect is known, and the end follows at once. | Ask again. |
| effect-unknown | It broke off after its effect was started, which may have happened. | Do not send it with another Idempotency-Key. The site's reconcile flow or the operator will find out: ask again later. Until then further effects of that kind on that account are refused. |
| succeeded | It was carried out; effectState is confirmed or reconciled-applied where it had an effect. | Nothing. The last event holds the result. |
| failed | It was not carried out; failureKind and failure say why. Where effectState is reconciled-not-applied, the application showed no effect, which may still appear: it is looked at again after minutes, an hour and a day. | Send it again with the same Idempotency-Key: it is tried again where the last event says repeatable, and otherwise answered as before, unless the effect appears; then use another key. Until the last look, the same request needs the header Accept-Duplicate-Risk. |
| found-late | It had failed, since the application showed no effect, and then the effect appeared. | Nothing: it was carried out. The last event holds the result, as far as the application showed it. |
| rejected | It was refused before its effect; failureKind and failure say why. | The same, once what they name is changed. |

A command that did nothing and is sent again goes back to accepted: its state, its failure and its times are those of its last attempt; its events tell of all.

With ` + "`open=true`" + ` the personal data in the events stands in clear, as far as its account is not erased; a caller sends the X-Account-Token of that account with it. That is noted in the service's process log.`

// GetCommandRequest names one command.
type GetCommandRequest struct {
	CommandID string `path:"commandId" json:"commandId" doc:"Id of the command." maxLength:"36" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Open      bool   `query:"open" json:"open,omitempty" doc:"Whether to show personal data in clear." example:"false"`
}

// CommandStory is a command with what happened.
type CommandStory struct {
	Command *Command `json:"command,omitempty" doc:"What its events add up to; absent, for the operator alone, for a request of the operator, which has no stream of its own and is only named in an account's events."`
	Events  []Event  `json:"events" nullable:"false" doc:"The events that it caused, in the order of the log."`
}
