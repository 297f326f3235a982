package eventlog

import (
	"context"
	"errors"
	"time"
)

const (
	maxBatches      = 2               // shared transactions under way at once: one computes while the other waits for the disk
	maxBatched      = 64              // entries in one of them
	maxBatchedBytes = 16 << 10        // data of one entry
	batchLimit      = 5 * time.Second // that a shared transaction may take
)

var errTooLarge = errors.New("the entry is too large to share a transaction")

// share appends an entry together with those that wait at the same moment, in
// one transaction: a call, a commit and a wait for the disk cost as much for
// many entries as for one. Nobody waits in order to share: whoever finds room
// for a batch starts it at once, with all who wait then.
//
// On an error nobody's entry was appended, or nobody knows, and each must go
// on alone. A batch waits for no stream: one that is being written, like one
// with a conflict, only sends its companions that way.
//
// Who hangs up leaves the others' batch as it is. It goes on using the entry.
func (l *Log) share(ctx context.Context, e *entry) error {
	if e.size() > maxBatchedBytes {
		return errTooLarge
	}
	select {
	case l.batches <- struct{}{}:
		go l.writeBatch(context.WithoutCancel(ctx), l.gather(e))
	case l.waiting <- e:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-e.shared:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather returns first and those who wait.
func (l *Log) gather(first *entry) []*entry {
	entries := []*entry{first}
	for len(entries) < maxBatched {
		select {
		case e := <-l.waiting:
			entries = append(entries, e)
		default:
			return entries
		}
	}
	return entries
}

// writeBatch appends entries in one transaction, tells each how that ended,
// and makes room for the next batch. Its time is its own: it must not end with
// the context of one of the callers.
func (l *Log) writeBatch(ctx context.Context, entries []*entry) {
	defer func() { <-l.batches }()
	ctx, cancel := context.WithTimeout(ctx, batchLimit)
	defer cancel()
	err := write(ctx, l.pool, false, entries...)
	if err == nil {
		l.nudge()
	}
	for _, e := range entries {
		e.shared <- err
	}
}

func (e *entry) size() int {
	n := 0
	for i := range e.events {
		n += len(e.events[i].Data)
	}
	return n
}
