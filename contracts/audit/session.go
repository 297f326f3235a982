package audit

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/sessions"
)

// ListSessions lists sessions.
var ListSessions = contracts.Operation[ListSessionsRequest, Sessions]{
	Integration: integration,
	Name:        "list-sessions",
	Method:      http.MethodGet,
	Path:        "/admin/v1/sessions",
	Summary:     "List sessions",
	Description: "Lists sessions, the newest first. The list follows the event log within a second.",
	Access:      contracts.AdminToken,
}

// ListSessionsRequest says which sessions to list: those to which all of what
// is given applies.
type ListSessionsRequest struct {
	Integration string `query:"integration" json:"integration,omitempty" doc:"Lists only sessions of this integration." maxLength:"100" example:"marketplace"`
	CallerID    string `query:"callerId" json:"callerId,omitempty" doc:"Lists only this caller's sessions." maxLength:"256" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID   string `query:"accountId" json:"accountId,omitempty" doc:"Lists only sessions of this account." maxLength:"256" example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	State       string `query:"state" json:"state,omitempty" doc:"Lists only sessions that are in this state now." enum:"open,closed" example:"open"`
	After       string `query:"after" json:"after,omitempty" doc:"Id of the last session of the part before; leave out for the first part." maxLength:"36" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Limit       int    `query:"limit" json:"limit,omitempty" doc:"How many sessions to return at most." minimum:"1" maximum:"500" default:"100" example:"100"`
}

// Validate returns an error of kind Invalid when a text cannot be in the log.
func (r *ListSessionsRequest) Validate() error {
	return check(time.Time{}, time.Time{}, map[string]string{
		"integration": r.Integration, "callerId": r.CallerID, "accountId": r.AccountID, "state": r.State, "after": r.After,
	})
}

// Sessions is a part of the list of sessions.
type Sessions struct {
	Sessions []Session `json:"sessions" nullable:"false" doc:"Sessions, the newest first."`
	Next     string    `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
}

// Session is what the log's events say about a session. Its addresses are
// nowhere but in the answer that opened it.
type Session struct {
	SessionID   string     `json:"sessionId" doc:"Id of the session, as in its addresses." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Integration string     `json:"integration" doc:"Integration of its site." example:"marketplace"`
	Site        string     `json:"site,omitempty" doc:"Site that its browser is signed in at." example:"sandbox"`
	CommandID   string     `json:"commandId" doc:"Command that opened it." example:"019a9f02-1d3c-7b55-8e21-0f1a2b3c4d5e"`
	CallerID    string     `json:"callerId" doc:"Caller that it was opened for." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID   string     `json:"accountId" doc:"Account that its browser is signed in for." example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	State       string     `json:"state" doc:"Whether its browser is there." enum:"open,closed" example:"open"`
	OpenedAt    time.Time  `json:"openedAt" doc:"When it was handed over." example:"2026-11-21T09:30:00.584Z"`
	Expires     *time.Time `json:"expires,omitempty" doc:"When it ends by itself at the latest." example:"2026-11-21T10:00:00.584Z"`
	Attached    int64      `json:"attached" doc:"How often a client has connected." example:"2"`
	Clients     int64      `json:"clients" doc:"How many clients are connected now." example:"1"`
	AttachedAt  *time.Time `json:"attachedAt,omitempty" doc:"When the last of them connected; absent while none has." example:"2026-11-21T09:30:01.002Z"`
	ClosedAt    *time.Time `json:"closedAt,omitempty" doc:"When its browser ended; absent until then." example:"2026-11-21T09:42:10.101Z"`
	Reason      string     `json:"reason,omitempty" doc:"Why its browser has ended." enum:"released,stopped,idle,expired,unlinked,revoked,shutdown,lost" example:"released"`
	Problem     string     `json:"problem,omitempty" doc:"Which of its events could not be understood; the rest says what the others say."`
}

// GetSession returns one session.
var GetSession = contracts.Operation[SessionRequest, Session]{
	Integration: integration,
	Name:        "get-session",
	Method:      http.MethodGet,
	Path:        "/admin/v1/sessions/{sessionId}",
	Summary:     "Get a session",
	Description: "Returns a session. It reads the log itself, so that it is never behind. A caller asks with its access token, and is told of its own sessions only: another's is not there for it.",
	Access:      contracts.CallerOrAdmin,
}

// StopSession ends a session.
var StopSession = contracts.Operation[SessionRequest, Session]{
	Integration: integration,
	Name:        "stop-session",
	Method:      http.MethodDelete,
	Path:        "/sessions/{sessionId}",
	Summary:     "Stop a session",
	Description: "Ends a session and returns it as it is then. Its clients are cut off at once, its addresses stop working, what its browser has changed of the sign-in is kept for the account, and nothing else of the browser is left. " +
		"A caller stops its own sessions with its access token; the operator's token stops all. Stopping it again changes nothing.",
	Effect:  contracts.Record,
	Access:  contracts.CallerOrAdmin,
	Timeout: sessions.AskTimeout + 10*time.Second,
}

// SessionRequest names one session.
type SessionRequest struct {
	SessionID string `path:"sessionId" json:"sessionId" doc:"Id of the session." maxLength:"36" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
}
