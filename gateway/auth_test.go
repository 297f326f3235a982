package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/catalog"
)

const (
	searchPath = "/v1/marketplace/items/search?query=dripper"
	buyPath    = "/v1/marketplace/items/buy-now"
	buyBody    = `{"asin":"B0CX23V2ZK"}`
)

func TestTokensDecideWhoIsLetIn(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	bearer := func(token string) []string { return []string{"Bearer " + token} }
	for name, c := range map[string]struct {
		authorization, account []string
		status                 int
	}{
		"both":                               {bearer(accessToken), []string{accountToken}, 200},
		"scheme in another case":             {[]string{"bEARER  " + accessToken}, []string{accountToken}, 200},
		"no access token":                    {nil, []string{accountToken}, 401},
		"neither":                            {nil, nil, 401},
		"empty header":                       {[]string{""}, []string{accountToken}, 401},
		"scheme only":                        {[]string{"Bearer"}, []string{accountToken}, 401},
		"scheme and space":                   {[]string{"Bearer "}, []string{accountToken}, 401},
		"no scheme":                          {[]string{accessToken}, []string{accountToken}, 401},
		"another scheme":                     {[]string{"Basic " + accessToken}, []string{accountToken}, 401},
		"unknown access token":               {bearer("igw_at_other"), []string{accountToken}, 401},
		"unknown access, no account token":   {bearer("igw_at_other"), nil, 401},
		"two words":                          {bearer(accessToken + " x"), []string{accountToken}, 401},
		"a character that no token has":      {bearer(accessToken + "\x80"), []string{accountToken}, 401},
		"an over-long access token":          {bearer(strings.Repeat("a", 513)), []string{accountToken}, 401},
		"two headers":                        {[]string{"Bearer " + accessToken, "Bearer " + accessToken}, []string{accountToken}, 401},
		"the admin token":                    {bearer(adminToken), []string{accountToken}, 401},
		"no account token":                   {bearer(accessToken), nil, 400},
		"empty account token":                {bearer(accessToken), []string{""}, 400},
		"unknown account token":              {bearer(accessToken), []string{"igw_ac_other"}, 401},
		"an over-long account token":         {bearer(accessToken), []string{strings.Repeat("a", 30000)}, 401},
		"two account tokens":                 {bearer(accessToken), []string{accountToken, accountToken}, 401},
		"account token and more":             {bearer(accessToken), []string{accountToken + ", x"}, 401},
		"the tokens the other way round":     {bearer(accountToken), []string{accessToken}, 401},
		"a character no account token holds": {bearer(accessToken), []string{accountToken + "\xff"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			r := e.request(t, http.MethodPost, buyPath, buyBody)
			r.Header["Authorization"] = c.authorization
			r.Header["X-Account-Token"] = c.account
			a := send(t, r)
			if c.status == http.StatusOK {
				if a.StatusCode != http.StatusOK || len(services.take(t)) != 1 {
					t.Errorf("status %d: %s", a.StatusCode, a.body)
				}
				return
			}
			a.wantError(t, c.status)
			if challenge := a.Header.Get("WWW-Authenticate"); (challenge == "Bearer") != (c.status == 401) {
				t.Errorf("WWW-Authenticate is %q", challenge)
			}
			if msgs := services.take(t); len(msgs) != 0 {
				t.Errorf("%s was sent", msgs[0].Subject)
			}
		})
	}
	for _, secret := range []string{accessToken, accountToken, adminToken, "B0CX23V2ZK", "igw_ac_other"} {
		if strings.Contains(e.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestOnlyTheAdminTokenOpensAdminRoutes(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for _, entry := range catalog.Admin() {
		for _, header := range []string{"", "Bearer " + accessToken, "Bearer " + adminToken + "x", "Bearer " + adminToken[1:], "Basic " + adminToken} {
			if header == "Bearer "+accessToken && entry.Info().Access == contracts.CallerOrAdmin {
				continue // see TestSomeAdminRoutesOpenToACaller
			}
			req, _ := entry.New()
			contracts.FillExample(req)
			r := e.exampleRequest(t, entry.Info(), req)
			r.Header.Set("Authorization", header)
			send(t, r).wantError(t, http.StatusUnauthorized)
		}
	}
	if msgs := services.take(t); len(msgs) != 0 {
		t.Errorf("%s was sent", msgs[0].Subject)
	}
}

func TestSomeAdminRoutesOpenToACaller(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	count := 0
	for _, entry := range catalog.Admin() {
		if entry.Info().Access != contracts.CallerOrAdmin {
			continue
		}
		count++
		for name, c := range map[string]struct {
			access, account string
			asCaller, as    string // Caller-Id and Account-Id that the service sees
			status          int
		}{
			"the operator":                        {access: adminToken, asCaller: contracts.AdminCaller, status: 200},
			"the operator with an account token":  {access: adminToken, account: accountToken, asCaller: contracts.AdminCaller, status: 200},
			"a caller":                            {access: accessToken, asCaller: "caller-1", status: 200},
			"a caller with an account token":      {access: accessToken, account: accountToken, asCaller: "caller-1", as: "account-1", status: 200},
			"a caller with another account token": {access: accessToken, account: "igw_ac_other", status: 401},
			"a stranger":                          {access: "igw_at_other", account: accountToken, status: 401},
		} {
			t.Run(name, func(t *testing.T) {
				req, _ := entry.New()
				contracts.FillExample(req)
				r := e.exampleRequest(t, entry.Info(), req)
				r.Header.Set("Authorization", "Bearer "+c.access)
				r.Header.Del("X-Account-Token")
				if c.account != "" {
					r.Header.Set("X-Account-Token", c.account)
				}
				a := send(t, r)
				msgs := services.take(t)
				if c.status != http.StatusOK {
					a.wantError(t, c.status)
					if len(msgs) != 0 {
						t.Errorf("%s was sent", msgs[0].Subject)
					}
					return
				}
				if a.StatusCode != http.StatusOK || len(msgs) != 1 {
					t.Fatalf("status %d, %d messages: %s", a.StatusCode, len(msgs), a.body)
				}
				if h := msgs[0].Header; h.Get("Caller-Id") != c.asCaller || h.Get("Account-Id") != c.as {
					t.Errorf("caller %q, account %q", h.Get("Caller-Id"), h.Get("Account-Id"))
				}
			})
		}
	}
	if count == 0 {
		t.Error("there is no such route")
	}
}

func TestTheAccountsServiceIsAskedForEachCallWithHashesOnly(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	serveEverything(t, e.bus)
	asked, err := e.bus.SubscribeSync(accounts.Authorize.Info().Subject())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := send(t, e.request(t, http.MethodGet, searchPath, ""))
		if a.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %s", a.StatusCode, a.body)
		}
		msg, err := asked.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		want := asJSON(t, accounts.AuthorizeRequest{
			Integration:      "marketplace",
			AccessTokenHash:  accounts.HashToken(accessToken),
			AccountTokenHash: accounts.HashToken(accountToken),
		})
		if string(msg.Data) != want {
			t.Errorf("asked %s, want %s", msg.Data, want)
		}
		if msg.Header.Get("Command-Id") != a.Header.Get("Command-Id") {
			t.Errorf("asked for the command %q", msg.Header.Get("Command-Id"))
		}
	}
}

func TestOperationsForASoleAccountAskForIt(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	count := 0
	for _, entry := range catalog.All() {
		if entry.Info().Access != contracts.SoleAccount {
			continue
		}
		count++
		req, _ := entry.New()
		contracts.FillExample(req)
		r := e.exampleRequest(t, entry.Info(), req)
		r.Header.Del("X-Account-Token")
		if a := send(t, r); a.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d: %s", entry.Info().ID(), a.StatusCode, a.body)
		}
		for _, msg := range services.take(t) {
			if msg.Header.Get("Account-Id") != "account-1" {
				t.Errorf("%s: account %q", entry.Info().ID(), msg.Header.Get("Account-Id"))
			}
		}
	}
	if count != 2 {
		t.Errorf("%d operations take a sole account, want 2", count)
	}
}

func TestAnAuthorizationWithoutAnAccountIsAFault(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	services := serveEverything(t, e.bus)
	serve(t, e.bus, accounts.Authorize, func(context.Context, *accounts.AuthorizeRequest) (*accounts.Authorization, error) {
		return &accounts.Authorization{CallerID: "caller-1"}, nil
	})
	send(t, e.request(t, http.MethodGet, searchPath, "")).wantError(t, http.StatusInternalServerError)
	if msgs := services.take(t); len(msgs) != 0 {
		t.Errorf("%s was sent", msgs[0].Subject)
	}
}
