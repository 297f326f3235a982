// Command accounts runs one instance of the accounts service. Its settings come
// from the environment; see config.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/catalog"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/vault"
	"integration.gateway/services/accounts"
)

type config struct {
	NATSURL          string        `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
	DatabaseURL      string        `env:"DATABASE_URL,required,notEmpty"` // Postgres that holds the event log
	VaultDatabaseURL string        `env:"VAULT_DATABASE_URL"`             // Postgres that holds accounts and sealed secrets; default: DATABASE_URL
	VaultKeeperURL   string        `env:"VAULT_KEEPER_URL,required,notEmpty"`
	Workers          int           `env:"WORKERS" envDefault:"16"`        // requests carried out at once
	Queue            int           `env:"QUEUE" envDefault:"256"`         // requests that may wait for a worker
	DrainTimeout     time.Duration `env:"DRAIN_TIMEOUT" envDefault:"15s"` // for requests under way when the process is told to stop
}

// Validate checks the ranges and fills in the default that depends on another
// setting.
func (c *config) Validate() error {
	if c.VaultDatabaseURL == "" {
		c.VaultDatabaseURL = c.DatabaseURL
	}
	return errors.Join(
		settings.Between("WORKERS", c.Workers, 1, 256),
		settings.Between("QUEUE", c.Queue, 0, 10_000),
	)
}

func main() {
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, logger); err != nil {
		logger.Error("the accounts service has ended", "error", err)
		os.Exit(1) //nolint:gocritic // nothing is left for stop to do
	}
}

// run puts the service together, from the databases outwards, and serves until
// ctx ends.
func run(ctx context.Context, logger *slog.Logger) error {
	cfg, err := settings.FromEnv[config]()
	if err != nil {
		return err
	}
	// This service owns its database and the vault's tables in it.
	if err := vault.Migrate(ctx, cfg.VaultDatabaseURL); err != nil {
		return err
	}
	if err := accounts.Migrate(ctx, cfg.VaultDatabaseURL); err != nil {
		return err
	}
	vaultPool, err := pgxpool.New(ctx, cfg.VaultDatabaseURL)
	if err != nil {
		return fmt.Errorf("VAULT_DATABASE_URL: %w", err)
	}
	defer vaultPool.Close()
	logPool, err := pgxpool.New(ctx, cfg.DatabaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer logPool.Close()
	secrets, err := vault.Open(ctx, vaultPool, cfg.VaultKeeperURL)
	if err != nil {
		return err
	}
	defer func() { _ = secrets.Close() }()
	nc, err := bus.Connect(cfg.NATSURL, "accounts", logger)
	if err != nil {
		return err
	}
	defer nc.Close()
	service := accounts.New(accounts.Parts{
		Pool:         vaultPool,
		Vault:        secrets,
		Log:          eventlog.New(logPool, eventlog.WithNudge(eventlog.Nudge(nc))),
		Integrations: accounts.IntegrationsOf(catalog.All()),
		Logger:       logger,
	})
	return serve(ctx, cfg, nc, service, logger)
}

// serve answers requests until ctx ends, and then finishes those under way.
func serve(ctx context.Context, cfg config, nc *nats.Conn, service *accounts.Service, logger *slog.Logger) error {
	srv := bus.NewServer(bus.Config{
		Name:        "accounts",
		Version:     "1.0.0",
		Description: "callers, access tokens and linked accounts",
		Workers:     cfg.Workers,
		Queue:       cfg.Queue,
		Logger:      logger,
	})
	service.Bind(srv)
	if err := srv.Start(nc); err != nil {
		return err
	}
	logger.Info("the accounts service is ready")
	service.Run(ctx)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout)
	defer cancel()
	return srv.Drain(drain)
}
