package accounts

import (
	"time"

	"integration.gateway/contracts"
)

// Authorize tells the gateway whose tokens these are. It has no route: only
// the gateway asks, once for each call, and keeps no answer, so that a token
// that is revoked stops working with the next call.
//
// Errors: Unauthorized for an access token that is unknown or revoked, and,
// with one message for all four, for an account token that is unknown, revoked,
// of another caller or of another integration. Invalid when the account token
// is missing, is needed, and the caller does not have exactly one account to
// choose from.
var Authorize = contracts.Operation[AuthorizeRequest, Authorization]{
	Integration: integration,
	Name:        "authorize",
	Summary:     "Authorize a call",
	Access:      contracts.Internal,
	Timeout:     5 * time.Second,
}

// AuthorizeRequest holds the hashes of a call's tokens, each made with
// HashToken: the tokens themselves never cross the bus.
type AuthorizeRequest struct {
	Integration      string `json:"integration" doc:"Integration that is called." example:"marketplace"`
	AccessTokenHash  string `json:"accessTokenHash" doc:"Hash of the access token."`
	AccountTokenHash string `json:"accountTokenHash,omitempty" doc:"Hash of the account token; absent when none was given."`
	SoleAccount      bool   `json:"soleAccount,omitempty" doc:"Whether the account token may be left out by a caller that has one account of the integration and no more."`
	CallerAlone      bool   `json:"callerAlone,omitempty" doc:"Whether the caller is all that is needed: the account token may be left out, or be that of any of the caller's accounts, whatever its integration."`
}

// Authorization says on whose behalf a call is made.
type Authorization struct {
	CallerID  string `json:"callerId" doc:"Owner of the access token."`
	AccountID string `json:"accountId,omitempty" doc:"Linked account that is acted on; absent where none was needed and none was named."`
	Site      string `json:"site,omitempty" doc:"Site that this account is at; absent: the integration's default site."`
}
