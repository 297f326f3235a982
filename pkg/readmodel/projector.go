package readmodel

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
)

const (
	batchSize    = 500                    // events that are counted in at once
	shortestPoll = 20 * time.Millisecond  // between two looks while events arrive
	longestPoll  = 200 * time.Millisecond // between two looks at an idle log
	longestPause = 5 * time.Second        // between two tries while something fails
	stepLimit    = 60 * time.Second       // for one batch, which normally takes milliseconds
)

// Log is the event log; *eventlog.Log is one.
type Log interface {
	// Range returns at most limit events in the log's order, from the one that
	// follows afterSeq.
	Range(ctx context.Context, afterSeq int64, limit int) ([]event.Event, error)
	// Head returns the seq of the last event.
	Head(ctx context.Context) (int64, error)
}

// Projector keeps the read models in Postgres up to date with the log. Run one
// in every process that may do so: they take turns, and none does harm to the
// work of another.
type Projector struct {
	pool   *pgxpool.Pool
	log    Log
	logger *slog.Logger

	mu  sync.Mutex
	err error
}

// NewProjector returns a projector on the log's database, on which Migrate has
// run. It does nothing before Run.
func NewProjector(pool *pgxpool.Pool, log Log, logger *slog.Logger) *Projector {
	return &Projector{pool: pool, log: log, logger: logger}
}

// Err returns what keeps the projector from its work at present, or nil.
func (p *Projector) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Run follows the log until ctx ends; then it returns nil. Whatever fails is
// logged and tried again.
func (p *Projector) Run(ctx context.Context) error {
	pace := newPace()
	for ctx.Err() == nil {
		done, err := p.step(ctx)
		wait := pace.after(done, err)
		if ctx.Err() == nil {
			p.report(err, wait)
		}
		if done < batchSize {
			sleep(ctx, wait)
		}
	}
	return nil
}

// report notes and logs what keeps the projector from its work, if anything.
func (p *Projector) report(err error, pause time.Duration) {
	if err != nil {
		p.logger.Error("the read models fall behind the event log; trying again", "error", err, "pause", pause)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// pace says how long a projector waits after each step.
type pace struct {
	idle    time.Duration
	failing *backoff.ExponentialBackOff
}

func newPace() *pace {
	failing := backoff.NewExponentialBackOff()
	failing.InitialInterval, failing.MaxInterval = 100*time.Millisecond, longestPause
	return &pace{idle: shortestPoll, failing: failing}
}

func (p *pace) after(done int, err error) time.Duration {
	if err != nil {
		return p.failing.NextBackOff()
	}
	p.failing.Reset()
	if p.idle = min(2*p.idle, longestPoll); done > 0 {
		p.idle = shortestPoll
	}
	return p.idle
}

// step counts in the next batch and returns its size; none when another
// projector is at it.
func (p *Projector) step(ctx context.Context) (done int, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	var problems []error
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		done, problems, err = p.project(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("project the event log: %w", err)
	}
	for _, problem := range problems {
		p.logger.Error("an event could not be understood; its row names it and goes on without", "error", problem)
	}
	return done, nil
}

// project does the work of one step. All reading comes before the first write,
// with which the transaction gets its id: as long as that is open, the
// sequencer has to wait with newer events.
func (p *Projector) project(ctx context.Context, tx pgx.Tx) (int, []error, error) {
	var mine bool
	// The table's own number keeps apart the logs of one database.
	if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock('read_cursor'::regclass::oid::integer, 0)`).Scan(&mine); err != nil || !mine {
		return 0, nil, err
	}
	seq, err := cursor(ctx, tx)
	if err != nil {
		return 0, nil, err
	}
	events, err := p.log.Range(ctx, seq, batchSize)
	if err != nil || len(events) == 0 {
		return 0, nil, err
	}
	var problems []error
	var writes pgx.Batch
	for _, m := range models {
		if err := m.project(ctx, tx, &writes, events, func(err error) { problems = append(problems, err) }); err != nil {
			return 0, nil, err
		}
	}
	writes.Queue(`UPDATE read_cursor SET seq = $1`, events[len(events)-1].Seq)
	return len(events), problems, tx.SendBatch(ctx, &writes).Close()
}

// cursor returns the seq of the last event that the rows count in.
func cursor(ctx context.Context, tx pgx.Tx) (int64, error) {
	var seq int64
	if err := tx.QueryRow(ctx, `SELECT seq FROM read_cursor`).Scan(&seq); err != nil {
		return 0, fmt.Errorf("read the read models' cursor: %w", err)
	}
	return seq, nil
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
