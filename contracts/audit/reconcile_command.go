package audit

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// ReconcileCommand settles a command in doubt by hand.
var ReconcileCommand = contracts.Operation[ReconcileCommandRequest, Command]{
	Integration: integration,
	Name:        "reconcile-command",
	Method:      http.MethodPost,
	Path:        "/admin/v1/commands/{commandId}/reconcile",
	Summary:     "Settle a command in doubt",
	Description: "Ends a command whose effect was started and nobody knows whether it happened (state effect-unknown), and returns it as it is then. " +
		"With an empty body, `{}`, the site's reconcile flow looks at the application now, as it otherwise does from time to time. " +
		"With `applied` a person says what happened: this is recorded as it is said, ends the command for ever, and lets further effects of its kind go on for that user at the site. " +
		"One that was found not to have been carried out (effectState reconciled-not-applied) is looked at again, or a person says that its effect has appeared after all. " +
		"Any other command is refused with 400.",
	Effect:  contracts.Record,
	Access:  contracts.AdminToken,
	Timeout: settleTimeout + 15*time.Second, // its service's answer may be late, and the log is read twice
}

// ReconcileCommandRequest names a command in doubt.
type ReconcileCommandRequest struct {
	CommandID string    `path:"commandId" json:"commandId" doc:"Id of the command." maxLength:"36" example:"019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70"`
	Body      Statement `json:"body"`
}

// Statement is what a person says became of a command's effect.
type Statement struct {
	Applied *bool  `json:"applied,omitempty" doc:"Whether the effect happened, as a person found out. When left out, the site's reconcile flow looks." example:"true"`
	Note    string `json:"note,omitempty" doc:"How that person found out; only with applied. It is kept in the log, sealed, as the evidence." maxLength:"2000" sensitive:"true" example:"The order is in the order history."`
}

// Validate returns an error of kind Invalid when there is a note but nothing
// that it is about, or it is too long.
func (r *ReconcileCommandRequest) Validate() error {
	return checkNote("body.note", "body.applied", r.Body.Note, r.Body.Applied)
}
