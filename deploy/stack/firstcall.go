package stack

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
)

// firstCallLimit bounds the first search, which starts a browser and signs in.
const firstCallLimit = 60 * time.Second

// searchPath is the demonstration's search, and searchAt its integration.
const searchAt = "marketplace"

var searchPath = marketplace.Search.Path + "?query=coffee"

// HasFirstSearch tells whether the stack serves the integration of the first
// search.
func (s *Stack) HasFirstSearch() bool { return s.Env.SandboxURLs[searchAt] != "" }

// FirstSearch does a search through the gateway as any caller would, and
// returns the response's body.
func (s *Stack) FirstSearch(ctx context.Context) (body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, firstCallLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Env.GatewayURL+searchPath, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.Env.AccessToken)
	req.Header.Set(contracts.AccountTokenHeader, s.Env.AccountTokens[searchAt])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("first search: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return "", fmt.Errorf("first search: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("first search: %s: %s", resp.Status, text)
	}
	return string(text), nil
}

// Curl is the same search as a command to paste, once the file env is sourced.
func (s *Stack) Curl() string {
	return fmt.Sprintf(`curl -s "$GATEWAY_URL%s" -H "Authorization: Bearer $ACCESS_TOKEN" -H "%s: $ACCOUNT_TOKEN_MARKETPLACE"`,
		searchPath, contracts.AccountTokenHeader)
}
