package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/vault"
)

// Version is the version that services announce on the bus.
const Version = "1.0.0"

// Host is what a process gives to the services that it runs: its connections,
// the event log and the vault. In production a process runs one service; a
// development stack runs them all.
type Host struct {
	Bus       *nats.Conn
	Log       *eventlog.Log
	Journal   *eventlog.Journal
	LogPool   *pgxpool.Pool // database of the event log
	VaultPool *pgxpool.Pool // database of accounts and secrets
	Vault     *vault.Vault
	Logger    *slog.Logger
	Metrics   *prometheus.Registry // of the services; served at METRICS_ADDR

	cfg     Config
	servers []*bus.Server
	needs   []need
	closers []func() error
	failed  chan error  // holds one
	serving atomic.Bool // what this process is for has been started, and is not being ended
}

// need is something without which the process serves no requests.
type need struct {
	without string // what /readyz says then
	met     func() bool
}

// OpenHost connects to everything that the settings name. The caller must
// Close it.
func OpenHost(ctx context.Context, cfg Config, logger *slog.Logger) (host *Host, err error) {
	if cfg.AtOnce == 0 {
		cfg.AtOnce = cfg.Workers
	}
	h := &Host{cfg: cfg, Logger: logger, Metrics: prometheus.NewRegistry(), failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if h.Bus, err = bus.Connect(cfg.NATSURL, "services", logger); err != nil {
		return nil, err
	}
	h.OnClose(func() error { h.Bus.Close(); return nil })

	forLog, forVault := cfg.connections()
	if h.LogPool, err = h.openPool(ctx, "DATABASE_URL", cfg.DatabaseURL, forLog); err != nil {
		return nil, err
	}
	if err := eventlog.CheckDurability(ctx, h.LogPool); err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	h.Log = eventlog.New(h.LogPool, eventlog.WithNudge(eventlog.Nudge(h.Bus)))
	if h.Journal, err = eventlog.NewJournal(h.Bus); err != nil {
		return nil, err
	}

	if h.VaultPool, err = h.openPool(ctx, "VAULT_DATABASE_URL", cfg.VaultDatabaseURL, forVault); err != nil {
		return nil, err
	}
	if h.Vault, err = vault.Open(ctx, h.VaultPool, cfg.VaultKeeperURL); err != nil {
		return nil, err
	}
	h.OnClose(h.Vault.Close)
	if cfg.MetricsAddr != "" {
		if err := h.serveMetrics(ctx, cfg.MetricsAddr); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// OnClose has f called by Close, once the services are drained. What was
// opened last is closed first.
func (h *Host) OnClose(f func() error) { h.closers = append(h.closers, f) }

// ReadyWhile has /readyz say without whenever met is false. It is for what
// comes back by itself, and is called before Run's serve returns.
func (h *Host) ReadyWhile(met func() bool, without string) {
	h.needs = append(h.needs, need{without, met})
}

// Go runs something beside the services, until Close ends its context.
func (h *Host) Go(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	h.OnClose(func() error {
		cancel()
		<-done
		return nil
	})
}

// GoVital runs, like Go, something that the process cannot do without. When it
// ends before Close ends its context, Failed delivers why.
func (h *Host) GoVital(name string, run func(context.Context) error) {
	h.Go(func(ctx context.Context) {
		err := run(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("it has ended by itself")
		}
		err = fmt.Errorf("%s: %w", name, err)
		select {
		case h.failed <- err:
		default: // the first one has the process end
			h.Logger.Error("something vital has ended", "error", err)
		}
	})
}

// Failed delivers the error of something vital that ended by itself. The
// process should then close its host and end.
func (h *Host) Failed() <-chan error { return h.failed }

// Start announces a service, whose operations bind binds, on the host's bus.
// It fills in what is the same for all services of the process, and the
// settings' Workers and Queue where cfg names no workers of its own.
func (h *Host) Start(cfg bus.Config, bind func(*bus.Server)) error {
	cfg.Version, cfg.Logger = Version, h.Logger
	if cfg.Workers == 0 {
		cfg.Workers, cfg.Queue = h.cfg.Workers, h.cfg.Queue
	}
	srv := bus.NewServer(cfg)
	bind(srv)
	if err := srv.Start(h.Bus); err != nil {
		return err
	}
	h.servers = append(h.servers, srv)
	return nil
}

// Close drains the services side by side, within DrainTimeout, and then ends
// the rest.
func (h *Host) Close() error {
	h.serving.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), h.cfg.DrainTimeout)
	defer cancel()
	drained := make([]error, len(h.servers))
	var drains sync.WaitGroup
	for i, srv := range h.servers {
		drains.Go(func() { drained[i] = srv.Drain(ctx) })
	}
	drains.Wait()
	errs := []error{errors.Join(drained...)}
	for _, closeOne := range slices.Backward(h.closers) {
		errs = append(errs, closeOne())
	}
	return errors.Join(errs...)
}
