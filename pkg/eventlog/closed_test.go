package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts/event"
)

// rollBack leaves the tables as a backup does that was made before the last
// events: the log lacks all events after those that are kept.
func (s *setup) rollBack(t *testing.T, keep int64) {
	t.Helper()
	tamper(t, s.log, fmt.Sprintf(`
		DELETE FROM events e USING log l WHERE l.stream_id = e.stream_id AND l.version = e.version AND l.seq > %[1]d;
		DELETE FROM log WHERE seq > %[1]d;
		DELETE FROM log_checkpoint WHERE size > %[1]d;
		UPDATE log_cursor c SET seq = e.seq, epoch = e.epoch, xid = e.xid, place = e.place
			FROM (SELECT l.seq, e.epoch, e.xid, e.place FROM log l JOIN events e USING (stream_id, version) WHERE l.seq = %[1]d) e`, keep))
	s.restartServer(t)
}

// restartServer leaves the tables as a start of the server does.
func (s *setup) restartServer(t *testing.T) {
	t.Helper()
	tamper(t, s.log, `UPDATE log_epoch SET started = started - interval '1 minute'`)
}

// A server that was started again may hold less than before, so nothing is
// appended until a keeper has looked.
func TestTheLogIsClosedUntilAKeeperHasComparedIt(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.fill(t, 3)
	s.restartServer(t)
	if _, err := s.log.Append(limited(t), stream, event.Event{}, accepted(t, "")); !errors.Is(err, ErrClosed) {
		t.Errorf("append after a restart: %v", err)
	}
	if problem := s.state(t).Problem; !strings.Contains(problem, "start an audit service") {
		t.Errorf("the state tells %q", problem)
	}
	s.keep(t)
	until(t, "the log is open", func(context.Context) bool { return s.state(t).Open })
	s.fill(t, 2)
	s.awaitCopy(t, 5)
}

// The reproduction of the issue: a database that lacks its last four events
// took orders again and signed another history.
func TestALogThatWasRolledBackStaysClosed(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]string{
		"the copy":        "it holds message 10 and the log ends before",
		"what was signed": "a checkpoint of size 10 was signed, and the log ends at 6",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, signer := newSetup(t), newSigner(t, origin)
			_, stop := s.sign(t, signer, 2, time.Hour)
			s.fill(t, 10)
			s.awaitCopy(t, 10)
			awaitCheckpoint(t, s.log, 10)
			stop()
			s.rollBack(t, 6)
			if name == "what was signed" { // the copy was lost, too
				s.loseTail(t, 6)
			}
			k, _ := s.sign(t, signer, 1, time.Millisecond)
			s.isClosed(t, k)
			if problem := s.state(t).Problem; !strings.Contains(problem, lost) || !strings.Contains(problem, "igw audit recover") {
				t.Errorf("the state tells %q, want %q", problem, lost)
			}
			if last, err := s.log.LastCheckpoint(limited(t)); err != nil || last.Size > 6 {
				t.Errorf("a checkpoint of size %d was signed, %v", last.Size, err)
			}
		})
	}
}

// An effect that has begun is known outside of the database, whether its event
// has a place in the order or not.
func TestALogThatLacksAnEffectOfTheJournalStaysClosed(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, stop := s.keep(t)
	s.fill(t, 3)
	s.awaitCopy(t, 3)
	stop()
	journal, err := NewJournal(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	begun := mustAppend(t, s.log, event.CommandStream("begun"), 0, accepted(t, ""), accepted(t, ""))
	if err := journal.Record(limited(t), begun...); err != nil {
		t.Fatal(err)
	}
	tamper(t, s.log, `DELETE FROM events WHERE stream_id = 'command/begun'`)
	s.restartServer(t)
	k, _ := s.keep(t)
	s.isClosed(t, k)
	// The entries of an effect are written side by side, so either is the first.
	if text := k.Err().Error(); !strings.Contains(text, begun[0].ID) && !strings.Contains(text, begun[1].ID) {
		t.Errorf("the keeper says %q, which names no event of %s", text, begun[0].Stream)
	}
}

// The journal holds no more than what the copy lacks.
func TestTheJournalIsTrimmedToWhatTheCopyLacks(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.keep(t)
	s.fill(t, 1)
	s.awaitCopy(t, 1)
	journal, err := NewJournal(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := journal.Record(limited(t), mustAppend(t, s.log, event.CommandStream(event.NewID()), 0, accepted(t, ""))...); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the journal is empty", func(ctx context.Context) bool {
		stream, err := s.js.Stream(ctx, JournalStream)
		return err == nil && stream.CachedInfo().State.Msgs == 0
	})
}

func TestTheJournalSaysThatItIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	journal, err := NewJournal(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Record(limited(t), mustAppend(t, s.log, stream, 0, accepted(t, ""))...); !errors.Is(err, ErrNotJournaled) {
		t.Errorf("got %v", err)
	}
}

// A checkpoint that was signed and did not reach the database is not signed
// anew: it is the same one that the database gets.
func TestACheckpointThatTheDatabaseMissedIsStored(t *testing.T) {
	t.Parallel()
	s, signer := newSetup(t), newSigner(t, origin)
	_, stop := s.sign(t, signer, 5, time.Hour)
	s.fill(t, 10)
	awaitCheckpoint(t, s.log, 10)
	stop()
	signed, err := s.log.LastCheckpoint(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	tamper(t, s.log, `DELETE FROM log_checkpoint WHERE size = 10`)
	s.sign(t, signer, 1000, time.Hour)
	awaitCheckpoint(t, s.log, 10)
	if last, err := s.log.LastCheckpoint(limited(t)); err != nil || !bytes.Equal(last.Note, signed.Note) {
		t.Errorf("the checkpoint is another one, %v", err)
	}
	prove(t, s.log)
}

// What holds the order back is told at once, by its process.
func TestATransactionThatHoldsTheOrderBackIsNamed(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	said := &syncBuffer{}
	k := NewKeeper(KeeperConfig{Pool: s.log.pool, NATS: s.nc, Logger: slog.New(slog.NewTextHandler(said, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	defer func() { cancel(); <-done }()
	tx, err := s.log.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var process, written string
	if err := tx.QueryRow(ctx, `SELECT pg_backend_pid()::text, pg_current_xact_id()::text`).Scan(&process, &written); err != nil {
		t.Fatal(err)
	}
	s.fill(t, 1)
	// Transactions of other tests may be older for a moment.
	until(t, "the transaction is named", func(context.Context) bool {
		return k.Err() != nil && strings.Contains(k.Err().Error(), "process "+process) && strings.Contains(s.state(t).Problem, "process "+process)
	})
	if !strings.Contains(said.String(), "held back") {
		t.Errorf("the keeper's log says %q", said.String())
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	until(t, "the order goes on", func(context.Context) bool { return k.Err() == nil })
}

// An effect whose event waits for its place is known to the journal alone, so
// that one which loses its store gets it back from the log.
func TestAJournalThatWasLostGetsBackTheEffectsThatWaitForTheirPlace(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.keep(t)
	s.fill(t, 1)
	s.awaitCopy(t, 1)
	tx, err := s.log.pool.Begin(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	// It has no id, so that it holds back nobody but this log's sequencer.
	if _, err := tx.Exec(limited(t), `LOCK TABLE log_cursor IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	begun := accepted(t, "")
	begun.Type = event.TypeEffectStarted
	mustAppend(t, s.log, event.CommandStream("begun"), 0, accepted(t, ""), begun, accepted(t, "what follows the start"))
	mustAppend(t, s.log, event.CommandStream("read"), 0, accepted(t, ""))
	entries := func(ctx context.Context) uint64 {
		stream, err := s.js.Stream(ctx, JournalStream)
		if err != nil {
			return 0
		}
		return stream.CachedInfo().State.Msgs
	}
	for _, lost := range [][]string{{JournalStream}, {JournalStream, DefaultStream}} {
		for _, name := range lost {
			if err := s.js.DeleteStream(limited(t), name); err != nil {
				t.Fatal(err)
			}
		}
		until(t, "the journal has the two events again", func(ctx context.Context) bool { return entries(ctx) == 2 })
	}
	if err := tx.Rollback(limited(t)); err != nil {
		t.Fatal(err)
	}
	s.awaitCopy(t, 5)
	until(t, "the journal is empty", func(ctx context.Context) bool { return entries(ctx) == 0 })
}
