package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"integration.gateway/contracts/accounts"
)

// While nobody can tell whose tokens these are, an answer has the id of its key's
// command, where a gateway knows it from before, and never another.
func TestARequestThatCannotBeIdentifiedHasTheIDOfItsKeyOrNone(t *testing.T) {
	t.Parallel()
	e := startBare(t, nil)
	serveEverything(t, e.bus)
	var away atomic.Bool
	serve(t, e.bus, accounts.Authorize, func(context.Context, *accounts.AuthorizeRequest) (*accounts.Authorization, error) {
		if away.Load() {
			return nil, errors.New("connect to the database: refused")
		}
		return &accounts.Authorization{CallerID: "caller-1", AccountID: "account-1"}, nil
	})
	id := keyed(t, e.request(t, http.MethodPost, buyPath, buyBody), key)
	away.Store(true)
	for name, c := range map[string]struct {
		accountToken string
		key          string
		want         string
	}{
		"the same key":                       {accountToken, key, id},
		"a token that was never seen":        {"igw_ac_other", key, ""},
		"no account token, where it matters": {"", key, ""},
		"no key at all, so an id of its own": {accountToken, "", "any"},
	} {
		r := e.request(t, http.MethodPost, buyPath, buyBody)
		r.Header.Del("X-Account-Token")
		if c.accountToken != "" {
			r.Header.Set("X-Account-Token", c.accountToken)
		}
		if c.key != "" {
			r.Header.Set("Idempotency-Key", c.key)
		}
		a := send(t, r)
		message := a.wantError(t, http.StatusInternalServerError)
		if got := a.Header.Get("Command-Id"); c.want != "any" && got != c.want || c.want == "any" && got == id {
			t.Errorf("%s: Command-Id is %q, want %q", name, got, c.want)
		}
		if a.Header.Get("Command-Outcome") != "not-begun" || a.Header.Get("Retry-After") == "" || !strings.Contains(message, "this request was not begun: send it again") {
			t.Errorf("%s: outcome %q, Retry-After %q: %s", name, a.Header.Get("Command-Outcome"), a.Header.Get("Retry-After"), message)
		}
	}
}
