package accounts

import (
	"context"

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
	return account.Record(ctx, s.log, e, func(last event.Event) (bool, error) {
		if last.Version == 0 {
			return e.Type == event.TypeAccountUnlinked, nil
		}
		return s.log.Has(ctx, last.Stream, e.Type)
	})
}
