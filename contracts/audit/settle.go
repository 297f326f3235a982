package audit

import (
	"time"
	"unicode/utf8"

	"integration.gateway/contracts"
)

// settleTimeout is the time that a site's reconcile flow has.
const settleTimeout = 90 * time.Second

// Settle returns the operation by which the service of an integration settles
// one of its commands in doubt: as a person says, or by the site's reconcile
// flow. It has no route; the audit service calls it.
//
// Errors: NotFound when there is no such command; Invalid when it is not in
// doubt, nor one whose effect can still be found, or when nobody says what happened and the site has no reconcile flow
// for it; Unavailable when that flow could not find out, or found nothing so
// soon that the application may still be at work.
func Settle(integration string) contracts.Operation[SettleRequest, Settlement] {
	return contracts.Operation[SettleRequest, Settlement]{
		Integration: integration,
		Name:        "settle-command",
		Summary:     "Settle a command in doubt",
		Access:      contracts.Internal,
		Timeout:     settleTimeout,
	}
}

// maxNote bounds what a person says about a command, in bytes.
const maxNote = 2000

// SettleRequest names a command in doubt.
type SettleRequest struct {
	CommandID string `json:"commandId" doc:"Id of the command." maxLength:"36"`
	Applied   *bool  `json:"applied,omitempty" doc:"What a person found out; absent to have the site's reconcile flow look."`
	Note      string `json:"note,omitempty" doc:"How that person found out; kept sealed as the evidence." maxLength:"2000" sensitive:"true"`
}

// Validate returns an error of kind Invalid when there is a note but nothing
// that it is about, or it is too long.
func (r *SettleRequest) Validate() error {
	return checkNote("note", "applied", r.Note, r.Applied)
}

// checkNote checks what a person says, by the names of the two fields.
func checkNote(noteName, appliedName, note string, applied *bool) error {
	switch {
	case note != "" && applied == nil:
		return contracts.Errorf(contracts.Invalid, "%s says how %s was found out; give %s too", noteName, appliedName, appliedName)
	case len(note) > maxNote || !utf8.ValidString(note):
		return contracts.Errorf(contracts.Invalid, "%s must be UTF-8 of at most %d bytes", noteName, maxNote)
	}
	return nil
}

// Settlement is what became of a command in doubt.
type Settlement struct {
	Applied bool `json:"applied" doc:"Whether the effect happened."`
}
