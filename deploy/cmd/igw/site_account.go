package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/vault"
)

// siteAccount says for whom flows are played: a linked account, or one that is
// tried before it is linked. Without either they are played as a guest.
type siteAccount struct {
	Account  string `xor:"who" placeholder:"ID" help:"A linked account: its credentials come from the vault (needs VAULT_DATABASE_URL and VAULT_KEEPER_URL)."`
	Username string `xor:"who" placeholder:"NAME" help:"An account that need not be linked: the name to sign in with."`
	credentialFlags
}

func (a siteAccount) given() bool { return a.Account != "" || a.Username != "" }

// open returns the account to play for, nil for a guest. Its secrets are read
// here and kept in memory until the command ends.
func (a siteAccount) open(ctx context.Context, con *console, site *flow.Site) (*flow.Account, error) {
	var credentials flow.Credentials
	var err error
	switch {
	case !a.given() && a.credentialFlags != credentialFlags{}:
		return nil, errors.New("a password needs --username, too")
	case !a.given():
		return nil, nil
	case !site.CanSignIn():
		return nil, fmt.Errorf("the site %s has no signIn in its site.yaml, so no account can be signed in", site.Name)
	case a.Account != "":
		credentials, err = a.linked(ctx, con, site)
	default:
		credentials.Username = a.Username
		credentials.Password, credentials.OneTimeSecret, err = a.read(ctx, con)
	}
	if err != nil {
		return nil, err
	}
	account := &flow.Account{Credentials: func(context.Context) (flow.Credentials, error) { return credentials, nil }}
	account.Proven = func(at time.Time, session map[string]any) {
		if account.ProvenAt = at; session != nil {
			account.Session = session
		}
	}
	return account, nil
}

// vaultSettings say where the vault is, which keeps what accounts sign in with.
type vaultSettings struct {
	URL      string `env:"VAULT_DATABASE_URL"`
	Database string `env:"DATABASE_URL"` // where the vault is by default
	Keeper   string `env:"VAULT_KEEPER_URL"`
}

// linked reads a linked account's credentials from the vault.
func (a siteAccount) linked(ctx context.Context, con *console, site *flow.Site) (flow.Credentials, error) {
	where, err := settings.FromMap[vaultSettings](con.vars)
	if err != nil {
		return flow.Credentials{}, err
	}
	if where.URL == "" {
		where.URL = where.Database
	}
	if where.URL == "" || where.Keeper == "" {
		return flow.Credentials{}, errors.New("--account needs VAULT_KEEPER_URL, and VAULT_DATABASE_URL or DATABASE_URL; " +
			"--username with a password needs neither")
	}
	pool, err := openPool(ctx, "VAULT_DATABASE_URL", where.URL)
	if err != nil {
		return flow.Credentials{}, err
	}
	defer pool.Close()
	v, err := vault.Open(ctx, pool, where.Keeper)
	if err != nil {
		return flow.Credentials{}, err
	}
	defer func() { _ = v.Close() }() // what is needed has been read
	kept, err := credentialsOf(ctx, v, a.Account)
	if err == nil && kept.Site != "" && kept.Site != site.Name {
		err = fmt.Errorf("account %s is linked to the site %q: its password is not typed into %q", a.Account, kept.Site, site.Name)
	}
	return flow.Credentials{Username: kept.Username, Password: kept.Password, OneTimeSecret: kept.OneTimeSecret}, err
}

func credentialsOf(ctx context.Context, v *vault.Vault, account string) (accounts.Credentials, error) {
	var kept accounts.Credentials
	sealed, err := v.Get(ctx, account, accounts.CredentialsName)
	switch {
	case errors.Is(err, vault.ErrNotFound):
		return kept, fmt.Errorf("the vault has no credentials of account %q: is it linked? (see igw account list)", account)
	case errors.Is(err, vault.ErrClosed), errors.Is(err, vault.ErrErased):
		return kept, fmt.Errorf("account %s is unlinked or erased, so its credentials are gone", account)
	case err != nil:
		return kept, fmt.Errorf("read the credentials of account %s: %w", account, err)
	}
	if json.Unmarshal(sealed, &kept) != nil { // its text may quote what it read
		return kept, fmt.Errorf("the credentials of account %s are not what a vault keeps", account)
	}
	return kept, nil
}
