// Package stack runs the whole Integration Gateway in one process: NATS, the
// gateway, the services, the sandbox sites that they act on and, where none is
// given, Postgres beside it. It is what "make run" starts and what the
// end-to-end tests test.
//
// Everything that a stack keeps lies in its run folder: databases, streams,
// keys and tokens. When all is ready it writes the addresses and tokens that a
// person or a script needs into the file env there.
package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/gateway"
)

// Stack is a running Integration Gateway.
type Stack struct {
	Env Env // addresses and tokens

	cfg     Config
	logger  *slog.Logger
	edge    *gateway.Server
	bus     *nats.Conn           // the gateway's connection
	metrics *prometheus.Registry // of the services; the gateway serves them with its own
	parts   []part               // in order of their start; stopped in reverse
	failed  chan error           // of the part that ended by itself first
}

// part is something that runs until it is stopped.
type part struct {
	name string
	stop func() error
}

// Start starts a whole stack and returns when it serves requests and the
// demonstration accounts are linked. The caller must Stop it. When a part
// cannot start, those that run already are stopped.
func Start(ctx context.Context, cfg Config, logger *slog.Logger) (stack *Stack, err error) {
	s := newStack(cfg, logger)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Stop())
		}
	}()
	for _, start := range []func(context.Context) error{
		s.openFolder, s.findChromium, s.startBus, s.openGateway, s.startDatabase,
		s.startSandboxes, s.startAudit, s.startAccounts, s.startIntegrations, s.runGateway, s.linkAccounts,
	} {
		if err := start(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newStack returns a stack of which nothing runs yet.
func newStack(cfg Config, logger *slog.Logger) *Stack {
	return &Stack{
		Env: Env{SandboxURLs: map[string]string{}, AccountTokens: map[string]string{}},
		cfg: cfg, logger: logger, metrics: prometheus.NewRegistry(), failed: make(chan error, 1),
	}
}

func (s *Stack) add(name string, stop func() error) {
	s.parts = append(s.parts, part{name, stop})
}

// run runs a part that ends with its context, as one of the stack's parts.
func (s *Stack) run(name string, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := run(ctx)
		if err != nil && ctx.Err() == nil {
			select {
			case s.failed <- fmt.Errorf("%s: %w", name, err):
				err = nil // told once
			default: // Stop tells of it
			}
		}
		done <- err
	}()
	s.add(name, func() error {
		cancel()
		return <-done
	})
}

// Failed delivers the error of the first part that ended by itself. The stack
// should then be stopped; Stop tells of the others.
func (s *Stack) Failed() <-chan error { return s.failed }

// Stop stops all parts, the last one started first, and returns when none of
// them runs any more.
func (s *Stack) Stop() error {
	var errs []error
	for _, p := range slices.Backward(s.parts) {
		if err := p.stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", p.name, err))
		}
	}
	s.parts = nil
	return errors.Join(errs...)
}
