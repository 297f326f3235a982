package service_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/bus"
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

var (
	first  = contracts.Operation[struct{}, struct{}]{Integration: "first", Name: "work", Timeout: 30 * time.Second}
	second = contracts.Operation[struct{}, struct{}]{Integration: "second", Name: "work", Timeout: 30 * time.Second}
)

func TestServicesOfAHostDrainSideBySide(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	host, err := open(t, map[string]string{"NATS_URL": url})
	if err != nil {
		t.Fatal(err)
	}
	client, err := bus.Connect(url, t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	begun, end := make(chan struct{}), make(chan struct{})
	for _, op := range []contracts.Operation[struct{}, struct{}]{first, second} {
		err := host.Start(bus.Config{Name: op.Integration}, func(srv *bus.Server) {
			bus.Handle(srv, op, func(context.Context, *struct{}) (*struct{}, error) {
				if op.Integration == first.Integration {
					close(begun)
					<-end
				}
				return &struct{}{}, nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	call := func(op contracts.Info) error { return bus.Call(t.Context(), client, op, struct{}{}, &struct{}{}) }
	underWay, closed := make(chan error, 1), make(chan error, 1)
	go func() { underWay <- call(first.Info()) }()
	<-begun
	go func() { closed <- host.Close() }()
	// The second service takes no more while the first has something under way.
	for deadline := time.Now().Add(10 * time.Second); call(second.Info()) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the second service waits for the first")
		}
	}
	close(end)
	if err := <-underWay; err != nil {
		t.Errorf("what was under way: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestAServiceDrainsForAsLongAsAnOperationMayTake(t *testing.T) {
	t.Parallel()
	cfg, err := settings.FromMap[service.Config](map[string]string{"DATABASE_URL": "postgres:///", "VAULT_KEEPER_URL": keeperURL})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range append(catalog.All(), catalog.Admin()...) {
		if info := entry.Info(); cfg.DrainTimeout < info.Timeout+bus.ReplyMargin {
			t.Errorf("DRAIN_TIMEOUT is %v, %s may take %v", cfg.DrainTimeout, info.ID(), info.Timeout+bus.ReplyMargin)
		}
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
