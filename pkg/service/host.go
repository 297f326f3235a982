package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/vault"
)

// Host is what a process gives to the services that it runs: its connections,
// the event log, the vault and, once an integration needs them, the browsers.
// In production a process runs one service; a development stack runs them all.
type Host struct {
	Bus       *nats.Conn
	Log       *eventlog.Log
	VaultPool *pgxpool.Pool // database of accounts and secrets
	Vault     *vault.Vault
	Logger    *slog.Logger

	cfg      Config
	browsers *browser.Pool // nil before the first integration
	servers  []*bus.Server
	closers  []func() error // in order of opening; closed in reverse
}

// OpenHost connects to everything that the settings name and starts the
// keeper of the event log. The caller must Close it.
func OpenHost(ctx context.Context, cfg Config, logger *slog.Logger) (host *Host, err error) {
	h := &Host{cfg: cfg, Logger: logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if h.Bus, err = bus.Connect(cfg.NATSURL, "services", logger); err != nil {
		return nil, err
	}
	h.onClose(func() error { h.Bus.Close(); return nil })

	logPool, err := h.openPool(ctx, "DATABASE_URL", cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	h.Log = eventlog.New(logPool, eventlog.WithNudge(eventlog.Nudge(h.Bus)))
	h.keepLog(logPool)

	if h.VaultPool, err = h.openPool(ctx, "VAULT_DATABASE_URL", cfg.VaultDatabaseURL); err != nil {
		return nil, err
	}
	if h.Vault, err = vault.Open(ctx, h.VaultPool, cfg.VaultKeeperURL); err != nil {
		return nil, err
	}
	h.onClose(h.Vault.Close)
	return h, nil
}

// openBrowsers starts the browsers, once.
func (h *Host) openBrowsers(ctx context.Context) (err error) {
	if h.browsers != nil {
		return nil
	}
	h.browsers, err = browser.Open(ctx, browser.Config{Path: h.cfg.Chromium, MaxContexts: h.cfg.Contexts, Log: h.Logger})
	if err != nil {
		return err
	}
	h.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		return h.browsers.Close(ctx)
	})
	return nil
}

// closeTimeout bounds the end of the browsers.
const closeTimeout = 10 * time.Second

func (h *Host) onClose(f func() error) { h.closers = append(h.closers, f) }

// openPool connects to the Postgres database that a setting names.
func (h *Host) openPool(ctx context.Context, setting, url string) (*pgxpool.Pool, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		// The library's text holds the URL without its password.
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	h.onClose(func() error { pool.Close(); return nil })
	if err := pool.Ping(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return pool, nil
}

// keepLog runs the event log's keeper beside the services: any number of
// processes do, and one of them leads.
func (h *Host) keepLog(pool *pgxpool.Pool) {
	keeper := eventlog.NewKeeper(eventlog.KeeperConfig{Pool: pool, NATS: h.Bus, Logger: h.Logger})
	h.Go(func(ctx context.Context) {
		if err := keeper.Run(ctx); err != nil && ctx.Err() == nil {
			h.Logger.Error("the event log's keeper has ended", "error", err)
		}
	})
}

// Go runs something beside the services, until Close ends its context.
func (h *Host) Go(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	h.onClose(func() error {
		cancel()
		<-done
		return nil
	})
}

// Serve starts an integration on the host. It takes requests until Close. A
// siteURL stands in for the base URL of the site's folder.
func (h *Host) Serve(ctx context.Context, integration Integration, siteURL string) error {
	if err := h.openBrowsers(ctx); err != nil {
		return err
	}
	site, err := loadSite(integration, siteURL)
	if err != nil {
		return err
	}
	recorder := command.Recorder{
		Log:    h.Log,
		Sealer: h.Vault,
		Site:   func() (name, hash string) { return site.Name, site.Hash },
	}
	player := &Player{site: site, browsers: h.browsers, vault: h.Vault, logger: h.Logger}
	return h.Start(bus.Config{
		Name:        integration.Name,
		Description: integration.Description,
		Chain:       recorder.Middleware,
	}, func(srv *bus.Server) { integration.Bind(srv, player) })
}

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

// Close drains the services, within DrainTimeout, and then ends the rest.
func (h *Host) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), h.cfg.DrainTimeout)
	defer cancel()
	var errs []error
	for _, srv := range h.servers {
		errs = append(errs, srv.Drain(ctx))
	}
	for _, closeOne := range slices.Backward(h.closers) {
		errs = append(errs, closeOne())
	}
	return errors.Join(errs...)
}
