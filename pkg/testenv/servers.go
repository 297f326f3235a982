package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// shared is what the tests of this process run on.
var shared servers

// servers are the addresses of the Postgres and NATS servers, found or started once.
type servers struct {
	once                 sync.Once
	databaseURL, natsURL string
	err                  error

	program *program // keeps the servers up if this process started them, otherwise nil
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
	program, err := launch(ctx)
	if err != nil {
		return err
	}
	s.program = program
	defer func() { _ = program.output.Close() }()
	return s.read(program.output)
}

// read reads the program's output up to the last address.
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
	if s.program == nil {
		return nil
	}
	return s.program.stop()
}
