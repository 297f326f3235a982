package infra

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

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
		return &localNATS{folder: folder{data: natsStore(dir), saved: filepath.Join(dir, "saved")}, dir: dir, program: program, port: port}, nil
	}
	p := &localPostgres{folder: folder{data: filepath.Join(dir, "postgres"), saved: filepath.Join(dir, "saved")}, dir: dir, port: port}
	if kind == PostgresClock {
		p.environment = clockEnvironment
	}
	return p, nil
}

// folder is where a local server has its data, and where a copy of them is kept.
type folder struct{ data, saved string }

// Save implements Own.
func (f folder) Save(ctx context.Context) error { return replace(ctx, f.saved, f.data) }

// Restore implements Own.
func (f folder) Restore(ctx context.Context) error { return replace(ctx, f.data, f.saved) }

// Remove implements Own.
func (f folder) Remove(context.Context) error { return os.RemoveAll(f.data) }

// replace puts a copy of a folder in the place of another, with the owners and rights of its files, on which Postgres insists.
func replace(ctx context.Context, old, by string) error {
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if output, err := exec.CommandContext(ctx, "cp", "-a", by, old).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w: %s", by, err, output)
	}
	return nil
}

// localNATS is a NATS server as a local process.
type localNATS struct {
	folder
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
