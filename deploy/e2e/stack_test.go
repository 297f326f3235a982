package e2e_test

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
	"integration.gateway/services/applications"
	"integration.gateway/services/marketplace/sandbox"
)

// TestRunFolderIsOfOneStack wants the environment file there while the stack
// runs, and no other stack.
func TestRunFolderIsOfOneStack(t *testing.T) {
	t.Parallel()
	cfg := configure(t, allIntegrations)
	s, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.RunDir, "env")
	if err := s.Publish(); err != nil {
		t.Error(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	names := []string{
		"GATEWAY_URL", "ADMIN_TOKEN", "ACCESS_TOKEN", "NATS_URL", "DATABASE_URL", "AUDIT_DATABASE_URL", "CHECKPOINT_VERIFIER",
		"VAULT_DATABASE_URL", "VAULT_KEEPER_URL",
	}
	for _, app := range applications.All {
		names = append(names, "ACCOUNT_TOKEN_"+app.Variable(), "SANDBOX_"+app.Variable()+"_URL")
	}
	for _, name := range names {
		if !regexp.MustCompile("(?m)^" + name + "=.").Match(content) {
			t.Errorf("%s is missing in %s", name, content)
		}
	}
	if _, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "another stack runs") {
		t.Errorf("a second stack: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a second stack was refused, and took the file along: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestPortInUseIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	_, err = stack.Start(t.Context(), configure(t, "GATEWAY_ADDR="+taken.Addr().String()), slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "GATEWAY_ADDR") {
		t.Errorf("got %v", err)
	}
}

func TestStackThatCannotStartGivesItsPortBack(t *testing.T) {
	t.Parallel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	cfg := configure(t, "GATEWAY_ADDR="+addr, "STACK_DATABASE_URL=postgres://nobody@127.0.0.1:1/nothing")
	if _, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler)); err == nil {
		t.Fatal("the stack has started without a database")
	}
	again, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestWrongSettingIsNamed(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"CHROMIUM":           {"CHROMIUM=/nonexistent"},
		"STACK_DATABASE_URL": {"STACK_DATABASE_URL=postgres://nobody@127.0.0.1:1/nowhere"},
		"NATS_PORT":          {"NATS_PORT=65536", "STACK_NATS_URL="},
		"POSTGRES_PORT":      {"POSTGRES_PORT=65536", "STACK_DATABASE_URL="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := stack.Start(t.Context(), configure(t, set...), slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAccountWithoutAWarmContextComesBackSignedIn lets a second account push
// the first one's context out of the browser.
func TestAccountWithoutAWarmContextComesBackSignedIn(t *testing.T) {
	t.Parallel()
	g := start(t, "CONTEXTS=1")
	list := func(who tokens) {
		result[marketplace.BuyAgainList](g, g.send(http.MethodGet, marketplace.BuyAgain.Path, who, nil))
	}
	list(g.demonstration())
	list(g.link(sandbox.Amir.Username, sandbox.Amir.Password))
	list(g.demonstration())
	if got := g.state().SignIns; got != 2 {
		t.Errorf("the shop saw %d sign-ins, want one of each account", got)
	}
}

func TestStackTellsThatItsDatabaseHasDied(t *testing.T) {
	t.Parallel()
	cfg := configure(t, "STACK_DATABASE_URL=")
	s, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	// The first line of the file is the server's process id.
	content, err := os.ReadFile(filepath.Join(cfg.RunDir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.Failed():
		if !strings.Contains(err.Error(), "Postgres") {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was told")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
