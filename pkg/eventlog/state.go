package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// maxUnsequenced is how many events without a seq State counts at most.
const maxUnsequenced = 100_000

// waitsTooLong is how old an event without a seq can be while all is well: the
// sequencer needs milliseconds, unless another transaction holds it back.
const waitsTooLong = 30 * time.Second

// LogState is how the log, its order, its copy and its checkpoints are at
// one moment.
type LogState struct {
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
// not. It compares the ends of the copy and of the checkpoints with the log, as
// the keeper does when it starts; what it finds, and a JetStream that does not
// answer, is in Problem. Only a database that does not answer is an error.
func State(ctx context.Context, pool *pgxpool.Pool, nc *nats.Conn, stream string) (LogState, error) {
	log := New(pool)
	state, err := log.state(ctx)
	if err != nil {
		return LogState{}, fmt.Errorf("read the state of the log: %w", err)
	}
	copied, copyErr := stateOfCopy(ctx, log, nc, stream)
	state.Copied = copied
	_, _, treeErr := log.resumeTree(ctx)
	if treeErr != nil && !errors.Is(treeErr, ErrMismatch) {
		return LogState{}, fmt.Errorf("read the state of the log: %w", treeErr)
	}
	if problem := errors.Join(state.standstill(), copyErr, treeErr); problem != nil {
		state.Problem = problem.Error()
	}
	return state, nil
}

// standstill says why the order does not go on, if it does not.
func (s LogState) standstill() error {
	switch {
	case s.UnsequencedAge <= waitsTooLong:
		return nil
	case !s.Led:
		return errors.New("events wait for their place in the log and no keeper leads: start an audit service")
	default:
		return fmt.Errorf("events have waited for their place in the log for %v: end the oldest transaction that writes in this database cluster (pg_stat_activity, by backend_xid), or whoever holds the keeper's lock without being one",
			s.UnsequencedAge.Round(time.Second))
	}
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
		SELECT c.seq, w.events, extract(epoch FROM coalesce(clock_timestamp() - w.oldest, '0'))::float8,
			coalesce(s.size, 0), extract(epoch FROM coalesce(clock_timestamp() - s.signed_at, '0'))::float8,
			EXISTS (SELECT FROM pg_locks
				WHERE locktype = 'advisory' AND granted AND objid = 0 AND objsubid = 2 AND classid = 'log_cursor'::regclass::oid
				  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
			FROM log_cursor c CROSS JOIN waits w LEFT JOIN signed s ON true`, maxUnsequenced).
		Scan(&state.Head, &state.Unsequenced, &oldest, &state.Checkpoint, &signed, &state.Led)
	state.UnsequencedAge, state.CheckpointAge = seconds(oldest), seconds(signed)
	return state, err
}

func seconds(s float64) time.Duration { return time.Duration(max(s, 0) * float64(time.Second)) }

// stateOfCopy makes the comparison that the relay makes before it publishes.
// A stream that is not there yet has nothing, and nothing wrong.
func stateOfCopy(ctx context.Context, log *Log, nc *nats.Conn, name string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, fmt.Errorf("open JetStream: %w", err)
	}
	stream, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open stream %s: %w", name, err)
	}
	info := stream.CachedInfo()
	last := int64(info.State.LastSeq)
	if wrong := keepsLess(info.Config, copyConfig(name, 1)); wrong != "" {
		return last, fmt.Errorf("%w: stream %s has the wrong %s", ErrMismatch, name, wrong)
	}
	_, err = lastCopied(ctx, stream, log)
	return last, err
}
