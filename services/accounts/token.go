package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

// The prefixes of tokens let people and secret scanners tell what they found.
const (
	accessTokenPrefix  = "igw_at_"
	accountTokenPrefix = "igw_acc_"
)

// newToken returns a token with 256 random bits, and its hash as it is stored.
func newToken(prefix string) (token string, hash []byte) {
	random := make([]byte, 32)
	rand.Read(random) // never fails: crypto/rand
	token = prefix + base64.RawURLEncoding.EncodeToString(random)
	sum := sha256.Sum256([]byte(token))
	return token, sum[:]
}

// IssueToken makes a new access token of a caller. The token leaves the
// process in this answer and nowhere else.
func (s *Service) IssueToken(ctx context.Context, req *accounts.IssueTokenRequest) (*accounts.IssuedToken, error) {
	if err := checkText("label", req.Body.Label); err != nil {
		return nil, err
	}
	if err := s.callerExists(ctx, req.CallerID, contracts.NotFound); err != nil {
		return nil, err
	}
	token, hash := newToken(accessTokenPrefix)
	rows, err := s.pool.Query(ctx, `
		insert into access_tokens (id, caller, hash, label) values ($1, $2, $3, $4)
		returning id, caller, label, created_at, revoked_at`, newID(), req.CallerID, hash, req.Body.Label)
	if err != nil {
		return nil, fmt.Errorf("issue an access token: %w", err)
	}
	issued, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if err != nil {
		return nil, fmt.Errorf("issue an access token: %w", err)
	}
	s.logger.InfoContext(ctx, "access token issued", "caller", issued.CallerID, "token", issued.TokenID)
	return &accounts.IssuedToken{Token: issued, AccessToken: token}, nil
}

// ListTokens lists a caller's access tokens.
func (s *Service) ListTokens(ctx context.Context, req *accounts.ListTokensRequest) (*accounts.Tokens, error) {
	if err := s.callerExists(ctx, req.CallerID, contracts.NotFound); err != nil {
		return nil, err
	}
	tokens, next, err := list(ctx, s.pool, req.Page, scanToken,
		func(t accounts.Token) string { return t.TokenID }, `
		select id, caller, label, created_at, revoked_at from access_tokens
		where id > $1 and caller = $3 order by id limit $2`, req.CallerID)
	if err != nil {
		return nil, err
	}
	return &accounts.Tokens{Tokens: tokens, Next: next}, nil
}

// RevokeToken ends an access token with the commit of its one statement.
func (s *Service) RevokeToken(ctx context.Context, req *accounts.RevokeTokenRequest) (*accounts.Token, error) {
	missing := contracts.Errorf(contracts.NotFound, "the caller has no such access token")
	if !isID(req.CallerID) || !isID(req.TokenID) {
		return nil, missing
	}
	rows, err := s.pool.Query(ctx, `
		update access_tokens set revoked_at = coalesce(revoked_at, now())
		where id = $1 and caller = $2
		returning id, caller, label, created_at, revoked_at`, req.TokenID, req.CallerID)
	if err != nil {
		return nil, fmt.Errorf("revoke an access token: %w", err)
	}
	token, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing
	}
	if err != nil {
		return nil, fmt.Errorf("revoke an access token: %w", err)
	}
	s.tellGrantsEnded(ctx)
	s.logger.InfoContext(ctx, "access token revoked", "caller", token.CallerID, "token", token.TokenID)
	return &token, nil
}

func scanToken(row pgx.CollectableRow) (accounts.Token, error) {
	var t accounts.Token
	err := row.Scan(&t.TokenID, &t.CallerID, &t.Label, &t.CreatedAt, &t.RevokedAt)
	t.CreatedAt, t.RevokedAt = t.CreatedAt.UTC(), utc(t.RevokedAt)
	return t, err
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
