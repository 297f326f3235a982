package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"integration.gateway/pkg/settings"
)

// Main runs one integration as a process until it receives SIGINT or SIGTERM.
// Its settings come from the environment; see Config.
func Main(integration Integration) {
	Run(integration.Name, func(ctx context.Context, host *Host, cfg Config) error {
		return host.Serve(ctx, integration, cfg.SiteURL)
	})
}

// Run is Main for a service that is no integration: serve starts it on the
// process's host.
func Run(name string, serve func(context.Context, *Host, Config) error) {
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("service", name)
	if err := run(logger, serve); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(logger *slog.Logger, serve func(context.Context, *Host, Config) error) error {
	cfg, err := settings.FromEnv[Config]()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	host, err := OpenHost(ctx, cfg, logger)
	if err != nil {
		return err
	}
	if err := serve(ctx, host, cfg); err != nil {
		return errors.Join(err, host.Close())
	}
	logger.Info("serving")
	<-ctx.Done()
	stop() // a second signal ends the process at once
	logger.Info("draining")
	return host.Close()
}
