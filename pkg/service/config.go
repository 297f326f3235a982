package service

import (
	"errors"
	"time"

	"integration.gateway/pkg/settings"
)

// Config holds the settings of a process that serves integrations. They come
// from environment variables of the names given here.
type Config struct {
	NATSURL          string `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
	DatabaseURL      string `env:"DATABASE_URL,required,notEmpty"` // Postgres that holds the event log
	VaultDatabaseURL string `env:"VAULT_DATABASE_URL"`             // Postgres that holds sealed secrets; default: DATABASE_URL
	VaultKeeperURL   string `env:"VAULT_KEEPER_URL,required,notEmpty"`

	Chromium string `env:"CHROMIUM"` // path of the browser; empty: look for one

	Workers  int `env:"WORKERS" envDefault:"4"`   // commands carried out at once, per integration
	Queue    int `env:"QUEUE" envDefault:"16"`    // commands that may wait for a worker, per integration
	Contexts int `env:"CONTEXTS" envDefault:"32"` // accounts kept warm in the browser

	SiteURL string `env:"SITE_URL"` // base URL of the site, instead of the one in its site.yaml

	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"90s"` // for commands under way when the process is told to stop
}

// Validate checks the ranges and fills in defaults that depend on other
// settings.
func (c *Config) Validate() error {
	if c.VaultDatabaseURL == "" {
		c.VaultDatabaseURL = c.DatabaseURL
	}
	return errors.Join(
		settings.Between("WORKERS", c.Workers, 1, 256),
		settings.Between("QUEUE", c.Queue, 0, 10_000),
		settings.Between("CONTEXTS", c.Contexts, 1, 1000),
	)
}
