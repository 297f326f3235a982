// Command stack runs the whole Integration Gateway in one process, with
// demonstration accounts at the sandbox sites. It is what "make run" starts.
// Its settings are environment variables: see stack.Config.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"integration.gateway/deploy/stack"
	"integration.gateway/pkg/settings"
)

// shownBytes is how much of the first result is printed.
const shownBytes = 600

var errInterrupted = errors.New("stopped before it was ready")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stack:", oneLine(err))
		os.Exit(1)
	}
}

// oneLine is an error's message without line breaks, as joined errors, those of
// the database driver and lists of statements have them.
func oneLine(err error) string {
	return strings.NewReplacer(":\n\t", ": ", "\n\t", "; ", ":\n", ": ", ";\n", "; ", "\n", "; ").Replace(err.Error())
}

func run() (err error) {
	cfg, err := settings.FromEnv[stack.Config]()
	if err != nil {
		return err
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	if err := os.MkdirAll(cfg.RunDir, 0o700); err != nil {
		return fmt.Errorf("RUN_DIR: %w", err)
	}
	logPath := filepath.Join(cfg.RunDir, "stack.log")
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	fmt.Printf("Starting; the log is %s\n", logPath)

	begin := time.Now()
	s, err := stack.Start(ctx, cfg, slog.New(slog.NewJSONHandler(logFile, nil)))
	if err != nil {
		return cause(ctx, err)
	}
	defer func() {
		fmt.Println("Stopping")
		err = errors.Join(err, s.Stop())
	}()
	if err := show(ctx, s, cfg, begin); err != nil {
		return cause(ctx, err)
	}
	select {
	case <-ctx.Done():
		release() // a second Ctrl-C ends the process at once
		return nil
	case err := <-s.Failed():
		return err
	}
}

// cause is why a start failed: whatever fails after a Ctrl-C does so for it.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// show does the first search where its integration is served, publishes the
// stack's addresses and tells what to do next.
func show(ctx context.Context, s *stack.Stack, cfg stack.Config, begin time.Time) error {
	curl := ""
	if s.HasFirstSearch() {
		body, err := s.FirstSearch(ctx)
		if err != nil {
			return err
		}
		if len(body) > shownBytes {
			body = body[:shownBytes] + " …"
		}
		fmt.Printf("\nA first search through the gateway, by a real browser at the sandbox shop:\n\n%s\n", body)
		curl = "  " + s.Curl() + "\n"
	}
	if err := s.Publish(); err != nil {
		return err
	}
	fmt.Printf(`
Ready after %s. In another terminal:

  set -a; . %s
%s
The API is described at %s/docs. Ctrl-C stops everything.
`, time.Since(begin).Round(100*time.Millisecond), filepath.Join(cfg.RunDir, "env"), curl, s.Env.GatewayURL)
	return nil
}
