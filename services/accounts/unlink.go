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
	s.logger.Info("account unlinked", "account", a.AccountID, "caller", a.CallerID, "integration", a.Integration)
	return a, nil
}

// finishUnlink does what is left to do for an account whose token works no
// more. Doing it twice does no harm.
func (s *Service) finishUnlink(ctx context.Context, a accounts.Account) error {
	if err := s.vault.Forget(ctx, a.AccountID); err != nil {
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
	// settleEvery is the time between two rounds of Settle.
	settleEvery = 5 * time.Minute
	// settleLimit bounds one round.
	settleLimit = time.Minute
	// A link that is older than this is not under way any more: it is well
	// above the time limit of the operation.
	linkUnderWay = 5 * time.Minute
	// A command that was under way when its account was unlinked may still put
	// the state of its browser into the vault for as long as this.
	commandUnderWay = time.Hour
)

// Run settles what earlier crashes left, now and then every few minutes, until
// ctx ends. Any number of instances may run it.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(settleEvery)
	defer ticker.Stop()
	for {
		if err := s.Settle(ctx); err != nil && ctx.Err() == nil {
			s.logger.Error("accounts are left unsettled; the next round tries again", "error", err)
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
// It also deletes what a command put into the vault after the unlink.
func (s *Service) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	rows, err := s.pool.Query(ctx, `
		update accounts set unlinked_at = coalesce(unlinked_at, now()), token_hash = null
		where recorded = 'nothing' and linked_at < now() - $1::interval
			or unlinked_at is not null and (recorded <> 'unlinked' or unlinked_at > now() - $2::interval)
		returning `+shown, linkUnderWay, commandUnderWay)
	if err != nil {
		return fmt.Errorf("find unsettled accounts: %w", err)
	}
	unsettled, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return fmt.Errorf("find unsettled accounts: %w", err)
	}
	var failures []error
	for _, a := range unsettled {
		failures = append(failures, s.finishUnlink(ctx, a))
	}
	return errors.Join(failures...)
}
