package eventlog

import (
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
// ID where there was none. The events of one append come from one command: they
// have the same Integration, Operation, Command, Caller and Account. expected is the version of the stream's last event,
// 0 for a new stream; ErrConflict says that it is another.
//
// An append with the same ids, types and data that came through before is
// answered as it was then, and nothing is added. So Append itself tries again
// when a connection breaks and nobody knows whether the commit came through,
// and so may its caller, if the caller has chosen the ids.
func (l *Log) Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error) {
	b, err := newBatch(stream, events)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", stream, err)
	}
	appended, err := backoff.Retry(ctx, func() ([]event.Event, error) {
		appended, err := b.appendTo(ctx, l.pool, expected)
		if err != nil && !retryable(err) {
			return nil, backoff.Permanent(err)
		}
		return appended, err
	}, backoff.WithMaxTries(appendAttempts), backoff.WithBackOff(&backoff.ConstantBackOff{Interval: 100 * time.Millisecond}))
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", stream, err)
	}
	l.nudge()
	return appended, nil
}

// batch is one append as the database's function takes it.
type batch struct {
	stream     string
	events     []event.Event
	ids, types []string
	datas      [][]byte
}

func newBatch(stream string, events []event.Event) (*batch, error) {
	if err := event.ValidateStream(stream); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, errors.New("there are no events")
	}
	b := &batch{stream: stream, events: slices.Clone(events)}
	for i := range b.events {
		e := &b.events[i]
		if e.ID == "" {
			e.ID = event.NewID()
		}
		if err := e.Validate(); err != nil {
			return nil, err
		}
		if !sameOrigin(*e, events[0]) {
			return nil, fmt.Errorf("event %s has another integration, operation, command, caller or account than the first of its batch", e.ID)
		}
		b.ids = append(b.ids, e.ID)
		b.types = append(b.types, e.Type)
		b.datas = append(b.datas, e.Data)
	}
	return b, nil
}

func sameOrigin(a, b event.Event) bool {
	return a.Integration == b.Integration && a.Operation == b.Operation && a.Command == b.Command &&
		a.Caller == b.Caller && a.Account == b.Account
}

// querier is a pool, a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (b *batch) appendTo(ctx context.Context, q querier, expected int64) ([]event.Event, error) {
	var at time.Time
	var hashes [][]byte
	first := b.events[0]
	err := q.QueryRow(ctx, `SELECT recorded, hashes FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		b.stream, expected, first.Integration, first.Operation, first.Command, first.Caller, first.Account,
		b.ids, b.types, b.datas).Scan(&at, &hashes)
	if err != nil {
		return nil, asConflict(err)
	}
	if len(hashes) != len(b.events)+1 {
		return nil, fmt.Errorf("the database answered with %d hashes for %d events", len(hashes), len(b.events))
	}
	for i := range b.events {
		e := &b.events[i]
		e.Stream, e.Version, e.Time, e.Seq = b.stream, expected+int64(i)+1, at.UTC(), 0
		e.PrevHash, e.Hash = hashes[i], hashes[i+1]
		if len(e.PrevHash) == 0 {
			e.PrevHash = nil
		}
	}
	return b.events, nil
}

// asConflict finds the conflicts among the database's errors.
func asConflict(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	switch pgErr.Code {
	case "EV001":
		return fmt.Errorf("%w: %s", ErrConflict, pgErr.Message)
	case "23505": // unique_violation
		return fmt.Errorf("%w: %s", ErrConflict, pgErr.ConstraintName)
	}
	return err
}

// retryable says whether err is the connection's and not the append's: the
// network failed, or the server is going down or coming up.
func retryable(err error) bool {
	if errors.Is(err, ErrConflict) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
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
