package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
)

const (
	key     = "order-7f3a"
	cartURL = "/v1/marketplace/items/add-to-cart"
)

// keyed sends a request with keys and returns the id of its command.
func keyed(t *testing.T, r *http.Request, keys ...string) string {
	t.Helper()
	r.Header["Idempotency-Key"] = keys
	a := send(t, r)
	if a.StatusCode != http.StatusOK {
		t.Errorf("status %d: %s", a.StatusCode, a.body)
	}
	return a.Header.Get("Command-Id")
}

// The id must never change: commands of long ago are found by it.
func TestTheSameKeyIsTheSameCommandAtEveryGatewayForEver(t *testing.T) {
	t.Parallel()
	const want = "85d542c9-01cd-8ecb-9c90-ed3936013196"
	for range 2 {
		e := start(t, nil)
		services := serveEverything(t, e.bus)
		got := keyed(t, e.request(t, http.MethodPost, buyPath, buyBody), key)
		if got != want {
			t.Errorf("the command is %s, want %s", got, want)
		}
		msgs := services.take(t)
		if len(msgs) != 1 || msgs[0].Header.Get("Command-Id") != want {
			t.Fatalf("sent %v", msgs)
		}
		for name, values := range msgs[0].Header {
			if strings.Contains(strings.Join(values, " "), key) {
				t.Errorf("the key is sent on in %s", name)
			}
		}
		if strings.Contains(string(msgs[0].Data), key) {
			t.Errorf("sent %s", msgs[0].Data)
		}
		if log := e.log.String(); strings.Contains(log, key) {
			t.Errorf("the log holds the key: %s", log)
		}
	}
}

func TestEveryPartOfACommandsNameCounts(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	serveEverything(t, e.bus)
	// Tokens say who they are of: "c1" is of caller c, "a1" of account a.
	serve(t, e.bus, accounts.Authorize, func(_ context.Context, req *accounts.AuthorizeRequest) (*accounts.Authorization, error) {
		var a accounts.Authorization
		for _, token := range []string{"c", "ca", "a", "aa"} {
			if req.AccessTokenHash == accounts.HashToken(token+"1") {
				a.CallerID = token
			}
			if req.AccountTokenHash == accounts.HashToken(token+"1") {
				a.AccountID = token
			}
		}
		return &a, nil
	})
	seen := map[string]string{}
	for _, c := range []struct{ caller, account, path, key string }{
		{"c", "a", buyPath, key},
		{"ca", "a", buyPath, key}, // all letters of the first, otherwise parted
		{"c", "aa", buyPath, key},
		{"c", "a", cartURL, key},
		{"c", "a", "/v1/marketplace-business/items/buy-now", key},
		{"c", "a", buyPath, key + "1"},
		{"c", "a", buyPath, strings.ToUpper(key)},
		{"c", "a", buyPath, `"` + key + `"`}, // taken literally
	} {
		r := e.request(t, http.MethodPost, c.path, buyBody)
		r.Header.Set("Authorization", "Bearer "+c.caller+"1")
		r.Header.Set("X-Account-Token", c.account+"1")
		name := c.caller + " " + c.account + " " + c.path + " " + c.key
		id := keyed(t, r, c.key)
		if other, taken := seen[id]; taken {
			t.Errorf("%s and %s are one command", name, other)
		}
		seen[id] = name
	}
}

func TestWithoutAKeyEveryRequestIsACommandOfItsOwn(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	serveEverything(t, e.bus)
	first := keyed(t, e.request(t, http.MethodPost, buyPath, buyBody))
	if second := keyed(t, e.request(t, http.MethodPost, buyPath, buyBody)); first == second {
		t.Errorf("both are %s", first)
	}
}

func TestAKeyIsOneOfVisibleCharacters(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for name, keys := range map[string][]string{
		"empty":           {""},
		"only spaces":     {"  "},
		"a space within":  {"a b"},
		"a tab within":    {"a\tb"},
		"beyond ASCII":    {"schlüssel"},
		"too long":        {strings.Repeat("k", contracts.MaxIdempotencyKey+1)},
		"twice":           {key, key},
		"one empty twice": {key, ""},
	} {
		r := e.request(t, http.MethodPost, buyPath, buyBody)
		r.Header["Idempotency-Key"] = keys
		if message := send(t, r).wantError(t, http.StatusBadRequest); !strings.Contains(message, "Idempotency-Key") {
			t.Errorf("%s: %s", name, message)
		}
	}
	if msgs := services.take(t); len(msgs) != 0 {
		t.Errorf("%s was sent", msgs[0].Subject)
	}
	for _, good := range []string{"k", "!~", strings.Repeat("k", contracts.MaxIdempotencyKey)} {
		keyed(t, e.request(t, http.MethodPost, buyPath, buyBody), good)
	}
}

func TestWhoACallerIsComesBeforeItsKey(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	r := e.request(t, http.MethodPost, buyPath, buyBody)
	r.Header.Set("Authorization", "Bearer igw_at_other")
	r.Header.Set("Idempotency-Key", "a b")
	send(t, r).wantError(t, http.StatusUnauthorized)
}

func TestEveryOperationTakesRefusesOrIgnoresAKey(t *testing.T) {
	t.Parallel()
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for _, entry := range everything() {
		t.Run(entry.Info().ID(), func(t *testing.T) {
			req, _ := entry.New()
			contracts.FillExample(req)
			r := e.exampleRequest(t, entry.Info(), req)
			r.Header.Set("Idempotency-Key", key)
			if entry.Info().Method == http.MethodGet {
				r.Header.Set("Idempotency-Key", "not a key") // which is not looked at
			}
			a := send(t, r)
			if !strings.HasPrefix(entry.Info().Path, "/v1/") && entry.Info().Method != http.MethodGet {
				if message := a.wantError(t, http.StatusBadRequest); !strings.Contains(message, "Idempotency-Key is not taken here") {
					t.Errorf("message %q", message)
				}
				if msgs := services.take(t); len(msgs) != 0 {
					t.Errorf("%s was sent", msgs[0].Subject)
				}
				return
			}
			if a.StatusCode != http.StatusOK {
				t.Errorf("status %d: %s", a.StatusCode, a.body)
			}
			if msgs := services.take(t); len(msgs) != 1 || msgs[0].Header.Get("Command-Id") != a.Header.Get("Command-Id") {
				t.Errorf("sent %v for the command %s", msgs, a.Header.Get("Command-Id"))
			}
		})
	}
}

func TestRiskOfADuplicateIsAcceptedByTheCommandsID(t *testing.T) {
	t.Parallel()
	const id = "85d542c9-01cd-8ecb-9c90-ed3936013196"
	e := start(t, nil)
	services := serveEverything(t, e.bus)
	for name, c := range map[string]struct {
		method, path, body string
		risks              []string
		status             int
	}{
		"an order":          {http.MethodPost, buyPath, buyBody, []string{id}, http.StatusOK},
		"an order without":  {http.MethodPost, buyPath, buyBody, nil, http.StatusOK},
		"two commands":      {http.MethodPost, buyPath, buyBody, []string{id, id}, http.StatusBadRequest},
		"no command":        {http.MethodPost, buyPath, buyBody, []string{"yes"}, http.StatusBadRequest},
		"in another form":   {http.MethodPost, buyPath, buyBody, []string{"{" + id + "}"}, http.StatusBadRequest},
		"what only reads":   {http.MethodGet, "/v1/marketplace/items/search?query=tea", "", []string{id}, http.StatusBadRequest},
		"what makes nobody": {http.MethodPost, "/v1/marketplace/session", "", []string{id}, http.StatusBadRequest},
	} {
		r := e.request(t, c.method, c.path, c.body)
		r.Header[contracts.DuplicateRiskHeader] = c.risks
		if a := send(t, r); a.StatusCode != c.status {
			t.Errorf("%s: status %d: %s", name, a.StatusCode, a.body)
		}
		for _, msg := range services.take(t) {
			if c.status != http.StatusOK || msg.Header.Get(contracts.DuplicateRiskHeader) != strings.Join(c.risks, "") {
				t.Errorf("%s: sent with %q", name, msg.Header.Get(contracts.DuplicateRiskHeader))
			}
		}
	}
}
