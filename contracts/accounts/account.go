package accounts

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// Account is a linked account as it may be shown: without credentials and
// without its token.
type Account struct {
	AccountID   string     `json:"accountId" doc:"Id of the account." example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
	CallerID    string     `json:"callerId" doc:"Caller that may act on the account." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Integration string     `json:"integration" doc:"Integration that the account belongs to." example:"marketplace"`
	Site        string     `json:"site,omitempty" doc:"Site of the integration that the account is at; absent: the integration's default site." example:"sandbox"`
	Label       string     `json:"label,omitempty" doc:"What tells this account from others; absent once it is erased." example:"pilot customer 7"`
	LinkedAt    time.Time  `json:"linkedAt" doc:"When the account was linked." example:"2026-11-21T09:30:00Z"`
	UnlinkedAt  *time.Time `json:"unlinkedAt,omitempty" doc:"When the account was unlinked; absent while it is linked." example:"2026-12-01T12:00:00Z"`
	ErasedAt    *time.Time `json:"erasedAt,omitempty" doc:"When the account's key was destroyed; absent before." example:"2027-01-15T08:00:00Z"`
}

// ListAccounts lists linked accounts.
var ListAccounts = contracts.Operation[ListAccountsRequest, Accounts]{
	Integration: integration,
	Name:        "list-accounts",
	Method:      http.MethodGet,
	Path:        "/admin/v1/accounts",
	Summary:     "List accounts",
	Description: "Lists the accounts that are linked now, in the order in which they were linked.",
	Access:      contracts.AdminToken,
}

// ListAccountsRequest says which accounts to list.
type ListAccountsRequest struct {
	CallerID    string `query:"callerId" json:"callerId,omitempty" doc:"Lists only this caller's accounts." maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Integration string `query:"integration" json:"integration,omitempty" doc:"Lists only accounts of this integration." maxLength:"100" example:"marketplace"`
	Page
}

// Accounts is a part of the list of linked accounts.
type Accounts struct {
	Accounts []Account `json:"accounts" nullable:"false" doc:"Linked accounts in the order in which they were linked."`
	Next     string    `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end." example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
}

// GetAccount returns one account.
var GetAccount = contracts.Operation[AccountRequest, Account]{
	Integration: integration,
	Name:        "get-account",
	Method:      http.MethodGet,
	Path:        "/admin/v1/accounts/{accountId}",
	Summary:     "Get an account",
	Description: "Returns one account, also when it is unlinked or erased by now.",
	Access:      contracts.AdminToken,
}

// AccountRequest names one account.
type AccountRequest struct {
	AccountID string `path:"accountId" json:"accountId" doc:"Id of the account." maxLength:"36" example:"019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"`
}

// ReissueAccountToken replaces an account's token.
var ReissueAccountToken = contracts.Operation[AccountRequest, LinkedAccount]{
	Integration: integration,
	Name:        "reissue-account-token",
	Method:      http.MethodPost,
	Path:        "/admin/v1/accounts/{accountId}/token",
	Summary:     "Replace an account's token",
	Description: "Makes a new account token and shows it this once. The one before it stops working at once, at every instance.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// RetrySignIn allows a sign-in that is kept back.
var RetrySignIn = contracts.Operation[AccountRequest, Account]{
	Integration: integration,
	Name:        "retry-sign-in",
	Method:      http.MethodPost,
	Path:        "/admin/v1/accounts/{accountId}/sign-in",
	Summary:     "Try a refused password again",
	Description: "Has the account's next sign-in try its password once more, though the application has refused it: the end user was unlocked there, say. It is tried by the next operation that finds the account signed out.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// UnlinkAccount ends a linked account.
var UnlinkAccount = contracts.Operation[AccountRequest, Account]{
	Integration: integration,
	Name:        "unlink-account",
	Method:      http.MethodDelete,
	Path:        "/admin/v1/accounts/{accountId}",
	Summary:     "Unlink an account",
	Description: "Ends the account's token at once, at every instance, and deletes its credentials and everything kept of its signed-in browser. The record of what was done on the account stays. Unlinking it again changes nothing.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}
