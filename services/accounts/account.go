package accounts

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/signin"
)

// shown are the columns that scanAccount takes.
const shown = `id, caller, integration, site, label, linked_at, unlinked_at, erased_at`

var errNoAccount = contracts.Errorf(contracts.NotFound, "there is no such account")

// ListAccounts lists the accounts that are linked now.
func (s *Service) ListAccounts(ctx context.Context, req *accounts.ListAccountsRequest) (*accounts.Accounts, error) {
	if req.CallerID != "" {
		if err := s.callerExists(ctx, req.CallerID, contracts.Invalid); err != nil {
			return nil, err
		}
	}
	if req.Integration != "" {
		if err := s.checkIntegration("query.integration", req.Integration); err != nil {
			return nil, err
		}
	}
	found, next, err := list(ctx, s.pool, req.Page, scanAccount,
		func(a accounts.Account) string { return a.AccountID }, `
		select `+shown+` from accounts
		where id > $1 and unlinked_at is null and recorded = 'linked'
			and ($3 = '' or caller = $3) and ($4 = '' or integration = $4)
		order by id limit $2`, req.CallerID, req.Integration)
	if err != nil {
		return nil, err
	}
	return &accounts.Accounts{Accounts: found, Next: next}, nil
}

// GetAccount returns one account, also an unlinked or an erased one.
func (s *Service) GetAccount(ctx context.Context, req *accounts.AccountRequest) (*accounts.Account, error) {
	return s.accountRow(ctx, req.AccountID, `select `+shown+` from accounts where id = $1 and recorded <> 'nothing'`)
}

// ReissueAccountToken replaces an account's token in one statement: there is
// no moment at which both work.
func (s *Service) ReissueAccountToken(ctx context.Context, req *accounts.AccountRequest) (*accounts.LinkedAccount, error) {
	token, hash := newToken(accountTokenPrefix)
	account, err := s.accountRow(ctx, req.AccountID, `
		update accounts set token_hash = $2
		where id = $1 and unlinked_at is null and recorded = 'linked' returning `+shown, hash)
	if err != nil {
		return nil, err
	}
	s.tellGrantsEnded(ctx)
	s.logger.InfoContext(ctx, "account token replaced", "account", account.AccountID)
	return &accounts.LinkedAccount{Account: *account, AccountToken: token}, nil
}

// RetrySignIn has the account's next sign-in try a refused password once more.
func (s *Service) RetrySignIn(ctx context.Context, req *accounts.AccountRequest) (*accounts.Account, error) {
	account, err := s.accountRow(ctx, req.AccountID, `
		select `+shown+` from accounts where id = $1 and unlinked_at is null and recorded = 'linked'`)
	if err != nil {
		return nil, err
	}
	if err := signin.Retry(ctx, s.logPool, account.AccountID); err != nil {
		return nil, err
	}
	s.logger.InfoContext(ctx, "a refused password may be tried again", "account", account.AccountID)
	return account, nil
}

// accountRow runs a query that takes an account's id as $1 and returns the
// account, or errNoAccount.
func (s *Service) accountRow(ctx context.Context, id, query string, args ...any) (*accounts.Account, error) {
	if !isID(id) {
		return nil, errNoAccount
	}
	rows, err := s.pool.Query(ctx, query, append([]any{id}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", id, err)
	}
	account, err := pgx.CollectExactlyOneRow(rows, scanAccount)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoAccount
	}
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", id, err)
	}
	return &account, nil
}

func scanAccount(row pgx.CollectableRow) (accounts.Account, error) {
	var a accounts.Account
	err := row.Scan(&a.AccountID, &a.CallerID, &a.Integration, &a.Site, &a.Label, &a.LinkedAt, &a.UnlinkedAt, &a.ErasedAt)
	a.LinkedAt, a.UnlinkedAt, a.ErasedAt = a.LinkedAt.UTC(), utc(a.UnlinkedAt), utc(a.ErasedAt)
	return a, err
}
