// Package infra starts what the tests share: one Postgres and one NATS server, in Docker containers or as local processes.
package infra

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options say how to start.
type Options struct {
	// RequireDocker makes a missing Docker daemon an error; without it, local processes take its place.
	RequireDocker bool
	// OnDisk has containers keep their data on a disk, as in production, not in memory. Tests make and drop many schemas, which are
	// many small files each: on a disk, those of the packages that use Postgres most take a fifth longer.
	OnDisk bool
	// Announce is told in one line, before anything is started, which of the two it will be.
	Announce func(line string)
}

// Infra is a running Postgres and NATS server.
type Infra struct {
	// DatabaseURL is the superuser's, without a schema.
	DatabaseURL string
	// NATSURL has no user: each test adds that of its own account.
	NATSURL string

	onDisk bool
	stops  []func(context.Context) error
}

// Start starts both servers and prepares the database; the context bounds the whole. Nothing is left behind when it fails.
func Start(ctx context.Context, options Options) (*Infra, error) {
	root, err := repository(ctx)
	if err != nil {
		return nil, err
	}
	running := &Infra{onDisk: options.OnDisk}
	if err := running.start(ctx, root, options); err != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		return nil, errors.Join(err, running.Stop(stopping))
	}
	return running, nil
}

func (i *Infra) start(ctx context.Context, root string, options Options) error {
	pool, daemon, dockerErr := findDocker()
	switch {
	case dockerErr == nil:
		options.Announce("Docker containers (" + daemon + ")")
		if err := i.startContainers(ctx, root, pool); err != nil {
			return err
		}
	case options.RequireDocker:
		return fmt.Errorf("REQUIRE_DOCKER is set: %w", dockerErr)
	default:
		options.Announce("local processes (" + dockerErr.Error() + ")")
		if err := i.startProcesses(ctx, root); err != nil {
			return err
		}
	}
	return i.prepareDatabase(ctx)
}

// Stop stops everything, last started first, and removes its data. It may be called again after an error.
func (i *Infra) Stop(ctx context.Context) error {
	var errs []error
	for n := len(i.stops) - 1; n >= 0; n-- {
		errs = append(errs, i.stops[n](ctx))
	}
	i.stops = nil
	return errors.Join(errs...)
}

// Postgres settings of every test server. Durability stays on: a test of the event log must see what production sees.
var postgresSettings = map[string]string{
	"max_connections": "400",
	"max_wal_size":    "2GB",
}

// prepareDatabase creates the sequence from which every test process draws its NATS accounts.
func (i *Infra) prepareDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, i.DatabaseURL)
	if err != nil {
		return fmt.Errorf("test database: %w", err)
	}
	_, err = conn.Exec(ctx, fmt.Sprintf(
		"CREATE SEQUENCE testenv_nats_account MINVALUE 0 MAXVALUE %d CYCLE", NATSAccounts-1))
	return errors.Join(err, conn.Close(ctx))
}

// repository returns the folder that holds the five modules.
func repository(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "integration.gateway/pkg").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository with go list: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(output))), nil
}
