package infra

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Own is a server that one test has for itself and may kill. Its methods are called one at a time.
type Own interface {
	// URL is the superuser's of Postgres, or of a NATS account with JetStream. It stays the same.
	URL() string
	// Start starts the server again after Kill and returns when it answers.
	Start(ctx context.Context) error
	// Kill ends the server as kill -9 does, and returns when it is gone.
	Kill(ctx context.Context) error
	// Stop ends the server and removes its data.
	Stop(ctx context.Context) error

	// Save keeps a copy of the data as they are. The server must not be running, as for the two below; a Postgres server may be: then
	// the copy is a standby that ends to follow at this moment, and is promoted at its first start.
	Save(ctx context.Context) error
	// Restore brings the saved data back.
	Restore(ctx context.Context) error
	// Remove removes the data.
	Remove(ctx context.Context) error
}

// OwnPostgres is an Own of the kinds Postgres and PostgresClock.
type OwnPostgres interface {
	Own

	// Fill has the server write no more than the beginnings of its files, as a full disk does. It may end by itself.
	Fill(ctx context.Context) error
	// Free undoes Fill, starts the server again if it has ended, and returns when it answers.
	Free(ctx context.Context) error
	// StepClock sets the wall clock of a PostgresClock ahead of the machine's, or behind it. Its monotonic clock goes on.
	StepClock(ctx context.Context, ahead time.Duration) error
}

// The kinds of servers that StartOwn knows.
const (
	Postgres      = "postgres"
	PostgresClock = "postgres-clock" // its clock can be set; each look at it costs a little
	NATS          = "nats"
)

// StartOwn starts a server of the kind, in a container or as a process, as Start would. Nothing is left behind when it fails.
func StartOwn(ctx context.Context, kind string, options Options) (Own, error) {
	if kinds := []string{Postgres, PostgresClock, NATS}; !slices.Contains(kinds, kind) {
		return nil, fmt.Errorf("%q is not a kind of server: they are %s", kind, strings.Join(kinds, ", "))
	}
	root, err := repository(ctx)
	if err != nil {
		return nil, err
	}
	pool, _, dockerErr := findDocker()
	var server Own
	switch {
	case dockerErr == nil:
		server, err = newContainer(ctx, root, pool, kind)
	case options.RequireDocker:
		return nil, fmt.Errorf("REQUIRE_DOCKER is set: %w", dockerErr)
	default:
		server, err = newLocal(ctx, root, kind)
	}
	if err != nil {
		return nil, err
	}
	if err := server.Start(ctx); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return server, nil
}

// Ports for servers that come back to the same port. They are below those that systems give to outgoing connections: one of
// these could take a killed server's port, or even, while it knocks at the closed port, be connected to itself.
const (
	firstPort = 15000
	lastPort  = 31999
)

// choosePort returns a port of 127.0.0.1 on which nobody listens.
func choosePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	var errs []error
	for range 20 {
		port := firstPort + rand.IntN(lastPort-firstPort+1) //nolint:gosec // no secret: any free one will do
		listener, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, listener.Close()
		}
		errs = append(errs, err)
	}
	return 0, fmt.Errorf("find a free port: %w", errors.Join(errs...))
}
