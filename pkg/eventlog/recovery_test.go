package eventlog

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

func (s *setup) recovery(t *testing.T) *Recovery {
	t.Helper()
	r, err := NewRecovery(s.log.pool, s.nc, DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lost is a log that was rolled back: it lacks its last events, some of which
// its copy has and some the journal alone.
type lost struct {
	*setup
	signer *proof.Signer
	before []event.Event // in the log's order, up to the end of the copy
	begun  []event.Event // of a command whose effect began, in the journal alone
}

func newLost(t *testing.T) *lost {
	t.Helper()
	l := &lost{setup: newSetup(t), signer: newSigner(t, origin)}
	_, stop := l.sign(t, l.signer, 3, time.Hour)
	l.fill(t, 6)
	l.fill(t, 4)
	l.awaitCopy(t, 10)
	awaitCheckpoint(t, l.log, 9)
	stop()
	var err error
	if l.before, err = l.log.Range(limited(t), 0, 100); err != nil {
		t.Fatal(err)
	}
	journal, err := NewJournal(l.nc)
	if err != nil {
		t.Fatal(err)
	}
	l.begun = mustAppend(t, l.log, event.CommandStream("begun"), 0, accepted(t, ""), accepted(t, ""))
	if err := journal.Record(limited(t), l.begun...); err != nil {
		t.Fatal(err)
	}
	tamper(t, l.log, `DELETE FROM events WHERE stream_id = 'command/begun'`)
	l.rollBack(t, 5)
	return l
}

// isWhole waits until a keeper has opened the log, and compares it with what was
// there before.
func (l *lost) isWhole(t *testing.T) {
	t.Helper()
	k, _ := l.sign(t, l.signer, 1, time.Millisecond)
	until(t, "the log is open", func(context.Context) bool { return l.state(t).Open && k.Err() == nil })
	l.fill(t, 2)
	l.awaitCopy(t, 14)
	events, err := l.log.Range(limited(t), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.before, events[:10], asBytes); diff != "" {
		t.Errorf("what was restored is not what was there: %s", diff)
	}
	same := func(a, b event.Event) bool { return bytes.Equal(a.Hash, b.Hash) }
	if !slices.EqualFunc(l.begun, events[10:12], same) {
		t.Errorf("the journal's events are not restored: %v", events[10:12])
	}
	awaitCheckpoint(t, l.log, 14)
	prove(t, l.log)
	if stray, err := l.log.Stray(limited(t)); !errors.Is(err, ErrNotFound) {
		t.Errorf("event %s is outside of the log's order, %v", stray.ID, err)
	}
}

// The log gets back what it lost, in its places, whether it has the events
// without their places or not, and in whatever cluster it is.
func TestALogThatWasRolledBackIsRestored(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"":                             ``,
		"it has an event, unsequenced": `DELETE FROM log WHERE seq = 5; UPDATE log_cursor SET seq = 4, place = e.place, xid = e.xid FROM (SELECT e.xid, e.place FROM log l JOIN events e USING (stream_id, version) WHERE l.seq = 4) e`,
		"it is in another cluster":     `UPDATE log_epoch SET system = 1`,
		"it is empty":                  `DELETE FROM log; DELETE FROM events; DELETE FROM log_checkpoint; UPDATE log_cursor SET seq = 0, epoch = 0, xid = '0', place = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLost(t)
			if damage != "" {
				tamper(t, l.log, damage)
			}
			r := l.recovery(t)
			var rebuilt []string
			r.Rebuild = func(_ context.Context, _ pgx.Tx, commands []string) error {
				rebuilt = append(rebuilt, commands...)
				return nil
			}
			loss, err := r.Assess(limited(t))
			if err != nil || loss.None() || loss.Forked() || loss.Copied != 10 || loss.Journaled != 2 {
				t.Fatalf("got %+v, %v", loss, err)
			}
			if err := r.Restore(limited(t), loss); err != nil {
				t.Fatal(err)
			}
			l.isWhole(t)
			if loss, err := r.Assess(limited(t)); err != nil || !loss.None() {
				t.Errorf("after it the log lacks %+v, %v", loss, err)
			}
		})
	}
}

// What does not prove itself is not restored, and nothing else is either.
func TestOnlyWhatProvesItselfIsRestored(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damage func(t *testing.T, l *lost)
		want   string
	}{
		"a log that is open": {func(t *testing.T, l *lost) {
			t.Helper()
			openLog(t, l.log)
		}, "the log is open"},
		"a copy that was not signed": {func(t *testing.T, l *lost) {
			t.Helper()
			l.replaceCopy(t, 5)
		}, "the root of the first 9 events"},
		"both have lost what was signed": {func(t *testing.T, l *lost) {
			t.Helper()
			l.loseTail(t, 5)
		}, "both have lost events"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLost(t)
			tt.damage(t, l)
			r := l.recovery(t)
			loss, err := r.Assess(limited(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Restore(limited(t), loss); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if head := l.head(limited(t), t); head != 5 {
				t.Errorf("the log has %d events", head)
			}
		})
	}
}

// replaceCopy has the copy hold other events after the first ones: those of a
// log that went on in another way.
func (l *lost) replaceCopy(t *testing.T, same int) {
	t.Helper()
	other := newLog(t)
	l.loseTail(t, same)
	for i := range 5 {
		appended := mustAppend(t, other, event.CommandStream(event.NewID()), 0, accepted(t, "other"))
		appended[0].Seq = int64(same + i + 1)
		answer, err := (&relay{config: copyConfig(DefaultStream, 1)}).send(l.js, appended[0], "")
		if err == nil {
			err = await(limited(t), answer, appended[0])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A log that went on after it was rolled back has forked: both ways are shown,
// nothing is added by itself, and who chooses the log loses no command.
func TestAForkIsForAPersonToSettle(t *testing.T) {
	t.Parallel()
	l := newLost(t)
	openLog(t, l.log)
	taken := l.before[5] // the copy's event whose place the log gives to another
	mustAppend(t, l.log, taken.Stream, taken.Version-1, accepted(t, "other"))
	sequenceAll(t, l.log)
	l.restartServer(t)
	r := l.recovery(t)
	loss, err := r.Assess(limited(t))
	if err != nil || !loss.Forked() || loss.Common != 5 {
		t.Fatalf("got %+v, %v", loss, err)
	}
	if err := r.Restore(limited(t), loss); err == nil || !strings.Contains(err.Error(), "a person must choose") {
		t.Errorf("restoring a fork: %v", err)
	}
	shown := 0
	err = r.Differences(limited(t), loss, 100, func(log, copied event.Event) error {
		shown++
		if log.Seq != copied.Seq || log.ID == copied.ID {
			t.Errorf("event %d of the log and event %d of the copy are shown as different", log.Seq, copied.Seq)
		}
		return nil
	})
	if err != nil || shown != 1 {
		t.Errorf("%d differences are shown, %v", shown, err)
	}
	var saved bytes.Buffer
	n, err := r.KeepLog(limited(t), loss, &saved)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := l.sign(t, l.signer, 1, time.Millisecond)
	until(t, "the log is open", func(context.Context) bool { return l.state(t).Open && k.Err() == nil })
	until(t, "the copy is made anew", func(context.Context) bool { s := l.state(t); return s.Unsequenced == 0 && s.Copied == s.Head })
	total := l.head(limited(t), t)
	if n != 1 || total != 6+4+2 || strings.Count(saved.String(), "\n") != n {
		t.Errorf("of the copy's 5 events and the journal's 2, %d were saved and the log of 6 has %d now", n, total)
	}
}
