package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/services/audit"
)

const (
	openLimit       = 15 * time.Second      // for the comparison of the log with its copy, when the stack starts
	lastEventsLimit = 5 * time.Second       // for the copy of the last events, when the stack stops
	logPoll         = 20 * time.Millisecond // between two looks at either
)

// startAudit starts the audit service. It is the first service to start and
// the last to stop, so that the others' last events still reach subscribers.
func (s *Stack) startAudit(ctx context.Context) error {
	private, err := keep(s.cfg.path("checkpoint-key"), newCheckpointKey)
	if err != nil {
		return err
	}
	signer, err := proof.NewSigner(private)
	if err != nil {
		return fmt.Errorf("%s: %w", s.cfg.path("checkpoint-key"), err)
	}
	s.Env.CheckpointVerifier = signer.Verifier()
	cfg, err := settings.FromMap[audit.Config](map[string]string{"CHECKPOINT_KEY": private})
	if err != nil {
		return err
	}
	var host *service.Host
	err = s.startService(ctx, "audit service", schema.Keeper, audit.Workers, func(h *service.Host) error {
		host = h
		return audit.Serve(h, cfg)
	})
	if err != nil {
		return err
	}
	if err := awaitOpen(ctx, host.LogPool, host.Bus); err != nil {
		return err
	}
	s.add("copy of the last events", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastEventsLimit)
		defer cancel()
		if err := awaitCopy(ctx, host.LogPool, host.Bus); err != nil {
			s.logger.Warn("the last events reach subscribers when the stack runs again", "error", err)
		}
		return nil
	})
	return nil
}

// awaitOpen waits until the log takes events: until it is compared with its copy.
func awaitOpen(ctx context.Context, pool *pgxpool.Pool, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	tick := time.NewTicker(logPoll)
	defer tick.Stop()
	for {
		open, err := eventlog.New(pool).Open(ctx)
		if err == nil && open {
			return nil
		}
		select {
		case <-ctx.Done():
			state, stateErr := eventlog.State(context.WithoutCancel(ctx), pool, nc, eventlog.DefaultStream)
			return errors.Join(errors.New(cmp.Or(state.Problem, eventlog.ErrClosed.Error())), err, stateErr)
		case <-tick.C:
		}
	}
}

// awaitCopy waits until all events have reached JetStream.
func awaitCopy(ctx context.Context, pool *pgxpool.Pool, nc *nats.Conn) error {
	tick := time.NewTicker(logPoll)
	defer tick.Stop()
	for {
		state, err := eventlog.State(ctx, pool, nc, eventlog.DefaultStream)
		if err != nil {
			return err
		}
		if state.Unsequenced == 0 && state.Copied >= state.Head {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events are copied: %s", state.Copied, state.Head+state.Unsequenced, state.Problem)
		case <-tick.C:
		}
	}
}
