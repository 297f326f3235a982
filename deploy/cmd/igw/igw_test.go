package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/testenv"
)

// What a developer's shell has of a running stack is not for tests.
func TestMain(m *testing.M) {
	for _, name := range []string{"CHECKPOINT_VERIFIER", "DATABASE_URL", "VAULT_DATABASE_URL", "GATEWAY_URL", "ADMIN_TOKEN"} {
		_ = os.Unsetenv(name) // fails for names that cannot be
	}
	testenv.Main(m)
}

const adminToken = "admin-token-of-this-test"

// edge is the admin part of a gateway: the catalogue's own routes and decoding,
// with answer in place of the services.
type edge struct {
	*httptest.Server
	requests []any // as they were decoded, in order
}

func newEdge(t *testing.T, answer func(req, res any) error) *edge {
	t.Helper()
	e := &edge{}
	mux := http.NewServeMux()
	api := catalog.NewAPI(humago.NewAdapter(mux, ""))
	for _, entry := range catalog.Admin() {
		entry.Mount(api, func(_ context.Context, _ contracts.Info, req, res any) error {
			e.requests = append(e.requests, req)
			return answer(req, res)
		})
	}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contracts.CommandIDHeader, "command-1")
		if r.Header.Get("Authorization") != "Bearer "+adminToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// examples answers with the examples of the API document.
func examples(_, res any) error {
	contracts.FillExample(res)
	return nil
}

// output is what one run of the command line left.
type output struct {
	code           int
	stdout, stderr string
}

// igw runs one command line against the edge, with stdin as its input and env
// as its environment beside the admin token.
func (e *edge) igw(t *testing.T, stdin string, env map[string]string, args ...string) output {
	t.Helper()
	input := filepath.Join(t.TempDir(), "stdin")
	if err := os.WriteFile(input, []byte(stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var stdout, stderr bytes.Buffer
	getenv := func(name string) string {
		if name == "ADMIN_TOKEN" && env[name] == "" {
			return adminToken
		}
		return env[name]
	}
	code := run(t.Context(), append([]string{"--gateway-url", e.URL}, args...), console{env: getenv, stdin: file, stdout: &stdout, stderr: &stderr})
	return output{code, stdout.String(), stderr.String()}
}

func TestEveryAdminOperationArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	gateway, err := newClient(e.URL, adminToken)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range catalog.Admin() {
		sent, _ := entry.New()
		contracts.FillExample(sent)
		req, err := gateway.newRequest(t.Context(), entry.Info(), sent)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := e.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s", entry.Info().Name, answer.Status)
			continue
		}
		if diff := cmp.Diff(sent, e.requests[len(e.requests)-1]); diff != "" {
			t.Errorf("%s (-sent +received):\n%s", entry.Info().Name, diff)
		}
	}
}

func TestArgumentsCannotLeaveTheirPlaceInThePath(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	for _, id := range []string{"a/../../callers", "a?x=1", "a#b", "%2e%2e", "é b"} {
		if got := e.igw(t, "", nil, "account", "show", id); got.code != exitOK {
			t.Errorf("%q: %s", id, got.stderr)
			continue
		}
		if got := e.requests[len(e.requests)-1].(*accounts.AccountRequest).AccountID; got != id {
			t.Errorf("%q arrived as %q", id, got)
		}
	}
	before := len(e.requests)
	for _, id := range []string{"", ".", ".."} {
		if got := e.igw(t, "", nil, "account", "show", id); got.code != exitFailed || len(e.requests) != before {
			t.Errorf("%q: got %+v", id, got)
		}
	}
}

func TestCommandsPrintATable(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	for line, want := range map[string][]string{
		"caller create Assistant":       {"caller", "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11", "Shopping assistant"},
		"caller list":                   {"CALLER", "NAME", "Shopping assistant"},
		"token issue c1 --label second": {"igw_at_", "shown this once"},
		"token list c1":                 {"TOKEN", "REVOKED", "production, 2026"},
		"token revoke c1 t1":            {"revoked"},
		"account link --caller c1 --integration marketplace --username u --password-stdin": {"igw_acc_", "shown this once"},
		"account list --caller c1": {"ACCOUNT", "INTEGRATION", "pilot customer 7"},
		"account show a1":          {"marketplace", "sandbox", "unlinked"},
		"account reissue-token a1": {"igw_acc_", "shown this once"},
		"account retry-sign-in a1": {"marketplace", "sandbox"},
		"account unlink a1":        {"unlinked"},
		"caller list --json":       {`"callerId": "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"`},
		"token issue c1 --json":    {`"accessToken": "igw_at_`},
		"account show a1 --json":   {`"accountId": "`},
		"account --help":           {"account link", "account unlink"},
		"account link --help":      {"--password-stdin"},
	} {
		got := e.igw(t, "swordfish\n", nil, strings.Fields(line)...)
		if got.code != exitOK {
			t.Errorf("%s: exit code %d, %s", line, got.code, got.stderr)
		}
		for _, text := range want {
			if !strings.Contains(got.stdout, text) {
				t.Errorf("%s: %q is not in\n%s", line, text, got.stdout)
			}
		}
		if strings.HasSuffix(line, "--json") && !json.Valid([]byte(got.stdout)) {
			t.Errorf("%s: not JSON: %s", line, got.stdout)
		}
	}
}

func TestListsAreFetchedToTheirEnd(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(req, res any) error {
		switch part := res.(*accounts.Callers); req.(*accounts.ListCallersRequest).After {
		case "":
			*part = accounts.Callers{Callers: []accounts.Caller{{Name: "first"}}, Next: "1"}
		case "1":
			*part = accounts.Callers{Callers: []accounts.Caller{{Name: "second"}}}
		}
		return nil
	})
	got := e.igw(t, "", nil, "caller", "list")
	if !strings.Contains(got.stdout, "first") || !strings.Contains(got.stdout, "second") {
		t.Errorf("got %+v", got)
	}
	e = newEdge(t, func(_, res any) error {
		reflect.ValueOf(res).Elem().Field(0).SetZero()
		return nil
	})
	if got := e.igw(t, "", nil, "caller", "list", "--json"); got.stdout != "[]\n" {
		t.Errorf("an empty list: got %q", got.stdout)
	}
}

func TestSecretsComeFromStdinFileOrEnvironment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(" from file \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		stdin string
		env   map[string]string
		args  []string
		want  accounts.NewAccount
	}{
		"stdin": {stdin: "from stdin\n", args: []string{"--password-stdin"}, want: accounts.NewAccount{Password: "from stdin"}},
		"file":  {args: []string{"--password-file", file}, want: accounts.NewAccount{Password: " from file "}},
		"environment": {
			env:  map[string]string{"IGW_PASSWORD": "from env", "IGW_ONE_TIME_SECRET": "JBSWY3DP"},
			want: accounts.NewAccount{Password: "from env", OneTimeSecret: "JBSWY3DP"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, examples)
			args := append([]string{"account", "link", "--caller", "c1", "--integration", "agency", "--username", "jane"}, c.args...)
			if got := e.igw(t, c.stdin, c.env, args...); got.code != exitOK {
				t.Fatalf("got %+v", got)
			}
			want := c.want
			want.CallerID, want.Integration, want.Username = "c1", "agency", "jane"
			if diff := cmp.Diff(want, e.requests[0].(*accounts.LinkAccountRequest).Body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAccountIsLinkedToItsSite(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	got := e.igw(t, "swordfish\n", nil, "account", "link", "--caller", "c1", "--integration", "marketplace", "--site", "corner-shop",
		"--username", "jane", "--password-stdin")
	if got.code != exitOK || e.requests[0].(*accounts.LinkAccountRequest).Body.Site != "corner-shop" {
		t.Errorf("got %+v for %+v", got, e.requests)
	}
	if got := e.igw(t, "", nil, "account", "list"); !strings.Contains(got.stdout, "SITE") || !strings.Contains(got.stdout, "sandbox") {
		t.Errorf("got %+v", got)
	}
}

func TestLinkWithoutAUsablePasswordSendsNothing(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	link := []string{"account", "link", "--caller", "c1", "--integration", "agency", "--username", "jane"}
	for name, c := range map[string]struct {
		stdin string
		args  []string
		code  int
	}{
		"none":           {"", nil, exitFailed},
		"empty":          {"\n", []string{"--password-stdin"}, exitFailed},
		"two lines":      {"a\nb\n", []string{"--password-stdin"}, exitFailed},
		"too long":       {strings.Repeat("x", maxSecret+1), []string{"--password-stdin"}, exitFailed},
		"as an argument": {"", []string{"--password", "swordfish"}, exitUsage},
		"two sources":    {"a", []string{"--password-stdin", "--password-file", "/dev/null"}, exitUsage},
	} {
		if got := e.igw(t, c.stdin, nil, append(link, c.args...)...); got.code != c.code || strings.Contains(got.stderr, "swordfish") {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if len(e.requests) != 0 {
		t.Errorf("%d requests were sent", len(e.requests))
	}
}

func TestErrorsSayWhatTheGatewaySaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"invalid": {contracts.Errorf(contracts.Invalid, "body.integration must be one of: agency"), "igw: body.integration must be one of: agency\n"},
		"fault":   {contracts.Errorf(contracts.Fault, "internal error"), "igw: internal error (command command-1)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, func(_, _ any) error { return c.err })
			if got := e.igw(t, "", nil, "account", "show", "a1"); got.code != exitFailed || got.stderr != c.want || got.stdout != "" {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
	e := newEdge(t, examples)
	wrong := map[string]string{"ADMIN_TOKEN": "wrong"}
	if got := e.igw(t, "", wrong, "caller", "list"); got.code != exitFailed || got.stderr != "igw: the gateway answered 401 Unauthorized\n" {
		t.Errorf("wrong token: got %+v", got)
	}
	e.Close()
	if got := e.igw(t, "", nil, "caller", "list"); got.code != exitFailed || !strings.Contains(got.stderr, "does not answer") {
		t.Errorf("gateway down: got %+v", got)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "nonsense", "caller", "caller create", "token revoke c1", "caller list --gateway-url=ftp://x", "caller list --gateway-url=:"} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(line), console{
			env: func(string) string { return adminToken }, stdin: os.Stdin, stdout: &bytes.Buffer{}, stderr: &stderr,
		})
		if code != exitUsage || !strings.HasPrefix(stderr.String(), "igw: ") {
			t.Errorf("%q: exit code %d, %q", line, code, stderr.String())
		}
	}
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"caller", "list"}, console{env: func(string) string { return "" }, stdin: os.Stdin, stdout: &bytes.Buffer{}, stderr: &stderr})
	if code != exitUsage || !strings.Contains(stderr.String(), "ADMIN_TOKEN") {
		t.Errorf("no admin token: exit code %d, %q", code, stderr.String())
	}
}

// The gateway and a person at a pipe may both never answer.
func TestInterruptEndsEveryWait(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close(); reader.Close() })
	for _, line := range []string{
		"caller list",
		"account link --caller c1 --integration agency --username jane --password-stdin",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		var stderr bytes.Buffer
		code := run(ctx, append(strings.Fields(line), "--gateway-url", silent.URL), console{
			env: func(string) string { return adminToken }, stdin: reader, stdout: &bytes.Buffer{}, stderr: &stderr,
		})
		cancel()
		if code != exitFailed || stderr.String() != "igw: interrupted\n" {
			t.Errorf("%s: exit code %d, %q", line, code, stderr.String())
		}
	}
}

func TestACommandsStoryFitsOnAScreen(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	end := begin.Add(1734 * time.Millisecond)
	e := newEdge(t, func(req, res any) error {
		story, ok := res.(*audit.CommandStory)
		if !ok || !req.(*audit.GetCommandRequest).Open {
			t.Errorf("asked with %+v", req)
			return nil
		}
		story.Command = &audit.Command{
			CommandID: "c1", Integration: "marketplace", Operation: "buy-now", State: "succeeded", Effect: "order", EffectState: "confirmed",
			AcceptedAt: begin, EndedAt: &end, DurationMS: 1734, Site: "sandbox", SiteHash: "5f70bf18a086",
		}
		story.Events = []audit.Event{
			{Seq: 7, Type: "command.accepted", Time: begin, Data: json.RawMessage(`{"request":{"asin":"B0"}}`)},
			{Seq: 9, Type: "command.completed", Time: end, DataLeftOut: true},
		}
		return nil
	})
	out := e.igw(t, "", nil, "command", "show", "--open", "c1")
	want := []string{
		"operation  marketplace.buy-now", "site       sandbox (5f70bf18a086)", "effect     order: confirmed", "took       1.734s",
		`7    0s      command.accepted   {"request":{"asin":"B0"}}`, "9    1.734s  command.completed  (too long for this answer; see igw events list)",
	}
	for _, line := range want {
		if !strings.Contains(out.stdout, line) {
			t.Errorf("%q is missing in\n%s%s", line, out.stdout, out.stderr)
		}
	}
}

func TestCommandsAreListedPartByPart(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(req, res any) error {
		list, part := req.(*audit.ListCommandsRequest), res.(*audit.Commands)
		if list.After == "" {
			part.Next = "c1"
		}
		part.Commands = []audit.Command{{CommandID: "after " + list.After, State: list.State}}
		return nil
	})
	out := e.igw(t, "", nil, "command", "list", "--state", "failed", "--since", "2026-11-21", "--limit", "2")
	if strings.Count(out.stdout, "failed") != 2 || !strings.Contains(out.stdout, "after c1") {
		t.Errorf("got %+v", out)
	}
}

func TestTheStateOfTheLogNamesItsProblems(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, res any) error {
		*res.(*audit.LogState) = audit.LogState{Head: 12, Copied: 3, Problems: []string{"the copy is of another log"}}
		return nil
	})
	out := e.igw(t, "", nil, "audit", "status")
	for _, want := range []string{"events in order          12", "none yet", "the copy is of another log"} {
		if !strings.Contains(out.stdout, want) {
			t.Errorf("%q is missing in\n%s%s", want, out.stdout, out.stderr)
		}
	}
}
