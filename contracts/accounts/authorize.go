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
	Grant     string `json:"grant,omitempty" doc:"Names the tokens that the call came with, for CheckGrants; absent where no account was named. It is no secret."`
}

// CheckGrants tells which of the given grants have ended: the access token was
// revoked, the account token replaced, or the account unlinked or erased. It has
// no route: only services that act on for long ask, such as for a session, again
// and again while they do, and at once when GrantsSubject tells them to.
var CheckGrants = contracts.Operation[CheckGrantsRequest, EndedGrants]{
	Integration: integration,
	Name:        "check-grants",
	Summary:     "Check grants",
	Access:      contracts.Internal,
	Timeout:     5 * time.Second,
}

// GrantsSubject is where the accounts service tells, without any content, that
// a grant has ended. A message may be lost.
const GrantsSubject = "grants.ended"

// CheckGrantsRequest holds grants, each from an Authorization.
type CheckGrantsRequest struct {
	Grants []string `json:"grants" doc:"Grants to look at." maxItems:"1000"`
}

// EndedGrants are grants that count no more.
type EndedGrants struct {
	Ended []string `json:"ended" nullable:"false" doc:"Those of the given grants that have ended, or never were."`
}
