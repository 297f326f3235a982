package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxUnsequenced is how many events without a seq State counts at most.
const maxUnsequenced = 100_000

// LogState is how the log, its order, its copy and its checkpoints are at
// one moment.
type LogState struct {
	Open           bool          // the log takes events
	Head           int64         // seq of the last event in the log's order, 0 for none
	Unsequenced    int64         // events without a seq as yet; counted up to 100,000
	UnsequencedAge time.Duration // of the oldest of them; 0 for none
	Copied         int64         // last message of the JetStream stream, 0 for none
	Checkpoint     int64         // size of the last checkpoint, 0 for none
	CheckpointAge  time.Duration // since it was signed; 0 for none
	Led            bool          // a keeper leads at present
	Problem        string        // what an operator must look at, such as a mismatch; empty if all is well
}

// State tells how a log is. Any process may ask, whether it runs a keeper or
// not. It compares the log with its copy, the journal and the last checkpoint,
// as the keeper does when it starts; what it finds, and a JetStream that does not
// answer, is in Problem. Only a database that does not answer is an error.
func State(ctx context.Context, pool *pgxpool.Pool, nc *nats.Conn, stream string) (LogState, error) {
	log := New(pool)
	state, err := log.state(ctx)
	if err != nil {
		return LogState{}, fmt.Errorf("read the state of the log: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return LogState{}, fmt.Errorf("open JetStream: %w", err)
	}
	var mismatch error
	state.Copied, mismatch = evidence{js, stream}.compare(ctx, log)
	if problem := errors.Join(state.closed(mismatch), state.standstill(ctx, pool), mismatch); problem != nil {
		state.Problem = problem.Error()
	}
	return state, nil
}

// closed says why the log takes no events, if that needs somebody's hand.
func (s LogState) closed(mismatch error) error {
	switch {
	case s.Open:
		return nil
	case errors.Is(mismatch, ErrMismatch):
		return errors.New("the event log is closed: nothing is appended and no effect begins until it has been recovered; see igw audit recover")
	case !s.Led:
		return errors.New("the event log is closed: no keeper leads that could compare it with its copy; start an audit service")
	default:
		return ErrClosed
	}
}

// standstill says why the order does not go on, if it does not.
func (s LogState) standstill(ctx context.Context, pool *pgxpool.Pool) error {
	switch {
	case s.UnsequencedAge <= heldTooLong || !s.Open:
		return nil
	case !s.Led:
		return errors.New("events wait for their place in the log and no keeper leads: start an audit service")
	default:
		return whatHolds(ctx, pool)
	}
}

// rowQuerier is a pool or a connection.
type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// whatHolds says what holds the order back.
func whatHolds(ctx context.Context, q rowQuerier) error {
	var process *int32
	var database *string
	err := q.QueryRow(ctx, `SELECT process, database FROM oldest_writer()`).Scan(&process, &database)
	const waits = "events wait for their place in the log"
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errors.New(waits + ": somebody holds the keeper's lock without being one")
	case err != nil:
		return fmt.Errorf("%s, and what holds them back could not be looked up: %w", waits, err)
	case process == nil:
		return errors.New(waits + ": a prepared transaction that has written holds them back; end it (pg_prepared_xacts)")
	}
	place := "an unknown database"
	if database != nil {
		place = "database " + *database
	}
	return fmt.Errorf("%s: the transaction of process %d in %s has written and is still open; end it (SELECT pg_terminate_backend(%[2]d))",
		waits, *process, place)
}

// state reads what the database knows, by the database's own clock.
func (l *Log) state(ctx context.Context) (state LogState, err error) {
	var oldest, signed float64 // seconds
	err = l.pool.QueryRow(ctx, `
		WITH waiting AS (
			SELECT e.recorded_at FROM events e, log_cursor c
				WHERE (e.epoch, e.xid, e.place) > (c.epoch, c.xid, c.place)
				ORDER BY e.epoch, e.xid, e.place LIMIT $1
		), waits AS (
			SELECT count(*) AS events, min(recorded_at) AS oldest FROM waiting
		), signed AS (
			SELECT size, signed_at FROM log_checkpoint ORDER BY size DESC LIMIT 1
		)
		SELECT log_is_open(), c.seq, w.events, extract(epoch FROM coalesce(clock_timestamp() - w.oldest, '0'))::float8,
			coalesce(s.size, 0), extract(epoch FROM coalesce(clock_timestamp() - s.signed_at, '0'))::float8,
			EXISTS (SELECT FROM pg_locks
				WHERE locktype = 'advisory' AND granted AND objid = 0 AND objsubid = 2 AND classid = 'log_cursor'::regclass::oid
				  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
			FROM log_cursor c CROSS JOIN waits w LEFT JOIN signed s ON true`, maxUnsequenced).
		Scan(&state.Open, &state.Head, &state.Unsequenced, &oldest, &state.Checkpoint, &signed, &state.Led)
	state.UnsequencedAge, state.CheckpointAge = seconds(oldest), seconds(signed)
	return state, err
}

func seconds(s float64) time.Duration { return time.Duration(max(s, 0) * float64(time.Second)) }
