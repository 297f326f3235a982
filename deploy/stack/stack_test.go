package stack

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
	"integration.gateway/deploy/migration"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// openStack returns a stack of which nothing runs but its stores.
func openStack(t *testing.T) *Stack {
	t.Helper()
	keeperURL, err := newKeeperURL()
	if err != nil {
		t.Fatal(err)
	}
	s := newStack(Config{RunDir: t.TempDir(), StopTimeout: time.Second}, slog.New(slog.DiscardHandler))
	s.Env.DatabaseURL, s.Env.NATSURL, s.Env.VaultKeeperURL = testenv.DatabaseURL(t), testenv.NATSURL(t), keeperURL
	if err := migration.Apply(t.Context(), s.Env.DatabaseURL, s.Env.DatabaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStackTellsThatAServiceHasEndedByItself(t *testing.T) {
	t.Parallel()
	s := openStack(t)
	out := errors.New("out of ink")
	err := s.startService(t.Context(), "printer", schema.Service, 1, func(host *service.Host) error {
		host.GoVital("pen", func(context.Context) error { return out })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.Failed():
		if !errors.Is(err, out) || !strings.HasPrefix(err.Error(), "printer: pen: ") {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was told")
	}
}

func TestServiceThatCannotStartLeavesNothing(t *testing.T) {
	t.Parallel()
	s := openStack(t)
	var closed bool
	err := s.startService(t.Context(), "printer", schema.Service, 1, func(host *service.Host) error {
		host.OnClose(func() error { closed = true; return nil })
		return errors.New("out of ink")
	})
	if err == nil || !closed || len(s.parts) != 0 {
		t.Errorf("got %v, closed: %t, %d parts", err, closed, len(s.parts))
	}
}

// TestStopWaitsForTheCopyOfTheLastEvents appends an event before anything
// copies it.
func TestStopWaitsForTheCopyOfTheLastEvents(t *testing.T) {
	t.Parallel()
	s := openStack(t)
	pool, err := pgxpool.New(t.Context(), s.Env.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	nc, err := nats.Connect(s.Env.NATSURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	e, err := event.New(event.AccountLinked{})
	if err != nil {
		t.Fatal(err)
	}
	e.Integration = "marketplace"
	if _, err := pool.Exec(t.Context(), `SELECT open_log()`); err != nil { // as the keeper did that has just ended
		t.Fatal(err)
	}
	if _, err := eventlog.New(pool).Append(t.Context(), event.AccountStream("a"), 0, e); err != nil {
		t.Fatal(err)
	}
	keeper := eventlog.NewKeeper(eventlog.KeeperConfig{Pool: pool, NATS: nc, Logger: s.logger})
	s.run("keeper", keeper.Run)
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := awaitCopy(ctx, pool, nc); err != nil {
		t.Error(err)
	}
	if state, err := eventlog.State(t.Context(), pool, nc, eventlog.DefaultStream); err != nil || state.Copied != 1 {
		t.Errorf("%d events are copied, %v", state.Copied, err)
	}
}
