package accounts

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

// maxGrants is how many grants one request may hold, as its contract says.
const maxGrants = 1000

// grantText makes a grant of an access token t and an account a, in SQL: their
// ids, and a fingerprint of the account token, by which its replacement shows.
// The fingerprint is a hash of the token's hash, so that it opens nothing.
const grantText = `t.id || '.' || a.id || '.' || left(encode(sha256(a.token_hash), 'hex'), 32)`

// CheckGrants tells which grants have ended, in one statement. A text that was
// never a grant has ended too.
func (s *Service) CheckGrants(ctx context.Context, req *accounts.CheckGrantsRequest) (*accounts.EndedGrants, error) {
	if len(req.Grants) > maxGrants {
		return nil, contracts.Errorf(contracts.Invalid, "grants: at most %d can be checked at once", maxGrants)
	}
	res := &accounts.EndedGrants{Ended: []string{}}
	grants := make([]string, 0, len(req.Grants))
	for _, grant := range req.Grants {
		if !utf8.ValidString(grant) || strings.ContainsRune(grant, 0) { // the database cannot hold it
			res.Ended = append(res.Ended, grant)
			continue
		}
		grants = append(grants, grant)
	}
	rows, err := s.pool.Query(ctx, `
		select g.text from unnest($1::text[]) as g (text) where not exists (
			select from access_tokens t join accounts a on a.caller = t.caller
			where t.id = split_part(g.text, '.', 1) and a.id = split_part(g.text, '.', 2) and `+grantText+` = g.text
				and t.revoked_at is null and a.unlinked_at is null and a.recorded = 'linked')`, grants)
	if err != nil {
		return nil, fmt.Errorf("check grants: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("check grants: %w", err)
	}
	res.Ended = append(res.Ended, ended...)
	return res, nil
}

// tellGrantsEnded tells whoever acts on grants to check them now. Nothing is
// lost with the message: they check them from time to time anyway.
func (s *Service) tellGrantsEnded(ctx context.Context) {
	if err := s.nats.Publish(accounts.GrantsSubject, nil); err != nil {
		s.logger.WarnContext(ctx, "the end of a grant could not be told; it is found at the next check", "error", err)
	}
}
