package audit

import (
	"encoding/json"
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// ListEvents lists events of the log.
var ListEvents = contracts.Operation[ListEventsRequest, Events]{
	Integration: integration,
	Name:        "list-events",
	Method:      http.MethodGet,
	Path:        "/admin/v1/events",
	Summary:     "List events",
	Description: "Lists events in the order of the log, oldest first. Personal data stands sealed in it; only one command's events can be opened, at `/admin/v1/commands/{commandId}`.\n\nAn answer may hold fewer events than `limit`, where longer ones would not fit in it: `next` says whether there are more. To follow the log, ask again with `after` set to the last event's `seq`.",
	Access:      contracts.AdminToken,
}

// ListEventsRequest says which events to list: those to which all of what is
// given applies.
type ListEventsRequest struct {
	Integration string    `query:"integration" json:"integration,omitempty" doc:"Lists only events of this integration." maxLength:"100" example:"marketplace"`
	Operation   string    `query:"operation" json:"operation,omitempty" doc:"Lists only events of this operation." maxLength:"100" example:"buy-now"`
	CallerID    string    `query:"callerId" json:"callerId,omitempty" doc:"Lists only what happened on behalf of this caller." maxLength:"256" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID   string    `query:"accountId" json:"accountId,omitempty" doc:"Lists only what concerns this account." maxLength:"256" example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	CommandID   string    `query:"commandId" json:"commandId,omitempty" doc:"Lists only what this command caused." maxLength:"256" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Type        string    `query:"type" json:"type,omitempty" doc:"Lists only events of this type." maxLength:"100" example:"effect.unknown"`
	Since       time.Time `query:"since" json:"since,omitzero" doc:"Lists only events that were recorded at this time or later." example:"2026-11-21T00:00:00Z"`
	Until       time.Time `query:"until" json:"until,omitzero" doc:"Lists only events that were recorded before this time." example:"2026-11-22T00:00:00Z"`
	After       int64     `query:"after" json:"after,omitempty" doc:"Seq of the last event of the part before; leave out for the first part." minimum:"0" example:"1041"`
	Limit       int       `query:"limit" json:"limit,omitempty" doc:"How many events to return at most." minimum:"1" maximum:"500" default:"100" example:"100"`
}

// Validate returns an error of kind Invalid when a text cannot be in the log,
// or no time fits the request.
func (r *ListEventsRequest) Validate() error {
	return check(r.Since, r.Until, map[string]string{
		"integration": r.Integration, "operation": r.Operation, "callerId": r.CallerID,
		"accountId": r.AccountID, "commandId": r.CommandID, "type": r.Type,
	})
}

// Events is a part of the log.
type Events struct {
	Events []Event `json:"events" nullable:"false" doc:"Events in the order of the log, oldest first."`
	Next   int64   `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end of the log." example:"1042"`
}

// Event is one fact in the log, as it was recorded.
type Event struct {
	Seq         int64           `json:"seq,omitempty" doc:"Place in the whole log, from 1 and without gaps; absent in the milliseconds before it has one." example:"1042"`
	ID          string          `json:"id" doc:"Id of the event, unique in the whole log." example:"019a9f02-6b10-7a2b-9c3d-4e5f60718293"`
	Type        string          `json:"type" doc:"What happened." example:"command.completed"`
	Time        time.Time       `json:"time" doc:"When the log recorded it." example:"2026-11-21T09:30:02.318406Z"`
	Stream      string          `json:"stream" doc:"Stream that it belongs to: one a command, a session, an account and a site." example:"command/019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Version     int64           `json:"version" doc:"Place in its stream, from 1." example:"4"`
	Integration string          `json:"integration" doc:"Integration that it belongs to." example:"marketplace"`
	Operation   string          `json:"operation,omitempty" doc:"Operation that it belongs to; absent where it belongs to none." example:"buy-now"`
	CommandID   string          `json:"commandId,omitempty" doc:"Command that caused it." example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	CallerID    string          `json:"callerId,omitempty" doc:"Caller on whose behalf it happened." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	AccountID   string          `json:"accountId,omitempty" doc:"Account that it concerns." example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	Data        json.RawMessage `json:"data,omitempty" doc:"What the event tells, by its type. A value {\"sealed\": …} is personal data under the account's key; {\"erased\": true} stands where that key is destroyed. Absent where dataLeftOut is true." example:"{\"outcome\":\"succeeded\",\"result\":{\"orderId\":{\"sealed\":\"AdS4fPk0…\"}},\"durationMs\":1734}"`
	DataLeftOut bool            `json:"dataLeftOut,omitempty" doc:"Whether data is left out: it does not fit in one answer, or somebody has damaged it and it is no JSON. igw events list shows it." example:"false"`
	PrevHash    string          `json:"prevHash,omitempty" doc:"Hash of the stream's event before, in hexadecimal; absent for the first." example:"8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"`
	Hash        string          `json:"hash" doc:"SHA-256 over the event, in hexadecimal." example:"5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"`
}
