package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/marketplace"
)

// TestBadInputReachesNobody sends what callers get wrong. Each is answered
// with its status and an error body, and the sandbox shop sees no request.
func TestBadInputReachesNobody(t *testing.T) {
	g := share(t)
	before := g.state().Requests
	good := g.demonstration()
	stranger := g.newCaller("Stranger").env.AccessToken
	path := g.env.GatewayURL + marketplace.BuyNow.Path
	for name, c := range map[string]struct {
		status  int
		who     tokens
		method  string
		url     string
		body    string
		headers map[string]string
	}{
		"no access token":                 {401, tokens{"", good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"unknown access token":            {401, tokens{"igw_at_wrong", good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"another scheme":                  {401, tokens{"", good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, map[string]string{"Authorization": "Basic amFuZTpyb2U="}},
		"bearer without a token":          {401, tokens{"", good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, map[string]string{"Authorization": "Bearer"}},
		"no account token":                {400, tokens{good.access, ""}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"unknown account token":           {401, tokens{good.access, "igw_acc_wrong"}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"account of another caller":       {401, tokens{stranger, good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"account of another application":  {401, tokens{good.access, g.elsewhere()}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"admin token":                     {401, tokens{g.env.AdminToken, good.account}, "POST", path, `{"asin":"B0CX23V2ZK"}`, nil},
		"neither asin nor itemUrl":        {400, good, "POST", path, `{}`, nil},
		"no body":                         {400, good, "POST", path, ``, nil},
		"body that is no JSON":            {400, good, "POST", path, `{"asin":`, nil},
		"data after the body":             {400, good, "POST", path, `{"asin":"B0CX23V2ZK"} {}`, nil},
		"wrong type":                      {400, good, "POST", path, `{"asin":7}`, nil},
		"malformed asin":                  {400, good, "POST", path, `{"asin":"../../cart"}`, nil},
		"unknown field":                   {400, good, "POST", path, `{"asin":"B0CX23V2ZK","quantity":2}`, nil},
		"field in other letters":          {400, good, "POST", path, `{"ASIN":"B0CX23V2ZK"}`, nil},
		"invalid UTF-8":                   {400, good, "POST", path, "{\"itemUrl\":\"http://\xff\xfe/\"}", nil},
		"body that is too long":           {400, good, "POST", path, `{"itemUrl":"` + strings.Repeat("x", 2<<20) + `"}`, nil},
		"itemUrl that is no address":      {400, good, "POST", path, `{"itemUrl":"not an address"}`, nil},
		"itemUrl at another site":         {400, good, "POST", path, `{"itemUrl":"https://evil.example/dp/B0CX23V2ZK"}`, nil},
		"itemUrl that is a script":        {400, good, "POST", path, `{"itemUrl":"javascript:alert(1)"}`, nil},
		"itemUrl that is a file":          {400, good, "POST", path, `{"itemUrl":"file:///etc/passwd"}`, nil},
		"itemUrl with the site as user":   {400, good, "POST", path, `{"itemUrl":"` + g.env.SandboxURLs["marketplace"] + `@evil.example/"}`, nil},
		"search without a query":          {400, good, "GET", g.env.GatewayURL + marketplace.Search.Path, ``, nil},
		"unknown query parameter":         {400, good, "GET", g.env.GatewayURL + marketplace.Search.Path + "?query=a&page=2", ``, nil},
		"query parameter of a wrong type": {400, good, "GET", g.env.GatewayURL + marketplace.Search.Path + "?query=a&isGroceryChain=perhaps", ``, nil},
		"unknown route":                   {404, good, "GET", g.env.GatewayURL + "/v1/marketplace/items", ``, nil},
		"unknown integration":             {404, good, "GET", g.env.GatewayURL + "/v1/bookshop/items/search?query=a", ``, nil},
		"wrong method":                    {404, good, "DELETE", path, ``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{T: t, env: g.env}
			req, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if c.who.access != "" {
				req.Header.Set("Authorization", "Bearer "+c.who.access)
			}
			if c.who.account != "" {
				req.Header.Set(contracts.AccountTokenHeader, c.who.account)
			}
			for name, value := range c.headers {
				req.Header.Set(name, value)
			}
			r := g.do(req)
			denied(g, r, c.status)
			if r.header.Get(contracts.CommandIDHeader) == "" {
				t.Error("the response has no Command-Id")
			}
		})
	}
	after := g.state().Requests
	for path, n := range after {
		if n != before[path] {
			t.Errorf("the shop saw %d requests for %s", n-before[path], path)
		}
	}
}

// elsewhere links an account of the test's caller at another integration and
// returns its token.
func (g *gateway) elsewhere() string {
	g.Helper()
	linked := result[accounts.LinkedAccount](g, g.send(http.MethodPost, accounts.LinkAccount.Path, tokens{access: g.env.AdminToken}, accounts.NewAccount{
		CallerID: g.callerID(), Integration: "agency", Username: "jane", Password: "secret",
	}))
	return linked.AccountToken
}

func TestRevokedAndUnlinkedTokensStopAtOnce(t *testing.T) {
	g := share(t)
	admin := tokens{access: g.env.AdminToken}
	search := marketplace.Search.Path + "?query=coffee"
	result[marketplace.SearchResults](g, g.send(http.MethodGet, search, g.demonstration(), nil))

	listed := result[accounts.Accounts](g, g.admin(accounts.ListAccounts.Path+"?callerId="+g.callerID()))
	one := strings.ReplaceAll(accounts.UnlinkAccount.Path, "{accountId}", listed.Accounts[0].AccountID)
	result[accounts.Account](g, g.send(http.MethodDelete, one, admin, nil))
	denied(g, g.send(http.MethodGet, search, g.demonstration(), nil), http.StatusUnauthorized)

	caller := g.callerID()
	issued := result[accounts.Tokens](g, g.send(http.MethodGet, strings.ReplaceAll(accounts.ListTokens.Path, "{callerId}", caller), admin, nil))
	revoke := strings.NewReplacer("{callerId}", caller, "{tokenId}", issued.Tokens[0].TokenID).Replace(accounts.RevokeToken.Path)
	result[accounts.Token](g, g.send(http.MethodDelete, revoke, admin, nil))
	denied(g, g.send(http.MethodGet, search, g.demonstration(), nil), http.StatusUnauthorized)
}
