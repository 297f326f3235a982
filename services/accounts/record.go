package accounts

import (
	"context"
	"slices"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/account"
	"integration.gateway/pkg/bus"
)

// record sees to it that the account's stream holds p's event, once. The
// unlinking of an account that was never recorded as linked is not recorded.
func (s *Service) record(ctx context.Context, a accounts.Account, p event.Payload) error {
	e, err := event.New(p)
	if err != nil {
		return err
	}
	e.Integration, e.Caller, e.Account = a.Integration, a.CallerID, a.AccountID
	e.Command = bus.IdentityFrom(ctx).CommandID
	return account.Record(ctx, s.log, e, func(past []event.Event) bool {
		recorded := slices.ContainsFunc(past, func(p event.Event) bool { return p.Type == e.Type })
		return recorded || len(past) == 0 && e.Type == event.TypeAccountUnlinked
	})
}
