package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
)

// appendAttempts is how often an append is tried when its connection breaks.
const appendAttempts = 3

// Append adds events to the end of a stream, all or none, and returns them as
// the log holds them: with Stream, Version, Time, PrevHash and Hash, and with an
// ID where there was none. last is the stream's last event as the appender knows
// it, the zero Event for a new stream. ErrConflict says that the stream ends with
// another: others have added to it, or the database lost it and others began it
// anew. Nobody may change the events' Data afterwards.
//
// An append with the same ids, types and data that came through before is
// answered as it was then, and nothing is added. So Append itself tries again
// when a connection breaks and nobody knows whether the commit came through,
// and so may its caller, if the caller has chosen the ids.
func (l *Log) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	e, err := newEntry(stream, last, events)
	if err == nil {
		err = l.append(ctx, e)
	}
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", stream, err)
	}
	return e.events, nil
}

// append tries to share a transaction with others first. Whatever goes wrong
// there, the entry's own transaction finds the entry's own answer.
func (l *Log) append(ctx context.Context, e *entry) error {
	if l.share(ctx, e) == nil {
		return nil
	}
	if ctx.Err() != nil { // the batch may still be using the entry
		return ctx.Err()
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := l.appendAlone(ctx, e)
		if err != nil && !retryable(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxTries(appendAttempts), backoff.WithBackOff(&backoff.ConstantBackOff{Interval: 100 * time.Millisecond}))
	return err
}

func (l *Log) appendAlone(ctx context.Context, e *entry) error {
	err := write(ctx, l.pool, true, e)
	if errors.Is(err, ErrConflict) {
		return l.recall(ctx, e, err)
	}
	if err == nil {
		l.nudge()
	}
	return err
}

// recall answers an entry whose place is taken: by itself, if it came through
// before and the answer was lost, otherwise with the conflict.
func (l *Log) recall(ctx context.Context, e *entry, conflict error) error {
	first, last := e.events[0], e.events[len(e.events)-1]
	there, err := l.read(ctx, `SELECT `+columns+`
		FROM events e LEFT JOIN log l USING (stream_id, version)
		WHERE e.stream_id = $1 AND e.version BETWEEN $2 AND $3 ORDER BY e.version`, first.Stream, first.Version, last.Version)
	if err != nil {
		return err
	}
	same := func(a, b event.Event) bool { return a.ID == b.ID && a.Type == b.Type && bytes.Equal(a.Data, b.Data) }
	if !slices.EqualFunc(there, e.events, same) {
		return conflict
	}
	for i := range there {
		there[i].Seq = 0
	}
	e.events = there
	return nil
}

// entry is one append on its way into the log. Its first event has the hash of
// its predecessor, the others get theirs on the way.
type entry struct {
	events []event.Event
	shared chan error // the outcome of the batch that writes it
}

func newEntry(stream string, last event.Event, events []event.Event) (*entry, error) {
	if err := event.ValidateStream(stream); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, errors.New("there are no events")
	}
	events = slices.Clone(events)
	for i := range events {
		e := &events[i]
		e.Stream, e.Version, e.Seq, e.PrevHash = stream, last.Version+int64(i)+1, 0, nil
		if e.ID == "" {
			e.ID = event.NewID()
		}
		if err := e.Validate(); err != nil {
			return nil, err
		}
	}
	events[0].PrevHash = append([]byte{}, last.Hash...)
	return &entry{events: events, shared: make(chan error, 1)}, nil
}

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// write appends entries in one transaction, all or none. Should another
// writer be at work on a stream, one entry may wait for it, many may not.
func write(ctx context.Context, q querier, wait bool, entries ...*entry) error {
	var events []*event.Event
	for _, entry := range entries {
		for i := range entry.events {
			events = append(events, &entry.events[i])
		}
	}
	text := func(field func(*event.Event) string) []string {
		column := make([]string, len(events))
		for i, e := range events {
			column[i] = field(e)
		}
		return column
	}
	versions, previous, datas := make([]int64, len(events)), make([][]byte, len(events)), make([][]byte, len(events))
	for i, e := range events {
		versions[i], previous[i], datas[i] = e.Version, e.PrevHash, e.Data
	}
	rows, err := q.Query(ctx, `SELECT recorded, prev_hash, hash FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, wait,
		text(func(e *event.Event) string { return e.Stream }), versions, previous,
		text(func(e *event.Event) string { return e.ID }),
		text(func(e *event.Event) string { return e.Type }),
		text(func(e *event.Event) string { return e.Integration }),
		text(func(e *event.Event) string { return e.Operation }),
		text(func(e *event.Event) string { return e.Command }),
		text(func(e *event.Event) string { return e.Caller }),
		text(func(e *event.Event) string { return e.Account }), datas)
	if err != nil {
		return err
	}
	links, err := pgx.CollectRows(rows, pgx.RowToStructByPos[link])
	if err != nil {
		return asKnown(err)
	}
	if len(links) != len(events) {
		return fmt.Errorf("the database answered with %d hashes for %d events", len(links), len(events))
	}
	for i, e := range events {
		e.Time, e.PrevHash, e.Hash = links[i].Recorded.UTC(), links[i].PrevHash, links[i].Hash
		if len(e.PrevHash) == 0 {
			e.PrevHash = nil
		}
	}
	return nil
}

// link is what the database adds to an event.
type link struct {
	Recorded       time.Time
	PrevHash, Hash []byte
}

// asKnown gives the database's errors the names that callers know.
func asKnown(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	switch pgErr.Code {
	case "EV001":
		return fmt.Errorf("%w: %s", ErrConflict, pgErr.Message)
	case "23505": // unique_violation
		return fmt.Errorf("%w: %s", ErrConflict, pgErr.ConstraintName)
	case "EV007":
		return ErrClosed
	case "EV010":
		return fmt.Errorf("%w: %s", ErrClaimed, pgErr.Message)
	}
	return err
}

// retryable says whether err is the connection's and not the append's: the
// network failed, or the server is going down or coming up.
func retryable(err error) bool {
	if errors.Is(err, ErrConflict) || errors.Is(err, ErrClosed) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return true
	}
	switch pgErr.Code {
	case "57P01", "57P02", "57P03": // admin_shutdown, crash_shutdown, cannot_connect_now
		return true
	}
	return false
}
