package accounts

import (
	"context"
	"fmt"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
)

// UnlinkAccount ends an account. With the first statement its token works no
// more; the rest may fail or be cut short and is then finished by the same
// request sent again, or by Settle.
//
// The account's key stays in the vault, so that what was done on the account
// can still be read in the event log; erasing the account destroys the key.
func (s *Service) UnlinkAccount(ctx context.Context, req *accounts.AccountRequest) (*accounts.Account, error) {
	a, err := s.accountRow(ctx, req.AccountID, `
		update accounts set unlinked_at = coalesce(unlinked_at, now()), token_hash = null
		where id = $1 and recorded <> 'nothing' returning `+shown)
	if err != nil {
		return nil, err
	}
	defer s.tellGrantsEnded(ctx) // the log tells why by then, unless that failed
	if err := s.finishUnlink(ctx, *a); err != nil {
		return nil, &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the account's token works no more, but unlinking is not finished",
			RetryAfter: time.Second,
			Err:        err,
		}
	}
	return a, nil
}

// finishUnlink does what is left to do for an account whose token works no
// more. Doing it twice does no harm.
func (s *Service) finishUnlink(ctx context.Context, a accounts.Account) error {
	if err := s.vault.CloseAccount(ctx, a.AccountID); err != nil {
		return err
	}
	if err := s.record(ctx, a, event.AccountUnlinked{}); err != nil {
		return err
	}
	return s.recorded(ctx, a, "unlinked")
}

// recorded notes how far the event log tells an account's story. An erased
// account's story is at its end, whatever is finished late.
func (s *Service) recorded(ctx context.Context, a accounts.Account, how string) error {
	_, err := s.pool.Exec(ctx, `update accounts set recorded = $2 where id = $1 and recorded <> 'erased'`, a.AccountID, how)
	if err != nil {
		return fmt.Errorf("account %s: %w", a.AccountID, err)
	}
	return nil
}
