package eventlog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	sequenceBatch = 1000                  // events that get their seq in one transaction
	shortestPoll  = 5 * time.Millisecond  // between two looks while events arrive
	longestPoll   = 50 * time.Millisecond // between two looks at an idle log
	queryLimit    = 30 * time.Second      // for one look, which normally takes a millisecond
	heldTooLong   = time.Second           // that an older transaction holds events back, after which it is reported
)

// sequencer moves events into the log's order as they become settled. The
// work is one statement on the leader's own connection, so that it ends with
// the leadership; even two sequencers at once would do no harm.
type sequencer struct {
	conn  *pgx.Conn
	nudge <-chan struct{} // events were appended
	moved func()          // called when events got their seq; must not block
	held  func(error)     // told what holds the order back, and nil once it goes on; must not block
}

// run returns when ctx ends or the connection fails.
func (s *sequencer) run(ctx context.Context) error {
	wait, went := shortestPoll, time.Now() // when the order was last not held back
	for {
		moved, held, err := s.step(ctx)
		if err != nil {
			return err
		}
		switch {
		case !held:
			went = time.Now()
			s.held(nil)
		case time.Since(went) > heldTooLong:
			went = time.Now()
			s.held(s.whatHolds(ctx))
		}
		switch {
		case moved > 0:
			wait = shortestPoll
			s.moved()
		default:
			wait = min(2*wait, longestPoll)
		}
		if moved == sequenceBatch {
			continue
		}
		if err := s.pause(ctx, &wait); err != nil {
			return err
		}
	}
}

// step gives the next batch its places and returns its size, and whether an
// older transaction holds events back.
func (s *sequencer) step(ctx context.Context) (moved int, held bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	if err := s.conn.QueryRow(ctx, `SELECT moved, held FROM sequence_events($1)`, sequenceBatch).Scan(&moved, &held); err != nil {
		return 0, false, fmt.Errorf("sequence events: %w", err)
	}
	return moved, held, nil
}

// whatHolds says which transaction holds the order back.
func (s *sequencer) whatHolds(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	return whatHolds(ctx, s.conn)
}

// pause waits for a nudge, and not longer than wait. After a nudge it waits a
// little more: the events that come just then share one look and one commit,
// and their writer has the database to itself.
func (s *sequencer) pause(ctx context.Context, wait *time.Duration) error {
	timer := time.NewTimer(*wait)
	defer timer.Stop()
	select {
	case <-s.nudge:
		*wait = shortestPoll
		return sleep(ctx, shortestPoll)
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sleep waits, or returns ctx's error as soon as it ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// signal wakes whoever waits on c, or notes that it should wake next time.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
