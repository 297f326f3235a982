package infra

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"integration.gateway/pkg/postgres"
	"integration.gateway/pkg/process"
)

// startProcesses starts both servers as local processes on a temporary folder.
func (i *Infra) startProcesses(ctx context.Context, root string) error {
	dir, err := os.MkdirTemp("", "integration-gateway-testenv-")
	if err != nil {
		return err
	}
	i.stops = append(i.stops, func(context.Context) error { return os.RemoveAll(dir) })

	database, err := postgres.Start(ctx, postgres.Options{Dir: filepath.Join(dir, "postgres"), Settings: postgresSettings})
	if err != nil {
		return err
	}
	i.stops = append(i.stops, database.Stop)
	i.DatabaseURL = database.URL()

	if err := i.startNATS(ctx, root, dir); err != nil {
		return fmt.Errorf("NATS server: %w", err)
	}
	return nil
}

func (i *Infra) startNATS(ctx context.Context, root, dir string) error {
	program, err := buildNATSServer(ctx, root)
	if err != nil {
		return err
	}
	server, address, err := runNATS(ctx, program, dir, 0)
	if err != nil {
		return err
	}
	i.stops = append(i.stops, func(ctx context.Context) error { return server.Stop(ctx, syscall.SIGTERM) })
	i.NATSURL = address
	return nil
}

func natsStore(dir string) string { return filepath.Join(dir, "nats") }

// runNATS starts a server on the folder and the port, 0 for any, and returns its address once it listens.
func runNATS(ctx context.Context, program, dir string, port int) (*process.Process, string, error) {
	config := filepath.Join(dir, "nats-server.conf")
	if err := os.WriteFile(config, []byte(natsConfig(
		fmt.Sprintf("listen: 127.0.0.1:%d", cmp.Or(port, -1)),
		fmt.Sprintf("ports_file_dir: %q", dir),
		fmt.Sprintf("jetstream { store_dir: %q, sync_interval: always }", natsStore(dir)),
	)), 0o600); err != nil {
		return nil, "", err
	}
	log, err := os.Create(filepath.Join(dir, "nats-server.log"))
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = log.Close() }() // the server has its own descriptor

	cmd := exec.Command(program, "--config", config) //nolint:noctx // lives until Stop, not until a context's end
	cmd.Stdout, cmd.Stderr = log, log
	server, err := process.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return nil, "", err
	}
	address, err := awaitNATSAddress(ctx, server, filepath.Join(dir, "nats-server_"+strconv.Itoa(server.PID())+".ports"))
	if err != nil {
		output, readErr := os.ReadFile(log.Name())
		err = errors.Join(err, readErr, errors.New(strings.TrimSpace(string(output))), server.Signal(syscall.SIGKILL))
		<-server.Done()
		return nil, "", err
	}
	return server, address, nil
}

// awaitNATSAddress reads the address that the server picked from the file that it writes when it listens.
func awaitNATSAddress(ctx context.Context, server *process.Process, portsFile string) (string, error) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		var ports struct {
			NATS []string `json:"nats"`
		}
		// The file may be missing or half written at first.
		if content, err := os.ReadFile(portsFile); err == nil && json.Unmarshal(content, &ports) == nil && len(ports.NATS) > 0 {
			return ports.NATS[0], nil
		}
		select {
		case <-ticker.C:
		case <-server.Done():
			return "", fmt.Errorf("ended at its start: %w", server.Err())
		case <-ctx.Done():
			return "", fmt.Errorf("does not listen: %w", ctx.Err())
		}
	}
}

// buildNATSServer builds the server at the version that pkg/go.mod pins and returns the program's path.
func buildNATSServer(ctx context.Context, root string) (string, error) {
	program := filepath.Join(root, "bin", "nats-server")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "github.com/nats-io/nats-server/v2")
	build.Dir = filepath.Join(root, "pkg")
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return program, nil
}
