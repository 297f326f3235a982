package eventlog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

// ProvenEvent is an event together with its leaf in the log's Merkle tree.
type ProvenEvent struct {
	event.Event

	// Leaf is the hash that the event had when it got its seq. It is the hash
	// of what the event holds, unless somebody has changed the tables.
	Leaf []byte
	// Misfiled says that the log's own columns, by which Query finds the event,
	// do not say what the event says: somebody has changed the tables.
	Misfiled bool
}

// Proven returns at most limit events of the whole log in its order, from the
// one that follows afterSeq, with their leaves. It hides nothing: where the
// log has a place for an event that is gone, the event has a Seq only. Long
// events make it fewer; none is the end.
func (l *Log) Proven(ctx context.Context, afterSeq int64, limit int) ([]ProvenEvent, error) {
	places, err := l.places(ctx, afterSeq, limit)
	if err != nil {
		return nil, fmt.Errorf("read the places after seq %d: %w", afterSeq, err)
	}
	events, err := l.Range(ctx, afterSeq, limit)
	if err != nil {
		return nil, err
	}
	if len(events) > 0 { // events behind these may be there, and too long for this page
		last := events[len(events)-1].Seq
		places = slices.DeleteFunc(places, func(p position) bool { return p.Seq > last })
	}
	proven := make([]ProvenEvent, len(places))
	for i, at := range places {
		proven[i] = ProvenEvent{Event: event.Event{Seq: at.Seq}, Leaf: at.Hash}
		if len(events) > 0 && events[0].Seq == at.Seq {
			proven[i].Event, proven[i].Misfiled = events[0], !at.files(events[0])
			events = events[1:]
		}
	}
	return proven, nil
}

// position is a row of the log with the kind that it refers to.
type position struct {
	leaf
	At                           time.Time
	Command, Caller, Account     string
	Integration, Operation, Type string
}

func (l *Log) places(ctx context.Context, afterSeq int64, limit int) ([]position, error) {
	rows, err := l.pool.Query(ctx, `
		SELECT l.seq, l.hash, l.recorded_at, l.command, l.caller, l.account,
			coalesce(k.integration, ''), coalesce(k.operation, ''), coalesce(k.type, '')
		FROM (SELECT * FROM log WHERE seq > $1 ORDER BY seq LIMIT $2) l LEFT JOIN log_kind k USING (kind)
		ORDER BY l.seq`, afterSeq, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[position])
}

// files says whether who looks for e by what it says finds it at this place.
func (p position) files(e event.Event) bool {
	return p.At.Equal(e.Time) && p.Command == e.Command && p.Caller == e.Caller && p.Account == e.Account &&
		p.Integration == e.Integration && p.Operation == e.Operation && p.Type == e.Type
}

// Stray returns an event that reads of its stream show, and that has no place
// between the first event of the log's order and its head, nor waits for one;
// ErrNotFound if there is none. No append leaves such an event: somebody has
// changed the tables. It looks at every event, some hundred thousand a second.
func (l *Log) Stray(ctx context.Context) (event.Event, error) {
	events, err := l.read(ctx, `SELECT `+columns+`
		FROM log_cursor c CROSS JOIN events e LEFT JOIN log l USING (stream_id, version)
		WHERE CASE WHEN l.seq IS NULL THEN (e.epoch, e.xid, e.place) <= (c.epoch, c.xid, c.place)
			ELSE l.seq NOT BETWEEN 1 AND c.seq END
		LIMIT 1`)
	if err == nil && len(events) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return event.Event{}, fmt.Errorf("look for events outside the log's order: %w", err)
	}
	return events[0], nil
}

// leaf is an event's place in the tree: the leaf of seq n is number n − 1.
type leaf struct {
	Seq  int64
	Hash []byte
}

func (l *Log) leaves(ctx context.Context, afterSeq int64, limit int) ([]leaf, error) {
	rows, err := l.pool.Query(ctx, `SELECT seq, hash FROM log WHERE seq > $1 ORDER BY seq LIMIT $2`, afterSeq, limit)
	if err != nil {
		return nil, fmt.Errorf("read the leaves after seq %d: %w", afterSeq, err)
	}
	leaves, err := pgx.CollectRows(rows, pgx.RowToStructByPos[leaf])
	if err != nil {
		return nil, fmt.Errorf("read the leaves after seq %d: %w", afterSeq, err)
	}
	return leaves, nil
}
