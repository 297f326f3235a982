package postgres_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"integration.gateway/pkg/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func setup(t *testing.T) context.Context {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(ctx context.Context, t *testing.T, options postgres.Options) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(ctx)) })
	return server
}

// query returns the text that one statement answers, or its error's.
func query(ctx context.Context, t *testing.T, address, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = conn.Close(ctx) }()
	var answer string
	if err := conn.QueryRow(ctx, statement).Scan(&answer); err != nil {
		return err.Error()
	}
	return answer
}

func write(ctx context.Context, t *testing.T, address, statement string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}

// closedDir is a folder below one that only its owner may enter, as /root is.
func closedDir(t *testing.T) string {
	t.Helper()
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(closed, "postgres")
}

func TestDataSurvivesARestart(t *testing.T) {
	ctx := setup(t)
	dir := closedDir(t)

	server := start(ctx, t, postgres.Options{Dir: dir, Settings: map[string]string{"max_connections": "17"}})
	if got := query(ctx, t, server.URL(), "SHOW max_connections"); got != "17" {
		t.Errorf("max_connections = %s", got)
	}
	write(ctx, t, server.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	if err := server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := server.Err(); err != nil {
		t.Errorf("after an orderly stop: %v", err)
	}

	again := start(ctx, t, postgres.Options{Dir: dir})
	if got := query(ctx, t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("after the restart: %s", got)
	}
}

func TestDataSurvivesAKilledServer(t *testing.T) {
	ctx := setup(t)
	dir := closedDir(t)
	server := start(ctx, t, postgres.Options{Dir: dir})
	write(ctx, t, server.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")

	killed, cancel := context.WithCancel(ctx)
	cancel()
	if err := server.Stop(killed); !errors.Is(err, context.Canceled) {
		t.Fatalf("Stop without time: %v", err)
	}
	again := start(ctx, t, postgres.Options{Dir: dir})
	if got := query(ctx, t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("after the restart: %s", got)
	}
}

func TestPortIsTheOneAskedFor(t *testing.T) {
	ctx := setup(t)
	port := freePort(t)
	server := start(ctx, t, postgres.Options{Dir: closedDir(t), Port: port})
	address, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	if address.Port() != itoa(port) {
		t.Errorf("port %s, asked for %d", address.Port(), port)
	}
}

func TestPasswordIsAskedFor(t *testing.T) {
	ctx := setup(t)
	server := start(ctx, t, postgres.Options{Dir: closedDir(t)})
	address, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("postgres", "wrong")
	if got := query(ctx, t, address.String(), "SELECT 'in'"); !strings.Contains(got, "password authentication failed") {
		t.Errorf("with a wrong password: %s", got)
	}
}

func TestErrorsAreOneClearLine(t *testing.T) {
	ctx := setup(t)
	busy, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	running := closedDir(t)
	start(ctx, t, postgres.Options{Dir: running})
	otherVersion := closedDir(t)
	if err := start(ctx, t, postgres.Options{Dir: otherVersion}).Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(otherVersion, "data", "PG_VERSION"), []byte("9.6\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		options postgres.Options
		want    string
	}{
		"port in use":        {postgres.Options{Dir: closedDir(t), Port: portOf(t, busy)}, "is in use"},
		"another server":     {postgres.Options{Dir: running}, "another PostgreSQL server (process "},
		"another version":    {postgres.Options{Dir: otherVersion}, "database files are incompatible with server"},
		"unknown setting":    {postgres.Options{Dir: closedDir(t), Settings: map[string]string{"no_such": "1"}}, `unrecognized configuration parameter "no_such"`},
		"programs misplaced": {postgres.Options{Dir: closedDir(t), Programs: "/no/such"}, "/no/such/initdb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := 20 * time.Second
			if name == "another server" {
				limit = 300 * time.Millisecond // it is waited for in vain
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			server, err := postgres.Start(ctx, test.options)
			if err == nil {
				_ = server.Stop(ctx)
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v\nshould contain: %s", err, test.want)
			}
		})
	}
}

func TestServerRunsAsAnOrdinaryUser(t *testing.T) {
	ctx := setup(t)
	dir := closedDir(t)
	start(ctx, t, postgres.Options{Dir: dir})
	info, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		t.Errorf("its files belong to root")
	}
}

func TestCrashIsReported(t *testing.T) {
	ctx := setup(t)
	dir := closedDir(t)
	server := start(ctx, t, postgres.Options{Dir: dir})
	content, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	if err := syscall.Kill(atoi(t, line), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-server.Done():
	case <-ctx.Done():
		t.Fatal("the end was not noticed")
	}
	if err := server.Err(); err == nil {
		t.Error("no error after a crash")
	}
}
