package accounts

import (
	"net/http"
	"time"

	"integration.gateway/contracts"
)

// IssueToken makes a new access token of a caller.
var IssueToken = contracts.Operation[IssueTokenRequest, IssuedToken]{
	Integration: integration,
	Name:        "issue-token",
	Method:      http.MethodPost,
	Path:        "/admin/v1/callers/{callerId}/tokens",
	Summary:     "Issue an access token",
	Description: "Makes a new access token for the caller and shows it this once; only its hash is kept. The caller's other access tokens stay valid, so that one can be replaced by the next without a gap.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// IssueTokenRequest says for which caller.
type IssueTokenRequest struct {
	CallerID string   `path:"callerId" json:"callerId" doc:"Id of the caller." maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Body     NewToken `json:"body"`
}

// NewToken describes an access token to issue.
type NewToken struct {
	Label string `json:"label,omitempty" doc:"What tells this token from the caller's others." maxLength:"200" example:"production, 2026"`
}

// IssuedToken is a new access token.
type IssuedToken struct {
	Token
	AccessToken string `json:"accessToken" sensitive:"true" doc:"The access token, shown this once. It goes into the header Authorization: Bearer …" example:"igw_at_3mFQpL5vK0xw8ZkTzq1c9yB7nR2dUeJgHs4aVtXoWfM"`
}

// Token is an access token as it may be shown: without the token itself.
type Token struct {
	TokenID   string     `json:"tokenId" doc:"Id of the access token." example:"019a8f40-12ab-7c3d-8e4f-5a6b7c8d9e0f"`
	CallerID  string     `json:"callerId" doc:"Id of the caller." example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Label     string     `json:"label,omitempty" doc:"What tells this token from the caller's others." example:"production, 2026"`
	CreatedAt time.Time  `json:"createdAt" doc:"When the token was issued." example:"2026-11-21T09:30:00Z"`
	RevokedAt *time.Time `json:"revokedAt,omitempty" doc:"When the token was revoked; absent while it is valid." example:"2026-12-01T12:00:00Z"`
}

// ListTokens lists a caller's access tokens.
var ListTokens = contracts.Operation[ListTokensRequest, Tokens]{
	Integration: integration,
	Name:        "list-tokens",
	Method:      http.MethodGet,
	Path:        "/admin/v1/callers/{callerId}/tokens",
	Summary:     "List a caller's access tokens",
	Description: "Lists the caller's access tokens, revoked ones too, in the order in which they were issued. The tokens themselves are not kept and not shown.",
	Access:      contracts.AdminToken,
}

// ListTokensRequest says of which caller, and which part of the list.
type ListTokensRequest struct {
	CallerID string `path:"callerId" json:"callerId" doc:"Id of the caller." maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	Page
}

// Tokens is a part of the list of a caller's access tokens.
type Tokens struct {
	Tokens []Token `json:"tokens" nullable:"false" doc:"Access tokens in the order in which they were issued."`
	Next   string  `json:"next,omitempty" doc:"Give it as after to get the next part; absent at the end." example:"019a8f40-12ab-7c3d-8e4f-5a6b7c8d9e0f"`
}

// RevokeToken ends an access token.
var RevokeToken = contracts.Operation[RevokeTokenRequest, Token]{
	Integration: integration,
	Name:        "revoke-token",
	Method:      http.MethodDelete,
	Path:        "/admin/v1/callers/{callerId}/tokens/{tokenId}",
	Summary:     "Revoke an access token",
	Description: "Ends the access token at once, at every instance. Revoking it again changes nothing.",
	Effect:      contracts.Record,
	Access:      contracts.AdminToken,
}

// RevokeTokenRequest says which access token.
type RevokeTokenRequest struct {
	CallerID string `path:"callerId" json:"callerId" doc:"Id of the caller." maxLength:"36" example:"019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`
	TokenID  string `path:"tokenId" json:"tokenId" doc:"Id of the access token." maxLength:"36" example:"019a8f40-12ab-7c3d-8e4f-5a6b7c8d9e0f"`
}
