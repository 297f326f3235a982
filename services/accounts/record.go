package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
)

// recordAttempts bounds how often an append is tried again because another
// process has added to the account's stream.
const recordAttempts = 10

// record sees to it that the account's stream holds p's event, once. The
// unlinking of an account that was never recorded as linked is not recorded.
func (s *Service) record(ctx context.Context, a accounts.Account, p event.Payload) error {
	e, err := event.New(p)
	if err != nil {
		return err
	}
	e.Integration, e.Caller, e.Account = a.Integration, a.CallerID, a.AccountID
	e.Command = bus.IdentityFrom(ctx).CommandID
	stream := event.AccountStream(a.AccountID)
	for range recordAttempts {
		var past []event.Event
		if past, err = s.log.Stream(ctx, stream); err != nil {
			return fmt.Errorf("record %s: %w", e.Type, err)
		}
		recorded := slices.ContainsFunc(past, func(p event.Event) bool { return p.Type == e.Type })
		if recorded || len(past) == 0 && e.Type == event.TypeAccountUnlinked {
			return nil
		}
		if _, err = s.log.Append(ctx, stream, int64(len(past)), e); !errors.Is(err, eventlog.ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Type, err)
	}
	return nil
}
