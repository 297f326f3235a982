// Command gateway is the HTTP edge of the Integration Gateway as a process of
// its own. Its settings are environment variables: see gateway.Config, and
// NATS_URL for the message bus. SIGTERM and SIGINT drain it.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"integration.gateway/gateway"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/settings"
)

type config struct {
	gateway.Config
	NATSURL string `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	cfg, err := settings.FromEnv[config]()
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	nc, err := bus.Connect(cfg.NATSURL, "gateway", logger)
	if err != nil {
		return err
	}
	defer nc.Close()
	server, err := gateway.New(cfg.Config, gateway.Deps{Bus: nc, Log: logger})
	if err != nil {
		return err
	}
	return server.Run(ctx)
}
