package command_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/testenv"
	"integration.gateway/pkg/vault"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const keeperURL = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="

// parts are a database with everything that a Recorder needs.
type parts struct {
	url      string
	pool     *pgxpool.Pool
	log      *eventlog.Log
	vault    *vault.Vault
	register *command.Register
}

// instance starts an instance that ends with the test.
func (p parts) instance(t *testing.T, lease time.Duration) *command.Instance {
	t.Helper()
	i, err := command.NewInstance(t.Context(), p.pool, lease, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return i
}

// recorder returns the recorder of a new instance.
func (p parts) recorder(t *testing.T) command.Recorder {
	t.Helper()
	return command.Recorder{
		Log: p.log, Sealer: p.vault, Register: p.register, Instance: p.instance(t, command.DefaultInstanceLease),
		Site: func() (string, string) { return "corner-shop", "abc" },
	}
}

func newParts(t *testing.T) parts {
	t.Helper()
	url := testenv.DatabaseURL(t)
	for _, migrate := range []func(context.Context, string) error{eventlog.Migrate, command.Migrate, vault.Migrate} {
		if err := migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	v, err := vault.Open(t.Context(), pool, keeperURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return parts{url: url, pool: pool, log: eventlog.New(pool), vault: v, register: command.NewRegister(pool)}
}
