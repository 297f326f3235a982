package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
	if err := s.finishUnlink(ctx, *a); err != nil {
		return nil, &contracts.Error{
			Kind:       contracts.Unavailable,
			Message:    "the account's token works no more, but unlinking is not finished; send the request again",
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
	if _, err := s.pool.Exec(ctx, `update accounts set recorded = 'unlinked' where id = $1`, a.AccountID); err != nil {
		return fmt.Errorf("account %s: %w", a.AccountID, err)
	}
	return nil
}

const (
	// A link that is older than this is not under way any more: it is well
	// above the time limit of the operation.
	linkUnderWay = 5 * time.Minute
	// settleEvery is the time between two rounds of Settle, settleLimit what one
	// may take.
	settleEvery = 5 * time.Minute
	settleLimit = time.Minute
	// abandonLimit bounds the clearing away after a link that failed.
	abandonLimit = 5 * time.Second
)

// Run settles at once and then every few minutes, until ctx ends. Any number of
// instances may run it.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(settleEvery)
	defer ticker.Stop()
	for {
		if err := s.Settle(ctx); err != nil && ctx.Err() == nil {
			s.logger.ErrorContext(ctx, "accounts are left unsettled; the next round tries again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Settle finishes links and unlinks that were cut short: an account that was
// never wholly linked is unlinked, and one that was not wholly unlinked is.
func (s *Service) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	return s.unlinkAll(ctx, `unlinked_at is null and recorded = 'nothing' and linked_at < now() - $1::interval
		or unlinked_at is not null and recorded <> 'unlinked'`, linkUnderWay)
}

// abandon clears away what a link that failed has left, also when the request
// has ended. What it cannot do now, Settle does later.
func (s *Service) abandon(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonLimit)
	defer cancel()
	return s.unlinkAll(ctx, `id = $1`, id)
}

// unlinkAll unlinks the accounts that a condition finds.
func (s *Service) unlinkAll(ctx context.Context, condition string, args ...any) error {
	rows, err := s.pool.Query(ctx, `
		update accounts set unlinked_at = coalesce(unlinked_at, now()), token_hash = null
		where `+condition+` returning `+shown, args...)
	if err != nil {
		return fmt.Errorf("find accounts to unlink: %w", err)
	}
	unsettled, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return fmt.Errorf("find accounts to unlink: %w", err)
	}
	var failures []error
	for _, a := range unsettled {
		failures = append(failures, s.finishUnlink(ctx, a))
	}
	return errors.Join(failures...)
}
