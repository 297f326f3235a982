package main

import (
	"context"
	"fmt"

	"integration.gateway/contracts/accounts"
)

type accountCommands struct {
	Link         accountLink         `cmd:"" help:"Link an end user's account; its token is shown this once."`
	List         accountList         `cmd:"" help:"List linked accounts."`
	Show         accountShow         `cmd:"" help:"Show one account."`
	ReissueToken accountReissueToken `cmd:"" help:"Replace an account's token; the new one is shown this once."`
	RetrySignIn  accountRetrySignIn  `cmd:"" help:"Have a password that the application refused tried once more."`
	Unlink       accountUnlink       `cmd:"" help:"Unlink an account: its token stops at once, its credentials are deleted."`
	Erase        accountErase        `cmd:"" help:"Destroy an account's key: its personal data in the event log becomes unreadable, for ever."`
}

type accountLink struct {
	Caller      string `required:"" help:"Id of the caller that may act on the account."`
	Integration string `required:"" help:"Integration that the account belongs to, such as marketplace."`
	Site        string `help:"Name of the site that the account is at. Default: the integration's default site."`
	Label       string `help:"What tells this account from others; do not name the end user."`
	Username    string `required:"" help:"Name that the end user signs in with."`
	credentialFlags
}

func (c *accountLink) Run(ctx context.Context, gateway *client, p *printer, con *console) error {
	password, oneTimeSecret, err := c.read(ctx, con)
	if err != nil {
		return err
	}
	linked, err := call(ctx, gateway, accounts.LinkAccount, &accounts.LinkAccountRequest{Body: accounts.NewAccount{
		CallerID: c.Caller, Integration: c.Integration, Site: c.Site, Label: c.Label,
		Username: c.Username, Password: password, OneTimeSecret: oneTimeSecret,
	}})
	if err != nil {
		return err
	}
	return printLinked(p, linked)
}

type accountList struct {
	Caller      string `help:"Only accounts of this caller."`
	Integration string `help:"Only accounts of this integration."`
}

func (c *accountList) Run(ctx context.Context, gateway *client, p *printer) error {
	found, err := all(func(page accounts.Page) ([]accounts.Account, string, error) {
		part, err := call(ctx, gateway, accounts.ListAccounts, &accounts.ListAccountsRequest{
			CallerID: c.Caller, Integration: c.Integration, Page: page,
		})
		if err != nil {
			return nil, "", err
		}
		return part.Accounts, part.Next, nil
	})
	if err != nil {
		return err
	}
	header := []string{"ACCOUNT", "INTEGRATION", "SITE", "LABEL", "CALLER", "LINKED"}
	return list(p, found, header, func(a accounts.Account) []string {
		return []string{a.AccountID, a.Integration, a.Site, a.Label, a.CallerID, when(&a.LinkedAt)}
	})
}

// accountID is the argument of the commands about one account.
type accountID struct {
	Account string `arg:"" help:"Id of the account."`
}

func (a accountID) request() *accounts.AccountRequest {
	return &accounts.AccountRequest{AccountID: a.Account}
}

type accountShow struct{ accountID }

func (c *accountShow) Run(ctx context.Context, gateway *client, p *printer) error {
	account, err := call(ctx, gateway, accounts.GetAccount, c.request())
	if err != nil {
		return err
	}
	return p.record(account, accountFields(*account)...)
}

type accountReissueToken struct{ accountID }

func (c *accountReissueToken) Run(ctx context.Context, gateway *client, p *printer) error {
	linked, err := call(ctx, gateway, accounts.ReissueAccountToken, c.request())
	if err != nil {
		return err
	}
	return printLinked(p, linked)
}

type accountRetrySignIn struct{ accountID }

func (c *accountRetrySignIn) Run(ctx context.Context, gateway *client, p *printer) error {
	account, err := call(ctx, gateway, accounts.RetrySignIn, c.request())
	if err != nil {
		return err
	}
	return p.record(account, accountFields(*account)...)
}

type accountUnlink struct{ accountID }

func (c *accountUnlink) Run(ctx context.Context, gateway *client, p *printer) error {
	account, err := call(ctx, gateway, accounts.UnlinkAccount, c.request())
	if err != nil {
		return err
	}
	return p.record(account, accountFields(*account)...)
}

type accountErase struct {
	accountID
	Yes bool `help:"Do not ask. Needed where there is no terminal to ask on."`
}

// erasure is what the operator is told before the answer is asked for.
const erasure = `This destroys the key of account %s, and cannot be undone:
- its token stops working, and its credentials are deleted, as with unlink;
- its personal data in the event log, in every copy of it, can be read no more;
- that it was there and which commands ran on it stays recorded, and every proof holds.
Backups of the vault's database hold the key until they are deleted.
`

func (c *accountErase) Run(ctx context.Context, gateway *client, p *printer, con *console) error {
	if !c.Yes {
		fmt.Fprintf(con.stderr, erasure, c.Account)
		if err := confirm(ctx, con, "erase"); err != nil {
			return err
		}
	}
	account, err := call(ctx, gateway, accounts.EraseAccount, c.request())
	if err != nil {
		return err
	}
	return p.record(account, accountFields(*account)...)
}

func printLinked(p *printer, linked *accounts.LinkedAccount) error {
	return p.record(linked, append(accountFields(linked.Account), "account token (shown this once)", linked.AccountToken)...)
}

func accountFields(a accounts.Account) []string {
	return []string{
		"account", a.AccountID, "integration", a.Integration, "site", a.Site, "label", a.Label,
		"caller", a.CallerID, "linked", when(&a.LinkedAt), "unlinked", when(a.UnlinkedAt), "erased", when(a.ErasedAt),
	}
}
