// Package service is a service's process: its settings, its connections to the
// bus, the databases and the vault (Host), and its life from start to drain.
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

// Run runs a service as a process until it receives SIGINT or SIGTERM, or
// something that it cannot do without has ended: serve starts it on the
// process's host. Its settings come from the environment; see Config.
func Run(name string, serve func(context.Context, *Host) error) { RunAtOnce(name, 0, serve) }

// RunAtOnce is Run for a service that carries out so many requests at once,
// whatever WORKERS is; 0 for WORKERS.
func RunAtOnce(name string, atOnce int, serve func(context.Context, *Host) error) {
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("service", name)
	if err := run(logger, atOnce, serve); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(logger *slog.Logger, atOnce int, serve func(context.Context, *Host) error) error {
	cfg, err := settings.FromEnv[Config]()
	if err != nil {
		return err
	}
	cfg.AtOnce = atOnce
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	host, err := OpenHost(ctx, cfg, logger)
	if err != nil {
		return err
	}
	return host.live(ctx, serve)
}

// live has serve start the service, and closes the host once ctx has ended or
// something vital has.
func (h *Host) live(ctx context.Context, serve func(context.Context, *Host) error) error {
	if err := serve(ctx, h); err != nil {
		return errors.Join(err, h.Close())
	}
	h.serving.Store(true)
	h.Logger.Info("serving")
	var failure error
	select {
	case failure = <-h.Failed():
	case <-ctx.Done():
	}
	h.Logger.Info("draining")
	return errors.Join(failure, h.Close())
}
