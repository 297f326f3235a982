package integration

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/flow"
)

// recordLimit bounds the recording of an account's event, which a command
// waits for. It does not end with the command: its caller may hang up.
const recordLimit = 2 * time.Second

// refused records that the application refused the account's credentials, if
// that is what ended a flow. The first refusal is recorded, until a sign-in
// works again: the commands in between tell the rest.
func (a *signedInAccount) refused(ctx context.Context, err error) {
	var failure *flow.Failure
	if !errors.As(err, &failure) || !failure.SignIn {
		return
	}
	a.record(ctx, event.AccountNeedsSignIn{
		Site:    a.site.Name,
		Message: "the application refused to sign in with the stored credentials",
		Quote:   a.quote(ctx, failure),
	}, needsSignIn)
}

// needsSignIn says whether the application refused an account's credentials
// when they were last used.
func needsSignIn(last event.Event) (bool, error) {
	return last.Type == event.TypeAccountNeedsSignIn, nil
}

// quote seals the application's own words. Words that cannot be sealed, since
// the account was erased meanwhile, are left out.
func (a *signedInAccount) quote(ctx context.Context, failure *flow.Failure) json.RawMessage {
	if !failure.Quotes {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	quote, err := a.player.vault.SealValue(ctx, a.id.AccountID, failure.Message)
	if err != nil {
		return nil
	}
	return quote
}

// record adds an event to the account's stream. The command does not depend on
// it: a failure is logged, and the command goes on.
func (a *signedInAccount) record(ctx context.Context, p event.Payload, unless func(last event.Event) (bool, error)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	e, err := event.New(p)
	if err == nil {
		e.Integration, e.Command = a.site.Integration, a.id.CommandID
		e.Caller, e.Account = a.id.CallerID, a.id.AccountID
		err = account.Record(ctx, a.player.log, e, unless)
	}
	if err != nil {
		a.player.logger.Error("an event of an account was not recorded", "type", p.EventType(), "account", a.id.AccountID, "command", a.id.CommandID, "error", err)
	}
}
