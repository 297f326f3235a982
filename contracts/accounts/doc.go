// Package accounts holds the contracts of the accounts service, which knows
// the callers, their access tokens and the accounts that end users have linked.
//
// An access token says which caller speaks; an account token selects one of the
// accounts linked for that caller. Tokens are random and shown once, when they
// are issued; the service keeps only their hashes.
package accounts

import "integration.gateway/contracts"

const integration = "accounts"

// Operations are the operations that have a route, all for the operator.
var Operations = []contracts.Entry{
	CreateCaller, ListCallers,
	IssueToken, ListTokens, RevokeToken,
	LinkAccount, ListAccounts, GetAccount, ReissueAccountToken, RetrySignIn, UnlinkAccount, EraseAccount,
}

// Page asks for a part of a list, which is in the order of creation.
type Page struct {
	After string `query:"after" json:"after,omitempty" doc:"Id of the last entry of the part before; leave out for the first part." maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Limit int    `query:"limit" json:"limit,omitempty" doc:"How many entries to return at most." minimum:"1" maximum:"500" default:"100" example:"100"`
}
