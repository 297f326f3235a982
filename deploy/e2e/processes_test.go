package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/process"
	kit "integration.gateway/pkg/sandbox"
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

// build builds the programs of the installation.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin,
		"integration.gateway/gateway/cmd/gateway",
		"integration.gateway/services/accounts/cmd/accounts",
		"integration.gateway/services/marketplace/cmd/marketplace",
		"integration.gateway/deploy/cmd/igw")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return bin
}

// run starts a process and ends it, in order, when the test ends.
func (i *installation) run(name string) {
	i.Helper()
	var output bytes.Buffer
	cmd := exec.Command(filepath.Join(i.bin, name))
	cmd.Env, cmd.Stdout, cmd.Stderr = i.env, &output, &output
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

// TestProcessesOfTheirOwn installs the gateway the way production does, links
// an account from the command line, and searches.
func TestProcessesOfTheirOwn(t *testing.T) {
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
	i := &installation{T: t, bin: build(t), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"DATABASE_URL=" + databaseURL, "NATS_URL=" + natsURL, "VAULT_KEEPER_URL=" + keeperURL,
		"ADMIN_TOKEN=" + adminToken, "GATEWAY_ADDR=" + address, "GATEWAY_URL=http://" + address,
		"SITE_URL=" + site.URL(), "CHROMIUM=" + testenv.Chromium(t),
	}}
	migrate := exec.CommandContext(t.Context(), filepath.Join(i.bin, "igw"), "migrate")
	migrate.Env = i.env
	if output, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for _, name := range []string{"accounts", "marketplace", "gateway"} {
		i.run(name)
	}
	g := &gateway{T: t, env: stack.Env{GatewayURL: "http://" + address, AdminToken: adminToken, DatabaseURL: databaseURL}}
	awaitServices(t, natsURL, "http://"+address+"/readyz", "accounts", "marketplace")

	caller := igw[accounts.Caller](i, "", "caller", "create", "Shopping assistant")
	token := igw[accounts.IssuedToken](i, "", "token", "issue", caller.CallerID)
	linked := igw[accounts.LinkedAccount](i, sandbox.Jane.Password+"\n", "account", "link",
		"--caller", caller.CallerID, "--integration", "marketplace", "--username", sandbox.Jane.Username, "--password-stdin")

	r := g.send(http.MethodGet, marketplace.Search.Path+"?query=coffee", tokens{token.AccessToken, linked.AccountToken}, nil)
	if found := result[marketplace.SearchResults](g, r); len(found.Items) == 0 {
		t.Error("nothing was found")
	}
	g.expectEvents(r, "command.accepted", "command.completed")

	igw[accounts.Account](i, "", "account", "unlink", linked.AccountID)
	r = g.send(http.MethodGet, marketplace.Search.Path+"?query=coffee", tokens{token.AccessToken, linked.AccountToken}, nil)
	refusal(g, r, http.StatusUnauthorized)
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
