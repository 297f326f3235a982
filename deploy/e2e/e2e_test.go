// Package e2e tests the whole gateway as its users meet it: HTTP on one side,
// the sandbox site, the event log and NATS on the others, with a real Chromium
// in between.
package e2e_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/deploy/stack"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// gateway is a running stack with what a test asks of it.
type gateway struct {
	*testing.T
	env    stack.Env
	log    string // path of the stack's log
	caller string // whose accounts link links; empty: the demonstration's
	shopAt string // the site at which it links them; empty: the sandbox

	integration string            // that the test is about; empty: marketplace
	refused     tokens            // of an account there whose password is wrong; see with
	linked      map[string]tokens // of further accounts there; see linkOnce
}

// start runs a whole stack on a database and a NATS account of the test's own.
// A test that needs no more than any running stack calls share.
func start(t *testing.T, variables ...string) *gateway {
	t.Helper()
	return startOn(t, configure(t, variables...))
}

// configure returns the settings of a stack on a database and a NATS account
// of the test's own, with variables of the form NAME=value added. It serves
// marketplace alone, and no browser is started ahead for sessions.
func configure(t testing.TB, variables ...string) stack.Config {
	t.Helper()
	all := map[string]string{
		"RUN_DIR":            t.TempDir(),
		"GATEWAY_ADDR":       "127.0.0.1:0",
		"STACK_DATABASE_URL": testenv.DatabaseURL(t),
		"STACK_NATS_URL":     testenv.NATSURL(t),
		"CHROMIUM":           testenv.Chromium(t),
		"INTEGRATIONS":       "marketplace",
		"SESSIONS_RESERVE":   "0",
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		all[name] = value
	}
	cfg, err := settings.FromMap[stack.Config](all)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// startOn runs a stack with settings until the test ends.
func startOn(t *testing.T, cfg stack.Config) *gateway {
	t.Helper()
	g := &gateway{T: t}
	g.env, g.log = run(t, cfg)
	t.Cleanup(g.showLog)
	return g
}

// run runs a stack until t ends, and returns its addresses and the path of its
// log.
func run(t testing.TB, cfg stack.Config) (env stack.Env, logPath string) {
	t.Helper()
	logPath = filepath.Join(t.ArtifactDir(), "stack.log")
	logFile, err := os.Create(logPath)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logFile.Close() })
	s, err := stack.Start(t.Context(), cfg, slog.New(slog.NewJSONHandler(logFile, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s.Env, logPath
}

// of is the stack in a subtest.
func (g *gateway) of(t *testing.T) *gateway {
	t.Helper()
	there := *g
	there.T = t
	return &there
}

// showLog shows the stack's log when the test has failed.
func (g *gateway) showLog() {
	if g.Failed() {
		content, _ := os.ReadFile(g.log)
		g.Logf("log of the stack:\n%s", content)
	}
}

// response is an HTTP response that was read.
type response struct {
	status int
	header http.Header
	body   []byte
}

// tokens are what a call presents; an empty one is left out.
type tokens struct{ access, account string }

// about is the integration that the test is about.
func (g *gateway) about() string { return cmp.Or(g.integration, "marketplace") }

func (g *gateway) demonstration() tokens {
	return tokens{g.env.AccessToken, g.env.AccountTokens[g.about()]}
}

// send makes a call; a body that is not nil is sent as JSON.
func (g *gateway) send(method, path string, who tokens, body any) response {
	g.Helper()
	return g.do(g.request(method, path, who, body))
}

// sendWithKey makes a call with an Idempotency-Key.
func (g *gateway) sendWithKey(key, path string, who tokens, body any) response {
	g.Helper()
	req := g.request(http.MethodPost, path, who, body)
	req.Header.Set(contracts.IdempotencyKeyHeader, key)
	return g.do(req)
}

func (g *gateway) request(method, path string, who tokens, body any) *http.Request {
	g.Helper()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			g.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(g.Context(), method, g.env.GatewayURL+path, content)
	if err != nil {
		g.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if who.access != "" {
		req.Header.Set("Authorization", "Bearer "+who.access)
	}
	if who.account != "" {
		req.Header.Set(contracts.AccountTokenHeader, who.account)
	}
	return req
}

func (g *gateway) do(req *http.Request) response {
	g.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		g.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, content}
}

// result decodes the body of a response that must be 200.
func result[Res any](g *gateway, r response) Res {
	g.Helper()
	var res Res
	if r.status != http.StatusOK {
		g.Fatalf("got status %d: %s", r.status, r.body)
	}
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&res); err != nil {
		g.Fatalf("decode %s: %v", r.body, err)
	}
	return res
}

// denied checks that a response has a status and an error body, and returns
// its message.
func denied(g *gateway, r response, status int) string {
	g.Helper()
	var body map[string]string
	if err := json.Unmarshal(r.body, &body); err != nil || len(body) != 1 || body["error"] == "" {
		g.Fatalf("the body of %d is not an error: %s", r.status, r.body)
	}
	if r.status != status {
		g.Fatalf("got status %d (%s), want %d", r.status, body["error"], status)
	}
	return body["error"]
}

// link links another account of the test's shop for its caller, through the
// operator's API.
func (g *gateway) link(username, password string) tokens {
	g.Helper()
	return g.linkAt(g.shopAt, username, password)
}

// linkAt links an account of another site.
func (g *gateway) linkAt(site, username, password string) tokens {
	g.Helper()
	return g.linkUser(site, kit.User{Username: username, Password: password})
}

// linkUser links an account of a user at a site.
func (g *gateway) linkUser(site string, user kit.User) tokens {
	g.Helper()
	linked := result[accounts.LinkedAccount](g, g.send(http.MethodPost, accounts.LinkAccount.Path, tokens{access: g.env.AdminToken}, accounts.NewAccount{
		CallerID: g.callerID(), Integration: g.about(), Site: site,
		Username: user.Username, Password: user.Password, OneTimeSecret: user.OneTimeSecret,
	}))
	return tokens{g.env.AccessToken, linked.AccountToken}
}

// callerID is the id of the test's caller.
func (g *gateway) callerID() string {
	g.Helper()
	if g.caller != "" {
		return g.caller
	}
	return result[accounts.Callers](g, g.admin(accounts.ListCallers.Path)).Callers[0].CallerID
}

// shop is what the sandbox shop says of itself.
type shop struct {
	Requests map[string]int `json:"requests"` // by route
	SignIns  int            `json:"signIns"`
	Orders   []struct {
		ID    string `json:"orderId"`
		Lines []struct {
			ASIN string `json:"asin"`
		} `json:"lines"`
	} `json:"orders"`
	Carts map[string][]struct {
		ASIN string `json:"asin"`
	} `json:"carts"` // by user
}

// state reads what really happened at the sandbox shop.
func (g *gateway) state() shop {
	g.Helper()
	return stateOf[shop](g)
}

// faults switches the sandbox shop's faults.
func (g *gateway) faults(faults string) {
	g.Helper()
	if r := g.sandbox(http.MethodPut, "/_sandbox/faults", faults); r.status >= 300 {
		g.Fatalf("faults: %d %s", r.status, r.body)
	}
}

func (g *gateway) sandbox(method, path, body string) response {
	g.Helper()
	req, err := http.NewRequestWithContext(g.Context(), method, g.env.SandboxURLs[g.about()]+path, strings.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	return g.do(req)
}
