package service

import (
	"errors"
	"time"

	"integration.gateway/pkg/settings"
)

// Config holds the settings that every service's process has. They come from
// environment variables of the names given here.
type Config struct {
	NATSURL          string `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222"`
	DatabaseURL      string `env:"DATABASE_URL,required,notEmpty"` // Postgres that holds the event log
	VaultDatabaseURL string `env:"VAULT_DATABASE_URL"`             // Postgres that holds sealed secrets; default: DATABASE_URL
	VaultKeeperURL   string `env:"VAULT_KEEPER_URL,required,notEmpty"`

	MetricsAddr string `env:"METRICS_ADDR"` // where /metrics and /readyz are served, such as 127.0.0.1:9090; empty: nowhere

	Workers int `env:"WORKERS" envDefault:"4"` // requests carried out at once
	Queue   int `env:"QUEUE" envDefault:"16"`  // requests that may wait; one account may take half of the places

	// AtOnce is how many requests all services of the process carry out at once,
	// where that is not WORKERS. It is the program's to say.
	AtOnce int
	// DatabaseConnections bounds the two pools together; the lease of an
	// integration's process takes one more. See connections.
	DatabaseConnections int `env:"DATABASE_CONNECTIONS" envDefault:"40"`

	// DrainTimeout is how long requests under way may go on when the process is
	// told to stop. The default is enough for the longest operation, of 2
	// minutes, and for recording its end.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"130s"`
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
		settings.Between("DATABASE_CONNECTIONS", c.DatabaseConnections, 2*leastConnections, 1000),
	)
}
