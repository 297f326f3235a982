package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/process"
	"integration.gateway/pkg/proof"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/marketplace/sandbox"
)

const (
	startLimit = 30 * time.Second
	stopLimit  = 30 * time.Second
	keeperURL  = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="
	adminToken = "an-admin-token-for-this-test"
)

// installation is the gateway as an operator installs it: a process each for
// the gateway and the services, and the command line igw.
type installation struct {
	*testing.T
	bin string
	env []string
}

// build builds the programs of the installation, without what only debuggers
// read: that would take longer than the rest. It returns their folder.
func build(t testing.TB) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", bin,
		"integration.gateway/gateway/cmd/gateway",
		"integration.gateway/services/accounts/cmd/accounts",
		"integration.gateway/services/audit/cmd/audit",
		"integration.gateway/services/marketplace/cmd/marketplace",
		"integration.gateway/deploy/cmd/igw")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile builds programs
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return bin
}

// run starts a process, with variables of its own, and ends it, in order, when
// the test ends.
func (i *installation) run(name string, variables ...string) {
	i.Helper()
	var output bytes.Buffer
	cmd := exec.Command(filepath.Join(i.bin, name))
	cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(i.env, variables), &output, &output
	p, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		i.Fatal(err)
	}
	i.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		if err := p.Stop(ctx, syscall.SIGTERM); err != nil {
			i.Errorf("stop %s: %v", name, err)
		}
		if err := p.Err(); err != nil || i.Failed() {
			i.Errorf("%s ended: %v\n%s", name, err, &output)
		}
	})
}

// igw runs the command line and decodes what it prints.
func igw[T any](i *installation, stdin string, args ...string) T {
	i.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(i.Context(), filepath.Join(i.bin, "igw"), append([]string{"--json"}, args...)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = i.env, strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		i.Fatalf("igw %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	var result T
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		i.Fatalf("igw %s printed %s: %v", strings.Join(args, " "), &stdout, err)
	}
	return result
}

// login makes a login that is a member of a role, as an operator does for each
// process, and returns the setting of its database.
func (i *installation) login(databaseURL, role string) string {
	i.Helper()
	name := "e2e_" + strings.ToLower(rand.Text())
	execute(i.T, databaseURL, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD 'secret' IN ROLE %s", name, role))
	i.Cleanup(func() { execute(i.T, databaseURL, "DROP ROLE "+name) })
	return "DATABASE_URL=" + as(i.T, databaseURL, name)
}

// TestProcessesOfTheirOwn installs the gateway the way production does, each
// process with a login of its own, links an account from the command line, and
// searches.
func TestProcessesOfTheirOwn(t *testing.T) {
	programs.join(t)
	t.Parallel()
	site, err := kit.Listen("127.0.0.1:0", sandbox.New())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- site.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	address := freeAddress(t)
	databaseURL, natsURL := testenv.DatabaseURL(t), testenv.NATSURL(t)
	i := &installation{T: t, bin: programs.get(t, build), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NATS_URL=" + natsURL, "VAULT_KEEPER_URL=" + keeperURL,
		"ADMIN_TOKEN=" + adminToken, "GATEWAY_ADDR=" + address, "GATEWAY_URL=http://" + address,
		"SITE_URLS=sandbox=" + site.URL(), "CHROMIUM=" + testenv.Chromium(t), "SESSIONS_RESERVE=0",
	}}
	migrate := exec.CommandContext(t.Context(), filepath.Join(i.bin, "igw"), "migrate")
	migrate.Env = append(slices.Clone(i.env), "DATABASE_URL="+databaseURL)
	if output, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	private, verifier, err := proof.GenerateKey("e2e.test/log")
	if err != nil {
		t.Fatal(err)
	}
	i.run("audit", i.login(databaseURL, schema.Keeper), "CHECKPOINT_KEY="+private, "CHECKPOINT_AGE=100ms")
	i.run("accounts", i.login(databaseURL, schema.Accounts))
	i.run("marketplace", i.login(databaseURL, schema.Service))
	i.run("gateway")
	g := &gateway{T: t, env: stack.Env{GatewayURL: "http://" + address, AdminToken: adminToken, DatabaseURL: databaseURL}}
	awaitServices(t, natsURL, "http://"+address+"/readyz", "audit", "accounts", "marketplace")

	caller := igw[accounts.Caller](i, "", "caller", "create", "Shopping assistant")
	token := igw[accounts.IssuedToken](i, "", "token", "issue", caller.CallerID)
	linked := igw[accounts.LinkedAccount](i, sandbox.Jane.Password+"\n", "account", "link",
		"--caller", caller.CallerID, "--integration", "marketplace", "--username", sandbox.Jane.Username, "--password-stdin")

	r := g.send(http.MethodGet, marketplace.Search.Path+"?query=coffee", tokens{token.AccessToken, linked.AccountToken}, nil)
	if found := result[marketplace.SearchResults](g, r); len(found.Items) == 0 {
		t.Error("nothing was found")
	}
	g.expectEvents(r, "command.accepted", "command.completed")
	g.awaitLog(func(log audit.LogState) error {
		if log.Head == 0 || log.Copied != log.Head || log.Checkpoint == nil || log.Checkpoint.Size != log.Head || log.Checkpoint.Verifier != verifier {
			return fmt.Errorf("the log's state is %+v", log)
		}
		return nil
	})

	igw[accounts.Account](i, "", "account", "unlink", linked.AccountID)
	r = g.send(http.MethodGet, marketplace.Search.Path+"?query=coffee", tokens{token.AccessToken, linked.AccountToken}, nil)
	denied(g, r, http.StatusUnauthorized)
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// awaitServices waits until the gateway is ready and the services answer
// discovery on the bus.
func awaitServices(t *testing.T, natsURL, readyURL string, names ...string) {
	t.Helper()
	nc, err := nats.Connect(natsURL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	await(ctx, t, func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, readyURL, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			err = errors.New(resp.Status)
		}
		return errors.Join(err, resp.Body.Close())
	})
	for _, name := range names {
		subject, err := micro.ControlSubject(micro.PingVerb, name, "")
		if err != nil {
			t.Fatal(err)
		}
		await(ctx, t, func() error {
			_, err := nc.RequestWithContext(ctx, subject, nil)
			return err
		})
	}
}

// await repeats a check until it holds; the end of ctx fails the test.
func await(ctx context.Context, t *testing.T, check func() error) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("still not there: %v", err)
		case <-tick.C:
		}
	}
}
