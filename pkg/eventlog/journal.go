package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

// JournalStream is the name of the JetStream stream that holds the journal.
const JournalStream = "JOURNAL"

const (
	journalSubject = "journal.effects"
	journalBatch   = 500 // entries that are read and compared at once
)

// ErrNotJournaled says that JetStream did not confirm an entry of the journal.
// It may be there all the same.
var ErrNotJournaled = errors.New("JetStream did not confirm the journal's entry")

// Journal holds outside of the database what an effect needs to be known of
// before it begins: the events of its command up to effect.started. The log's
// copy gets them only in their place in the order, which a transaction
// elsewhere can hold back for long; the journal gets them at once. A keeper
// compares it with the log before the log takes events, and drops an entry once
// the copy has it.
type Journal struct {
	js jetstream.JetStream
}

// NewJournal returns the journal in a NATS account. A keeper makes its stream.
func NewJournal(nc *nats.Conn) (*Journal, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return &Journal{js}, nil
}

// Record writes events that were appended, each as the log holds it, and
// returns once JetStream has confirmed all. Its error is ErrNotJournaled.
func (j *Journal) Record(ctx context.Context, events ...event.Event) error {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	confirmed := make(chan error, len(events))
	for _, e := range events {
		go func() {
			msg := &nats.Msg{Subject: journalSubject, Data: event.AppendCanonical(nil, e)}
			_, err := j.js.PublishMsg(ctx, msg, jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(JournalStream))
			confirmed <- err
		}()
	}
	var err error
	for range events {
		err = errors.Join(err, <-confirmed)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotJournaled, explain(err))
	}
	return nil
}

// journalConfig is the stream of the journal. Entries are dropped by the keeper
// and by nobody else: neither age nor number ends them.
func journalConfig(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        JournalStream,
		Description: "Effects that were started, until the event log's copy has them.",
		Subjects:    []string{journalSubject},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		DenyDelete:  true,
		Duplicates:  duplicates,
		Replicas:    replicas,
	}
}

// journaled is an entry of the journal: an event with its place there. Its Seq
// is filled in by Log.placed.
type journaled struct {
	event.Event
	place uint64
}

// readJournal reads all entries of a journal in order, batch by batch, and
// stops where use returns false or an error. An entry that is no event is
// ErrMismatch.
func readJournal(ctx context.Context, stream jetstream.Stream, use func([]journaled) (more bool, err error)) error {
	info, err := stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask for the journal's state: %w", err)
	}
	last := info.State.LastSeq
	if info.State.Msgs == 0 {
		return nil
	}
	consumer, err := stream.OrderedConsumer(ctx, readFrom(info.State.FirstSeq))
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for at := info.State.FirstSeq - 1; at < last; {
		batch, err := nextJournaled(consumer, int(min(journalBatch, last-at)))
		if err != nil {
			return err
		}
		if len(batch) == 0 { // the rest was dropped meanwhile, or is late
			if info, err = stream.Info(ctx); err != nil {
				return fmt.Errorf("ask for the journal's state: %w", err)
			}
			if info.State.FirstSeq > last {
				return nil
			}
			continue
		}
		at = batch[len(batch)-1].place
		if more, err := use(batch); err != nil || !more {
			return err
		}
	}
	return nil
}

func nextJournaled(consumer jetstream.Consumer, limit int) ([]journaled, error) {
	messages, err := consumer.Fetch(limit, jetstream.FetchMaxWait(time.Second))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	var batch []journaled
	for msg := range messages.Messages() {
		meta, err := msg.Metadata()
		if err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		e, err := event.ParseCanonical(msg.Data())
		if err != nil {
			return nil, fmt.Errorf("%w: entry %d of the journal is not an event: %w", ErrMismatch, meta.Sequence.Stream, err)
		}
		batch = append(batch, journaled{e, meta.Sequence.Stream})
	}
	if err := messages.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return batch, nil
}

// placed fills in the seq of entries, 0 for one that waits for it, and returns
// those that the log lacks, or holds with another content.
func (l *Log) placed(ctx context.Context, entries []journaled) (lacking []journaled, err error) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	rows, err := l.pool.Query(ctx, `
		SELECT e.id, e.hash, coalesce(l.seq, 0) FROM events e LEFT JOIN log l USING (stream_id, version) WHERE e.id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("look for the journal's entries: %w", err)
	}
	type place struct {
		hash []byte
		seq  int64
	}
	known := map[string]place{}
	var id string
	var at place
	_, err = pgx.ForEachRow(rows, []any{&id, &at.hash, &at.seq}, func() error {
		known[id] = place{bytes.Clone(at.hash), at.seq}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the journal's entries: %w", err)
	}
	for i, e := range entries {
		if at, is := known[e.ID]; is && bytes.Equal(at.hash, e.Hash) {
			entries[i].Seq = at.seq
		} else {
			lacking = append(lacking, e)
		}
	}
	return lacking, nil
}

// place fills in the seq of entries. It returns ErrMismatch unless the log holds
// all of them.
func (l *Log) place(ctx context.Context, entries []journaled) error {
	lacking, err := l.placed(ctx, entries)
	if err == nil && len(lacking) > 0 {
		e := lacking[0]
		err = fmt.Errorf("%w: entry %d of the journal is event %s (%s of command %s), which the log lacks",
			ErrMismatch, e.place, e.ID, e.Type, e.Command)
	}
	return err
}

// compareJournal returns ErrMismatch unless the log holds all entries.
func compareJournal(ctx context.Context, stream jetstream.Stream, log *Log) error {
	return readJournal(ctx, stream, func(batch []journaled) (bool, error) {
		return true, log.place(ctx, batch)
	})
}

// trimJournal drops the entries at the journal's beginning that the copy holds:
// those of the first copied events.
func trimJournal(ctx context.Context, stream jetstream.Stream, log *Log, copied int64) error {
	var done uint64
	err := readJournal(ctx, stream, func(batch []journaled) (bool, error) {
		if err := log.place(ctx, batch); err != nil {
			return false, err
		}
		for _, e := range batch {
			if e.Seq == 0 || e.Seq > copied {
				return false, nil
			}
			done = e.place
		}
		return true, nil
	})
	if err == nil && done > 0 {
		err = stream.Purge(ctx, jetstream.WithPurgeSequence(done+1))
	}
	if err != nil {
		return fmt.Errorf("trim the journal: %w", err)
	}
	return nil
}

// unjournaled returns the ids of the events that an effect needs to be known of,
// that wait for their place in the order, and that the journal lacks.
func unjournaled(ctx context.Context, stream jetstream.Stream, log *Log) (ids []string, err error) {
	rows, err := log.pool.Query(ctx, `
		SELECT e.id FROM events e, log_cursor c
			WHERE (e.epoch, e.xid, e.place) > (c.epoch, c.xid, c.place)
			  AND EXISTS (SELECT FROM events s WHERE s.stream_id = e.stream_id AND s.version >= e.version AND s.type = $1)
			ORDER BY e.epoch, e.xid, e.place LIMIT $2`, event.TypeEffectStarted, maxUnsequenced)
	if err == nil {
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		return nil, fmt.Errorf("look for effects that wait for their place: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	known := map[string]bool{}
	err = readJournal(ctx, stream, func(batch []journaled) (bool, error) {
		for _, e := range batch {
			known[e.ID] = true
		}
		return true, nil
	})
	return slices.DeleteFunc(ids, func(id string) bool { return known[id] }), err
}
