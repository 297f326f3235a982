package eventlog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

// Recovery brings back to a log that is closed what it lost, from its copy and
// from the journal. It writes as the owner of the log's tables, which nothing
// that runs does.
type Recovery struct {
	// Rebuild brings the tables up to date that follow from the events of
	// commands, at the end of the transaction that has restored some of them.
	Rebuild func(ctx context.Context, tx pgx.Tx, commands []string) error

	restored []string // ids of these commands
	pool     *pgxpool.Pool
	log      *Log
	evidence evidence
}

// NewRecovery returns the recovery of the log in pool's database, whose login
// may act as the owner of its tables, as that of igw migrate does.
func NewRecovery(pool *pgxpool.Pool, nc *nats.Conn, stream string) (*Recovery, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return &Recovery{
		Rebuild: func(context.Context, pgx.Tx, []string) error { return nil },
		pool:    pool, log: New(pool), evidence: evidence{js, stream},
	}, nil
}

// Loss is how a log and its evidence in JetStream differ.
type Loss struct {
	Head      int64 // seq of the log's last event
	Copied    int64 // seq of the copy's last event
	Common    int64 // up to this seq the two are the same
	Journaled int   // events of the journal that the log lacks; the copy may have some of them
	Signed    int64 // size of the last checkpoint that JetStream holds
}

// Missing is how many events of the copy the log lacks at its end.
func (l Loss) Missing() int64 { return max(0, l.Copied-l.Common) }

// Forked reports whether both have gone on after what they have in common, each
// in its own way: then no event may simply be added.
func (l Loss) Forked() bool { return l.Common < l.Head && l.Common < l.Copied }

// None reports whether the log lacks nothing.
func (l Loss) None() bool { return l.Missing() == 0 && l.Journaled == 0 && l.Signed <= l.Head }

// Assess compares the log with its copy and the journal. It changes nothing.
func (r *Recovery) Assess(ctx context.Context) (loss Loss, err error) {
	if loss.Head, err = r.log.Head(ctx); err != nil {
		return loss, err
	}
	stream, err := r.copy(ctx)
	if err != nil {
		return loss, err
	}
	if stream != nil {
		loss.Copied = int64(stream.CachedInfo().State.LastSeq)
		if loss.Common, err = r.common(ctx, stream, min(loss.Head, loss.Copied)); err != nil {
			return loss, err
		}
	}
	kept, _, err := r.evidence.lastCheckpoint(ctx)
	if err != nil {
		return loss, err
	}
	loss.Signed = kept.Size
	lacking, err := r.lackingOfJournal(ctx)
	loss.Journaled = len(lacking)
	return loss, err
}

// copy returns the stream of the copy, nil if there is none.
func (r *Recovery) copy(ctx context.Context) (jetstream.Stream, error) {
	stream, err := r.evidence.js.Stream(ctx, r.evidence.stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", r.evidence.stream, explain(err))
	}
	return stream, nil
}

// common returns the last of the first n events that log and copy have in
// common. Each event's hash covers its predecessors in its stream, and a log
// that has gone another way once does so from there on: so bisecting finds it.
func (r *Recovery) common(ctx context.Context, stream jetstream.Stream, n int64) (int64, error) {
	low, high := int64(0), n
	for low < high {
		middle := (low + high + 1) / 2
		events, err := r.log.Range(ctx, middle-1, 1)
		if err != nil {
			return 0, err
		}
		if len(events) == 0 || events[0].Seq != middle {
			return 0, fmt.Errorf("event %d is missing within the log; restore the database from a backup, then recover what came after it", middle)
		}
		switch err := compare(ctx, stream, events[0]); {
		case err == nil:
			low = middle
		case errors.Is(err, ErrMismatch):
			high = middle - 1
		default:
			return 0, err
		}
	}
	return low, nil
}

// lackingOfJournal returns the events of the journal that the log lacks, those of
// a stream in its order: the entries of an effect are written side by side.
func (r *Recovery) lackingOfJournal(ctx context.Context) (all []journaled, err error) {
	stream, err := r.evidence.js.Stream(ctx, JournalStream)
	if err != nil {
		return nil, ifThere(err)
	}
	err = readJournal(ctx, stream, func(batch []journaled) (bool, error) {
		lacking, err := r.log.placed(ctx, batch)
		all = append(all, lacking...)
		return true, err
	})
	slices.SortStableFunc(all, func(a, b journaled) int { return cmp.Compare(a.Version, b.Version) })
	return all, err
}

// copied reads the events of the copy after a seq, batch by batch. Each is what
// its hash says.
func (r *Recovery) copied(ctx context.Context, after, until int64, use func([]event.Event) error) error {
	if after >= until {
		return nil
	}
	consumer, err := r.evidence.js.OrderedConsumer(ctx, r.evidence.stream, readFrom(uint64(after+1)))
	if err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	for seq := after; seq < until; {
		messages, err := consumer.Fetch(int(min(relayBatch, until-seq)), jetstream.FetchMaxWait(publishLimit))
		if err != nil {
			return fmt.Errorf("read the copy: %w", err)
		}
		var batch []event.Event
		for msg := range messages.Messages() {
			seq++
			e, err := event.Decode(msg.Subject(), msg.Headers(), msg.Data())
			if err == nil && (e.Seq != seq || !bytes.Equal(event.Hash(e), e.Hash)) {
				err = errors.New("it is not the event that its place and its hash say")
			}
			if err != nil {
				return fmt.Errorf("message %d of the copy: %w", seq, err)
			}
			batch = append(batch, e)
		}
		if len(batch) == 0 {
			return fmt.Errorf("read the copy: message %d does not come: %w", seq+1, errors.Join(messages.Error(), ctx.Err()))
		}
		if err := use(batch); err != nil {
			return err
		}
	}
	return nil
}

// Differences calls use with the events of the log and of the copy that stand at
// the same place and differ, at most limit of them.
func (r *Recovery) Differences(ctx context.Context, loss Loss, limit int, use func(log, copied event.Event) error) error {
	until := min(loss.Head, loss.Copied, loss.Common+int64(limit))
	return r.copied(ctx, loss.Common, until, func(batch []event.Event) error {
		events, err := r.log.Range(ctx, batch[0].Seq-1, len(batch))
		if err != nil {
			return err
		}
		for i := range min(len(batch), len(events)) {
			if err := use(events[i], batch[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// lockWait bounds the wait for appends that are under way.
const lockWait = 10 * time.Second

// change runs a transaction of the tables' owner on a log that is closed, while
// others may only read. Triggers that follow appends do not run in it.
func (r *Recovery) change(ctx context.Context, do func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		var open bool
		_, err := tx.Exec(ctx, fmt.Sprintf(`
			SET LOCAL ROLE igw_owner;
			SET LOCAL lock_timeout = %d;
			LOCK TABLE events, log, log_cursor IN EXCLUSIVE MODE;
			CREATE TEMP TABLE lost (LIKE events) ON COMMIT DROP;
			ALTER TABLE lost ADD seq bigint, ALTER epoch DROP NOT NULL, ALTER xid DROP NOT NULL, ALTER place DROP NOT NULL`, lockWait.Milliseconds()))
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT log_is_open()`).Scan(&open); err != nil {
			return err
		}
		if open {
			return errors.New("the log is open: a keeper has found that it lacks nothing")
		}
		followers, err := ordinaryTriggers(ctx, tx)
		if err != nil {
			return err
		}
		for _, name := range followers {
			if _, err := tx.Exec(ctx, `ALTER TABLE events DISABLE TRIGGER `+name); err != nil {
				return err
			}
		}
		r.restored = nil
		if err := do(tx); err != nil {
			return err
		}
		if err := r.Rebuild(ctx, tx, r.restored); err != nil {
			return err
		}
		for _, name := range followers {
			if _, err := tx.Exec(ctx, `ALTER TABLE events ENABLE TRIGGER `+name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("recover the log: %w", err)
	}
	return nil
}

// ordinaryTriggers returns the quoted names of the triggers on events that are
// not always on, as those that keep the log from shrinking are.
func ordinaryTriggers(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT quote_ident(tgname) FROM pg_trigger WHERE tgrelid = 'events'::regclass AND NOT tgisinternal AND tgenabled = 'O'`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
