package accounts

import (
	"context"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
)

// EraseAccount ends an account and destroys its key. With the first statement
// the account is unlinked, its label is gone and it stands there that it is to
// be erased; the rest may fail or be cut short and is then finished by the same
// request sent again, or by Settle.
func (s *Service) EraseAccount(ctx context.Context, req *accounts.AccountRequest) (*accounts.Account, error) {
	a, err := s.accountRow(ctx, req.AccountID, `
		update accounts set erased_at = coalesce(erased_at, now()), unlinked_at = coalesce(unlinked_at, now()), token_hash = null, label = ''
		where id = $1 and recorded <> 'nothing' returning `+shown)
	if err != nil {
		return nil, err
	}
	defer s.tellGrantsEnded(ctx) // the log tells why by then, unless that failed
	if err := s.finishErase(ctx, *a); err != nil {
		return nil, &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the account's token works no more, but erasing is not finished",
			RetryAfter: time.Second,
			Err:        err,
		}
	}
	s.logger.InfoContext(ctx, "account erased", "account", a.AccountID)
	return a, nil
}

// finishErase does what is left to do for an account that is to be erased.
// Doing it twice does no harm. The key goes first: that does not wait for the
// event log.
func (s *Service) finishErase(ctx context.Context, a accounts.Account) error {
	if err := s.vault.Erase(ctx, a.AccountID); err != nil {
		return err
	}
	if err := s.finishUnlink(ctx, a); err != nil {
		return err
	}
	if err := s.record(ctx, a, event.AccountErased{}); err != nil {
		return err
	}
	return s.recorded(ctx, a, "erased")
}
