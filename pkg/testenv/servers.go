package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"integration.gateway/pkg/process"
)

const (
	startLimit = 6 * time.Minute // beyond that of cmd/testenv, which says what went wrong
	stopLimit  = 40 * time.Second
)

// shared is what the tests of this process run on.
var shared servers

// servers are the addresses of the Postgres and NATS servers, found or started once.
type servers struct {
	once                 sync.Once
	databaseURL, natsURL string
	err                  error

	// Of the servers that this process started, otherwise nil: cmd/testenv, which ends when its input is closed, by stop
	// or by this process's death.
	keeper *process.Process
	input  io.Closer
}

func (s *servers) get(t testing.TB) *servers {
	t.Helper()
	s.once.Do(func() {
		s.databaseURL, s.natsURL = os.Getenv("TEST_DATABASE_URL"), os.Getenv("TEST_NATS_URL")
		if s.databaseURL == "" || s.natsURL == "" {
			ctx, cancel := context.WithTimeout(context.Background(), startLimit)
			defer cancel()
			s.err = s.start(ctx)
		}
	})
	if s.err != nil {
		t.Fatalf("testenv: start Postgres and NATS for this package: %v", s.err)
	}
	return s
}

// start starts cmd/testenv and reads the addresses that it prints.
func (s *servers) start(ctx context.Context) error {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "integration.gateway/pkg").Output()
	if err != nil {
		return fmt.Errorf("find integration.gateway/pkg with go list: %w", err)
	}
	dir := strings.TrimSpace(string(module))
	program := filepath.Join(dir, "..", "bin", "testenv")
	// Built in its own module: the module under test need not know what the command depends on.
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./testenv/cmd/testenv")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build cmd/testenv: %w: %s", err, strings.TrimSpace(string(output)))
	}

	inputReader, input, err := os.Pipe()
	if err != nil {
		return err
	}
	output, outputWriter, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inputReader.Close(), input.Close())
	}
	defer func() { _ = output.Close() }()
	cmd := exec.Command(program) //nolint:noctx // lives until stop
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inputReader, outputWriter, os.Stderr
	s.keeper, err = process.Start(cmd, syscall.SIGTERM)
	err = errors.Join(err, inputReader.Close(), outputWriter.Close())
	if err != nil {
		return errors.Join(err, input.Close())
	}
	s.input = input
	return s.read(output)
}

// read reads the keeper's output up to the last address.
func (s *servers) read(output io.Reader) error {
	lines := bufio.NewScanner(output)
	for s.natsURL == "" && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case "TEST_DATABASE_URL":
			s.databaseURL = value
		case "TEST_NATS_URL":
			s.natsURL = value
		default:
			fmt.Fprintln(os.Stderr, lines.Text())
		}
	}
	if s.natsURL == "" {
		return errors.Join(errors.New("cmd/testenv ended early; its message is above"), lines.Err())
	}
	return nil
}

// stop stops what start started.
func (s *servers) stop() error {
	if s.keeper == nil {
		return nil
	}
	err := s.input.Close()
	select {
	case <-s.keeper.Done():
		return errors.Join(err, s.keeper.Err())
	case <-time.After(stopLimit):
		return errors.Join(err, errors.New("cmd/testenv does not end"), s.keeper.Signal(syscall.SIGKILL))
	}
}
