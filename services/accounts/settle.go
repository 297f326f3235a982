package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/accounts"
)

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

// Settle finishes what was cut short: an account that was never wholly linked
// is unlinked, one that was not wholly unlinked is, and one that was not wholly
// erased is.
func (s *Service) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	return errors.Join(
		s.unlinkAll(ctx, `unlinked_at is null and recorded = 'nothing' and linked_at < now() - $1::interval
			or unlinked_at is not null and erased_at is null and recorded <> 'unlinked'`, linkUnderWay),
		s.eraseAll(ctx),
	)
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
	return s.finishAll(ctx, s.finishUnlink, `
		update accounts set unlinked_at = coalesce(unlinked_at, now()), token_hash = null
		where `+condition+` returning `+shown, args...)
}

// eraseAll erases the accounts whose erasure was cut short.
func (s *Service) eraseAll(ctx context.Context) error {
	return s.finishAll(ctx, s.finishErase, `select `+shown+` from accounts where erased_at is not null and recorded <> 'erased'`)
}

// finishAll finishes each account that a query returns.
func (s *Service) finishAll(ctx context.Context, finish func(context.Context, accounts.Account) error, query string, args ...any) error {
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("find unsettled accounts: %w", err)
	}
	unsettled, err := pgx.CollectRows(rows, scanAccount)
	if err != nil {
		return fmt.Errorf("find unsettled accounts: %w", err)
	}
	var failures []error
	for _, a := range unsettled {
		failures = append(failures, finish(ctx, a))
	}
	return errors.Join(failures...)
}
