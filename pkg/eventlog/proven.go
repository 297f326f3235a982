package eventlog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

// ProvenEvent is an event together with its leaf in the log's Merkle tree.
type ProvenEvent struct {
	event.Event

	// Leaf is the hash that the event had when it got its seq. It is the hash
	// of what the event holds, unless somebody has changed the tables.
	Leaf []byte
}

// Proven returns at most limit events of the whole log in its order, from the
// one that follows afterSeq, with their leaves. It hides nothing: where the
// log has a place for an event that is gone, the event has a Seq only.
func (l *Log) Proven(ctx context.Context, afterSeq int64, limit int) ([]ProvenEvent, error) {
	leaves, err := l.leaves(ctx, afterSeq, limit)
	if err != nil {
		return nil, err
	}
	events, err := l.Range(ctx, afterSeq, limit)
	if err != nil {
		return nil, err
	}
	proven := make([]ProvenEvent, len(leaves))
	for i, leaf := range leaves {
		proven[i] = ProvenEvent{Event: event.Event{Seq: leaf.Seq}, Leaf: leaf.Hash}
		if len(events) > 0 && events[0].Seq == leaf.Seq {
			proven[i].Event, events = events[0], events[1:]
		}
	}
	return proven, nil
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
