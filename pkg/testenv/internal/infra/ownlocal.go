package infra

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"integration.gateway/pkg/postgres"
	"integration.gateway/pkg/process"
)

func newLocal(ctx context.Context, root, kind string) (Own, error) {
	port, err := choosePort(ctx)
	if err != nil {
		return nil, err
	}
	var program string
	if kind == NATS {
		if program, err = buildNATSServer(ctx, root); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "integration-gateway-testenv-")
	if err != nil {
		return nil, err
	}
	if kind == NATS {
		return &localNATS{dir: dir, program: program, port: port}, nil
	}
	return &localPostgres{dir: dir, port: port}, nil
}

// localPostgres is a Postgres server as a local process.
type localPostgres struct {
	dir    string
	port   int
	server *postgres.Server
}

func (p *localPostgres) URL() string { return p.server.URL() }

// Start tries again while processes of a killed server are about to end: they hold its shared memory, and nothing tells of
// their end.
func (p *localPostgres) Start(ctx context.Context) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		server, err := postgres.Start(ctx, postgres.Options{
			Dir: filepath.Join(p.dir, "postgres"), Port: p.port, Settings: postgresSettings,
		})
		if err == nil {
			p.server = server
			return nil
		}
		if !strings.Contains(err.Error(), "shared memory block") {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return err
		}
	}
}

func (p *localPostgres) Kill(context.Context) error { return p.server.Kill() }

func (p *localPostgres) Stop(ctx context.Context) error {
	if p.server != nil {
		if err := p.server.Stop(ctx); err != nil {
			return err
		}
	}
	return os.RemoveAll(p.dir)
}

// localNATS is a NATS server as a local process.
type localNATS struct {
	dir     string
	program string
	port    int
	server  *process.Process
	address string
}

func (n *localNATS) URL() string { return ownNATSURL(strings.TrimPrefix(n.address, "nats://")) }

func (n *localNATS) Start(ctx context.Context) (err error) {
	if n.server, n.address, err = runNATS(ctx, n.program, n.dir, n.port); err != nil {
		return err
	}
	return retry(ctx, func(ctx context.Context) error { return pingNATS(ctx, n.address) })
}

func (n *localNATS) Kill(context.Context) error {
	if err := n.server.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-n.server.Done()
	return nil
}

func (n *localNATS) Stop(ctx context.Context) error {
	if n.server != nil {
		if err := n.server.Stop(ctx, syscall.SIGTERM); err != nil {
			return err
		}
	}
	return os.RemoveAll(n.dir)
}

func (n *localNATS) saved() string { return filepath.Join(n.dir, "saved") }

// Save implements Store.
func (n *localNATS) Save(context.Context) error {
	if err := os.RemoveAll(n.saved()); err != nil {
		return err
	}
	return os.CopyFS(n.saved(), os.DirFS(natsStore(n.dir)))
}

// Restore implements Store.
func (n *localNATS) Restore(ctx context.Context) error {
	if err := n.Remove(ctx); err != nil {
		return err
	}
	return os.CopyFS(natsStore(n.dir), os.DirFS(n.saved()))
}

// Remove implements Store.
func (n *localNATS) Remove(context.Context) error { return os.RemoveAll(natsStore(n.dir)) }
