package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// DefaultStream is the name of the JetStream stream that holds the log's copy.
const DefaultStream = event.JetStreamName

const (
	electionPeriod = 300 * time.Millisecond // between two tries to become the leader
	connectLimit   = 5 * time.Second        // for one step on the way to leadership
)

// KeeperConfig says what a keeper works on.
type KeeperConfig struct {
	Pool     *pgxpool.Pool // the log's database, on which Migrate has run
	NATS     *nats.Conn    // an account with JetStream
	Logger   *slog.Logger
	Stream   string // JetStream stream of the copy; DefaultStream if empty
	Replicas int    // of that stream, the journal and the bucket of the last checkpoint; 1 if zero

	// Signer signs checkpoints; without one the log gets none. The next is
	// signed once CheckpointEvents events have come since the last, or
	// CheckpointAge after the first of them, whichever is first; 1000 and
	// 10 seconds if zero.
	Signer           *proof.Signer
	CheckpointEvents int
	CheckpointAge    time.Duration
}

// Keeper keeps the log's order, its copy and its checkpoints. Run one in every
// process that may do so: one of them leads, the others stand by.
type Keeper struct {
	log      *Log
	config   KeeperConfig
	outside  outside
	nudge    chan struct{} // holds one
	mismatch error         // what ended the last term, if that was a mismatch

	mu       sync.Mutex
	problems [tasks]error
}

// NewKeeper returns a keeper, which does nothing before Run.
func NewKeeper(config KeeperConfig) *Keeper {
	config.Stream = cmp.Or(config.Stream, DefaultStream)
	config.Replicas = max(config.Replicas, 1)
	config.CheckpointEvents = cmp.Or(config.CheckpointEvents, defaultCheckpointEvents)
	config.CheckpointAge = cmp.Or(config.CheckpointAge, defaultCheckpointAge)
	return &Keeper{log: New(config.Pool), config: config, nudge: make(chan struct{}, 1)}
}

// Err returns what keeps this keeper from its work at present, such as
// ErrMismatch or a connection that failed, joined if it is several things;
// nil if all is well or another keeper leads.
func (k *Keeper) Err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return errors.Join(k.problems[:]...)
}

// report notes how a task is: each task for itself, so that one that works
// does not hide that another does not.
func (k *Keeper) report(t task, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.problems[t] = err
}

// reportHeld notes what holds the order back, and tells it once.
func (k *Keeper) reportHeld(err error) {
	k.mu.Lock()
	begins := k.problems[ordering] == nil && err != nil
	k.problems[ordering] = err
	k.mu.Unlock()
	if begins {
		k.config.Logger.Warn("the order of the event log is held back", "error", err)
	}
}

// clear forgets all problems: they were those of a term that is over.
func (k *Keeper) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.problems = [tasks]error{}
}

// Nudge tells the sequencer that events were appended in this process; it is
// made for WithNudge, and never blocks.
func (k *Keeper) Nudge() { signal(k.nudge) }

// Run takes its part in keeping the log until ctx ends; then it returns nil.
// It connects again for as long as that takes. Only a nudge subject that
// cannot be subscribed to is an error.
func (k *Keeper) Run(ctx context.Context) error {
	js, err := jetstream.New(k.config.NATS)
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	k.outside = outside{js, k.config.Stream}
	if k.config.Replicas == 1 {
		k.config.Logger.Warn("the event log's copy has one replica, so that one NATS server's disk may lose it; EVENTS_REPLICAS sets more")
	}
	sub, err := k.config.NATS.Subscribe(NudgeSubject, func(*nats.Msg) { k.Nudge() })
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", NudgeSubject, err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only if the connection is closed

	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 100*time.Millisecond, 2*time.Second
	for {
		err := k.term(ctx, pauses)
		if ctx.Err() != nil {
			return nil
		}
		k.report(leading, err)
		k.config.Logger.Warn("event log keeper interrupted", "error", err)
		if sleep(ctx, pauses.NextBackOff()) != nil {
			return nil
		}
	}
}

// term stands for election, opens the log, then leads, until ctx ends, the
// connection that holds the leader's lock fails, or the log is found to be
// another than its copy. The lock falls with the connection, whatever becomes of
// this process.
func (k *Keeper) term(ctx context.Context, pauses backoff.BackOff) (err error) {
	conn, err := k.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
		defer cancel()
		err = errors.Join(err, conn.Close(ctx))
	}()
	if err := k.elect(ctx, conn); err != nil {
		return err
	}
	if err := k.open(ctx, conn); err != nil {
		return err
	}
	k.config.Logger.Info("event log keeper leads", "stream", k.config.Stream)
	pauses.Reset()
	k.clear()
	err = k.lead(ctx, conn)
	if errors.Is(err, ErrMismatch) {
		k.mismatch = err
		err = errors.Join(err, execute(ctx, conn, `SELECT close_log()`))
	}
	return err
}

// lead runs the tasks side by side until ctx ends or one of them fails for
// good, as the sequencer does with the leader's connection.
func (k *Keeper) lead(ctx context.Context, conn *pgx.Conn) error {
	relayed, signed := make(chan struct{}, 1), make(chan struct{}, 1)
	var copied atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	seq := &sequencer{conn: conn, nudge: k.nudge, moved: func() { signal(relayed) }, held: k.reportHeld}
	group.Go(func() error { return seq.run(ctx) })
	rel := &relay{
		log: k.log, nc: k.config.NATS, config: copyConfig(k.config.Stream, k.config.Replicas), moved: relayed,
		copied: func(seq int64) { copied.Store(seq); signal(signed) },
		report: func(err error) { k.report(relaying, err) }, logger: k.config.Logger,
	}
	group.Go(func() error { return rel.run(ctx) })
	if k.config.Signer != nil {
		not := &notary{
			log: k.log, outside: k.outside, signer: k.config.Signer, events: int64(k.config.CheckpointEvents), age: k.config.CheckpointAge, moved: signed, copied: copied.Load,
			report: func(err error) { k.report(signing, err) }, logger: k.config.Logger,
		}
		group.Go(func() error { return not.run(ctx) })
	}
	return group.Wait()
}

// connect opens the connection that will hold the leader's lock. The server
// drops it within seconds if this machine vanishes without a farewell.
func (k *Keeper) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	config := k.log.pool.Config().ConnConfig
	for name, value := range map[string]string{
		"application_name":        "eventlog-keeper",
		"tcp_keepalives_idle":     "2",
		"tcp_keepalives_interval": "1",
		"tcp_keepalives_count":    "3",
	} {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect the keeper: %w", err)
	}
	return conn, nil
}

// elect returns once conn holds the leader's lock. It asks again and again:
// a statement that waits for the lock would keep vacuum from its work.
func (k *Keeper) elect(ctx context.Context, conn *pgx.Conn) error {
	for {
		leads, err := tryLead(ctx, conn)
		if err != nil {
			return err
		}
		if leads {
			return nil
		}
		k.clear()
		if err := sleep(ctx, electionPeriod); err != nil {
			return err
		}
	}
}

func tryLead(ctx context.Context, conn *pgx.Conn) (leads bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	// The table's own number keeps apart the logs of one database.
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock('log_cursor'::regclass::oid::integer, 0)`).Scan(&leads)
	if err != nil {
		return false, fmt.Errorf("stand for election: %w", err)
	}
	return leads, nil
}
