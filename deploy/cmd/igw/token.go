package main

import (
	"context"

	"integration.gateway/contracts/accounts"
)

type tokenCommands struct {
	Issue  tokenIssue  `cmd:"" help:"Issue an access token; it is shown this once."`
	List   tokenList   `cmd:"" help:"List a caller's access tokens."`
	Revoke tokenRevoke `cmd:"" help:"Revoke an access token, at once."`
}

type tokenIssue struct {
	Caller string `arg:"" help:"Id of the caller."`
	Label  string `help:"What tells this token from the caller's others."`
}

func (c *tokenIssue) Run(ctx context.Context, gateway *client, p *printer) error {
	token, err := call(ctx, gateway, accounts.IssueToken, &accounts.IssueTokenRequest{
		CallerID: c.Caller, Body: accounts.NewToken{Label: c.Label},
	})
	if err != nil {
		return err
	}
	return p.record(token, "token", token.TokenID, "caller", token.CallerID, "label", token.Label,
		"created", when(&token.CreatedAt), "access token (shown this once)", token.AccessToken)
}

type tokenList struct {
	Caller string `arg:"" help:"Id of the caller."`
}

func (c *tokenList) Run(ctx context.Context, gateway *client, p *printer) error {
	tokens, err := all(func(page accounts.Page) ([]accounts.Token, string, error) {
		part, err := call(ctx, gateway, accounts.ListTokens, &accounts.ListTokensRequest{CallerID: c.Caller, Page: page})
		if err != nil {
			return nil, "", err
		}
		return part.Tokens, part.Next, nil
	})
	if err != nil {
		return err
	}
	return list(p, tokens, []string{"TOKEN", "LABEL", "CREATED", "REVOKED"}, func(t accounts.Token) []string {
		return []string{t.TokenID, t.Label, when(&t.CreatedAt), when(t.RevokedAt)}
	})
}

type tokenRevoke struct {
	Caller string `arg:"" help:"Id of the caller."`
	Token  string `arg:"" help:"Id of the access token, as igw token list shows it."`
}

func (c *tokenRevoke) Run(ctx context.Context, gateway *client, p *printer) error {
	token, err := call(ctx, gateway, accounts.RevokeToken, &accounts.RevokeTokenRequest{CallerID: c.Caller, TokenID: c.Token})
	if err != nil {
		return err
	}
	return p.record(token, "token", token.TokenID, "caller", token.CallerID, "label", token.Label, "revoked", when(token.RevokedAt))
}
