package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

// Authorize decides whose tokens these are, in one statement: what it reads is
// what the database holds at this moment.
func (s *Service) Authorize(ctx context.Context, req *accounts.AuthorizeRequest) (*accounts.Authorization, error) {
	accessHash, ok := decodeHash(req.AccessTokenHash)
	if !ok {
		return nil, errAccessToken
	}
	switch {
	case req.AccountTokenHash == "" && req.CallerAlone:
		caller, _, err := s.matches(ctx, callerAlone, accessHash)
		if err != nil {
			return nil, err
		}
		return &accounts.Authorization{CallerID: caller}, nil
	case req.AccountTokenHash == "":
		return s.authorizeSole(ctx, req, accessHash)
	}
	accountHash, ok := decodeHash(req.AccountTokenHash)
	if !ok {
		accountHash = []byte{} // matches no account
	}
	caller, found, err := s.matches(ctx, chosenAccount, accessHash, req.Integration, accountHash, req.CallerAlone)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errAccountToken
	}
	return found[0].of(caller), nil
}

// authorizeSole answers a call without an account token.
func (s *Service) authorizeSole(ctx context.Context, req *accounts.AuthorizeRequest, accessHash []byte) (*accounts.Authorization, error) {
	caller, found, err := s.matches(ctx, allAccounts, accessHash, req.Integration)
	switch {
	case err != nil:
		return nil, err
	case !req.SoleAccount:
		return nil, contracts.Errorf(contracts.Invalid, "the header %s is missing", contracts.AccountTokenHeader)
	case len(found) == 0:
		return nil, contracts.Errorf(contracts.Invalid, "no account of %s is linked for this caller; one must be linked first", req.Integration)
	case len(found) > 1:
		return nil, contracts.Errorf(contracts.Invalid, "several accounts of %s are linked for this caller; choose one with the header %s",
			req.Integration, contracts.AccountTokenHeader)
	}
	return found[0].of(caller), nil
}

// The errors about tokens. What is wrong with an account token stays untold,
// so that nobody learns from the answer which tokens exist.
var (
	errAccessToken  = contracts.Errorf(contracts.Unauthorized, "the access token is unknown or revoked")
	errAccountToken = contracts.Errorf(contracts.Unauthorized, "the account token is not valid for this caller and integration")
)

// The accounts of an access token's owner: at one integration, or the one with
// a token, at any if $4. There is a row, without an account, also when no
// account matches.
const (
	callerAlone   = `select t.caller, null as id, null as site, null as granted from access_tokens t where t.hash = $1 and t.revoked_at is null`
	chosenAccount = `
		select t.caller, a.id, a.site, ` + grantText + `
		from access_tokens t left join accounts a on a.caller = t.caller and (a.integration = $2 or $4)
			and a.token_hash = $3 and a.unlinked_at is null and a.recorded = 'linked'
		where t.hash = $1 and t.revoked_at is null`
	allAccounts = `
		select t.caller, a.id, a.site, ` + grantText + `
		from access_tokens t left join accounts a on a.caller = t.caller and a.integration = $2
			and a.unlinked_at is null and a.recorded = 'linked'
		where t.hash = $1 and t.revoked_at is null limit 2`
)

// match is an account that a token may act on.
type match struct{ account, site, grant string }

func (m match) of(caller string) *accounts.Authorization {
	return &accounts.Authorization{CallerID: caller, AccountID: m.account, Site: m.site, Grant: m.grant}
}

func (s *Service) matches(ctx context.Context, query string, args ...any) (caller string, found []match, err error) {
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return "", nil, fmt.Errorf("authorize: %w", err)
	}
	known := false
	var account, site, grant *string
	_, err = pgx.ForEachRow(rows, []any{&caller, &account, &site, &grant}, func() error {
		known = true
		if account != nil {
			found = append(found, match{*account, *site, *grant})
		}
		return nil
	})
	if err != nil {
		return "", nil, fmt.Errorf("authorize: %w", err)
	}
	if !known {
		return "", nil, errAccessToken
	}
	return caller, found, nil
}

func decodeHash(text string) ([]byte, bool) {
	hash, err := hex.DecodeString(text)
	return hash, err == nil && len(hash) == sha256.Size
}
