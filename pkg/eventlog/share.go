package eventlog

import (
	"context"
	"errors"
)

const (
	maxFlights     = 2        // shared transactions under way at once: one computes while the other waits for the disk
	maxShared      = 64       // entries in one of them
	maxSharedBytes = 16 << 10 // data of one entry
)

var errTooLarge = errors.New("the entry is too large to share a transaction")

// share appends an entry together with those that wait at the same moment, in
// one transaction: a call, a commit and a wait for the disk cost as much for
// many entries as for one. Nobody waits in order to share: whoever finds a
// flight free takes it at once, with all who wait then, and writes for them.
//
// On an error nobody's entry was appended, or nobody knows, and each must go
// on alone. A flight waits for no stream: one that is being written, like one
// with a conflict, only sends its companions that way.
func (l *Log) share(ctx context.Context, e *entry) error {
	if e.size() > maxSharedBytes {
		return errTooLarge
	}
	select {
	case l.flights <- struct{}{}:
		defer func() { <-l.flights }()
		return l.fly(ctx, l.gather(e))
	case l.waiting <- e:
		select {
		case err := <-e.shared:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather returns first and those who wait.
func (l *Log) gather(first *entry) []*entry {
	entries := []*entry{first}
	for len(entries) < maxShared {
		select {
		case e := <-l.waiting:
			entries = append(entries, e)
		default:
			return entries
		}
	}
	return entries
}

func (l *Log) fly(ctx context.Context, entries []*entry) error {
	err := write(ctx, l.pool, false, entries...)
	if err == nil {
		l.nudge()
	}
	for _, e := range entries[1:] {
		e.shared <- err
	}
	return err
}

func (e *entry) size() int {
	n := 0
	for i := range e.events {
		n += len(e.events[i].Data)
	}
	return n
}
