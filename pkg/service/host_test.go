package service_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const keeperURL = "base64key://smGbjm71Nxd1Ig5FS0wj9SlbzAIrnolCz9bQQ6uAhl4="

// open opens a host on a database and a NATS account of the test's own.
func open(t *testing.T, variables map[string]string) (*service.Host, error) {
	t.Helper()
	all := map[string]string{
		"DATABASE_URL": testenv.DatabaseURL(t), "NATS_URL": testenv.NATSURL(t), "VAULT_KEEPER_URL": keeperURL,
	}
	maps.Copy(all, variables)
	cfg, err := settings.FromMap[service.Config](all)
	if err != nil {
		t.Fatal(err)
	}
	return service.OpenHost(t.Context(), cfg, slog.New(slog.DiscardHandler))
}

func TestHostTellsThatSomethingVitalHasEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]error{"with an error": errors.New("out of ink"), "without one": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, err := open(t, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := host.Close(); err != nil {
					t.Error(err)
				}
			}()
			host.GoVital("the printer", func(context.Context) error { return end })
			host.GoVital("the clerk", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			select {
			case err := <-host.Failed():
				if !strings.HasPrefix(err.Error(), "the printer: ") || end != nil && !errors.Is(err, end) {
					t.Errorf("got %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("nothing was told")
			}
		})
	}
}

func TestWhatClosedAsToldHasNotFailed(t *testing.T) {
	t.Parallel()
	host, err := open(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	host.GoVital("the clerk", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	if err := host.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-host.Failed():
		t.Errorf("got %v", err)
	default:
	}
}

func TestDatabaseThatIsNotThereIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"DATABASE_URL", "VAULT_DATABASE_URL"} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, map[string]string{setting: "postgres://u:hunter2@127.0.0.1:1/x"})
			if err == nil || !strings.HasPrefix(err.Error(), setting+": ") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v", err)
			}
		})
	}
}
