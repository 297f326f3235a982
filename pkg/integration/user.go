package integration

import (
	"context"
	"strings"

	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/flow"
)

// userOfCommand is userOf for the command of ctx. Where its site is not
// installed, nothing will be done there, and it is empty.
func (p *Player) userOfCommand(ctx context.Context) (string, error) {
	site, err := siteFrom(ctx)
	if err != nil {
		return "", nil //nolint:nilerr // the command's end tells it
	}
	return p.userOf(ctx, site, bus.IdentityFrom(ctx).AccountID)
}

// userOf returns who an account signs in as at its site, as a fingerprint: the
// same for all accounts that are linked with one user name there. It is empty
// for no account. What applications make of case and space differs, so both are
// left aside: two users who share a fingerprint wait for each other, and no more.
func (p *Player) userOf(ctx context.Context, site *flow.Site, account string) (string, error) {
	if account == "" {
		return "", nil
	}
	c, err := p.credentialsOf(ctx, account)
	if err != nil {
		return "", err
	}
	return p.userWith(ctx, site, c)
}

// userWith is userOf for the account's credentials.
func (p *Player) userWith(ctx context.Context, site *flow.Site, c flow.Credentials) (string, error) {
	return p.vault.Fingerprint(ctx, "user", site.Integration, site.Name, strings.ToLower(strings.TrimSpace(c.Username)))
}
