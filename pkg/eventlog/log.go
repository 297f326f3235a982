package eventlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/event"
)

// ErrConflict says that an append found its stream with another last event than
// it expected, or one of its ids in use; nothing was written.
var ErrConflict = errors.New("the stream has other events than expected")

// ErrClaimed says that an append tells of an effect whose result another
// command's effect has created; nothing was written.
var ErrClaimed = errors.New("what the effect has created belongs to another command")

// ErrNotFound says that the log holds no such event, checkpoint or node.
var ErrNotFound = errors.New("the event log holds no such thing")

// ErrClosed says that the log takes no events: no keeper has compared it with
// its copy since the database server started and the log's tables were made, or
// the two do not match. Nothing was written.
var ErrClosed = errors.New("the event log is closed until an audit service has compared it with its copy")

// NudgeSubject is where a nudge tells the keepers that events were appended.
const NudgeSubject = "log.appended"

// Log appends and reads events. Its methods may be called from any number of
// goroutines.
type Log struct {
	pool    *pgxpool.Pool
	nudge   func()
	batches chan struct{} // holds one for each shared transaction under way
	waiting chan *entry   // appends that would share the next one; unbuffered
}

// Option changes a Log.
type Option func(*Log)

// WithNudge has f called after each commit of an append, or of several at once. A nudge saves
// the keeper's sequencer its waiting time; one that is lost costs 50 ms. f
// must not block.
func WithNudge(f func()) Option { return func(l *Log) { l.nudge = f } }

// Nudge returns a nudge for WithNudge that goes to all keepers through NATS.
func Nudge(nc *nats.Conn) func() {
	return func() { _ = nc.Publish(NudgeSubject, nil) } // the sequencer polls, should it fail
}

// New returns the log in the database of pool, on which Migrate has run.
func New(pool *pgxpool.Pool, options ...Option) *Log {
	l := &Log{
		pool: pool, nudge: func() {},
		batches: make(chan struct{}, maxBatches), waiting: make(chan *entry),
	}
	for _, option := range options {
		option(l)
	}
	return l
}

const columns = `e.id, e.type, e.stream_id, e.version, e.recorded_at, e.integration, e.operation,
	e.command, e.caller, e.account, e.data, coalesce(l.seq, 0) AS seq, e.prev_hash, e.hash`

// maxPage bounds the data of the events that are read at once, in bytes, as
// long as they are more than one.
const maxPage = 16 << 20

// page is a query for events from the tables that from names, in an order of
// seq. It ends before an event with which the data would be too much.
func page(from, order string) string {
	return fmt.Sprintf(`SELECT id, type, stream_id, version, recorded_at, integration, operation,
			command, caller, account, data, seq, prev_hash, hash
		FROM (SELECT %s, sum(octet_length(e.data)) OVER (ORDER BY %s ROWS UNBOUNDED PRECEDING) AS bytes,
			row_number() OVER (ORDER BY %[2]s) AS row FROM %s) l
		WHERE bytes <= %d OR row = 1 ORDER BY %[2]s`, columns, order, from, maxPage)
}

// Stream returns all events of a stream in order; none if there is no such
// stream. Those not sequenced yet have Seq 0.
func (l *Log) Stream(ctx context.Context, stream string) ([]event.Event, error) {
	events, err := l.read(ctx, `SELECT `+columns+`
		FROM events e LEFT JOIN log l USING (stream_id, version)
		WHERE e.stream_id = $1 ORDER BY e.version`, stream)
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return events, nil
}

// Last returns the last event of a stream; its Version is 0 if there is no such
// stream.
func (l *Log) Last(ctx context.Context, stream string) (event.Event, error) {
	events, err := l.read(ctx, `SELECT `+columns+`
		FROM events e LEFT JOIN log l USING (stream_id, version)
		WHERE e.stream_id = $1 ORDER BY e.version DESC LIMIT 1`, stream)
	if err != nil {
		return event.Event{}, fmt.Errorf("read the last event of stream %s: %w", stream, err)
	}
	if len(events) == 0 {
		return event.Event{}, nil
	}
	return events[0], nil
}

// Has says whether a stream holds an event of a type. It reads no event's data.
func (l *Log) Has(ctx context.Context, stream, kind string) (has bool, err error) {
	err = l.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events WHERE stream_id = $1 AND type = $2)`, stream, kind).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for %s in stream %s: %w", kind, stream, err)
	}
	return has, nil
}

// Range returns at most limit events of the whole log in its order, from the
// one that follows afterSeq. Long events make it fewer; none is the log's end.
func (l *Log) Range(ctx context.Context, afterSeq int64, limit int) ([]event.Event, error) {
	// The limit stands inside, so that the join reads no further than the answer goes.
	events, err := l.read(ctx, page(`(SELECT * FROM log WHERE seq > $1 ORDER BY seq LIMIT $2) l
		JOIN events e USING (stream_id, version)`, "l.seq"), afterSeq, limit)
	if err != nil {
		return nil, fmt.Errorf("read the log after seq %d: %w", afterSeq, err)
	}
	return events, nil
}

// Find returns the event with an id, or ErrNotFound. It settles what became
// of an append whose answer was lost.
func (l *Log) Find(ctx context.Context, id string) (event.Event, error) {
	events, err := l.read(ctx, `SELECT `+columns+`
		FROM events e LEFT JOIN log l USING (stream_id, version) WHERE e.id = $1`, id)
	if err != nil {
		return event.Event{}, fmt.Errorf("find event %s: %w", id, err)
	}
	if len(events) == 0 {
		return event.Event{}, fmt.Errorf("find event %s: %w", id, ErrNotFound)
	}
	return events[0], nil
}

// Head returns the seq of the last event in the log's order, 0 for none.
func (l *Log) Head(ctx context.Context) (int64, error) {
	var head int64
	if err := l.pool.QueryRow(ctx, `SELECT seq FROM log_cursor`).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the head of the log: %w", err)
	}
	return head, nil
}

func (l *Log) read(ctx context.Context, query string, args ...any) ([]event.Event, error) {
	rows, err := l.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanEvent)
}

func scanEvent(row pgx.CollectableRow) (event.Event, error) {
	var e event.Event
	var at time.Time
	// Data is raw bytes to the database, not its JSON type.
	err := row.Scan(&e.ID, &e.Type, &e.Stream, &e.Version, &at, &e.Integration, &e.Operation,
		&e.Command, &e.Caller, &e.Account, (*[]byte)(&e.Data), &e.Seq, &e.PrevHash, &e.Hash)
	e.Time = at.UTC()
	if len(e.PrevHash) == 0 {
		e.PrevHash = nil
	}
	return e, err
}
