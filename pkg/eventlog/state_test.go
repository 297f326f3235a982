package eventlog

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// state returns how the log is, without ages.
func (s *setup) state(t testing.TB) LogState {
	t.Helper()
	state, err := State(limited(t), s.log.pool, s.nc, DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

var withoutAges = cmpopts.IgnoreFields(LogState{}, "UnsequencedAge", "CheckpointAge")

func TestTheStateTellsHowFarTheLogHasCome(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	if diff := cmp.Diff(LogState{Open: true}, s.state(t)); diff != "" {
		t.Errorf("of an empty log: %s", diff)
	}
	appendMany(t, s.log, 3)
	until(t, "the oldest event has an age", func(context.Context) bool { return s.state(t).UnsequencedAge > 10*time.Millisecond })
	if diff := cmp.Diff(LogState{Open: true, Unsequenced: 3}, s.state(t), withoutAges); diff != "" {
		t.Errorf("of a log without a keeper: %s", diff)
	}
	_, stop := s.sign(t, newSigner(t, origin), 2, time.Hour)
	s.awaitCopy(t, 3)
	awaitCheckpoint(t, s.log, 2)
	until(t, "the checkpoint has an age", func(context.Context) bool { return s.state(t).CheckpointAge > 10*time.Millisecond })
	if diff := cmp.Diff(LogState{Open: true, Head: 3, Copied: 3, Checkpoint: 2, Led: true}, s.state(t), withoutAges); diff != "" {
		t.Errorf("of a log with a keeper: %s", diff)
	}
	stop()
	until(t, "nobody leads", func(context.Context) bool { return !s.state(t).Led })
}

func TestTheStateNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damage func(t *testing.T, s *setup)
		want   string
	}{
		"the copy is of another log": {func(t *testing.T, s *setup) {
			t.Helper()
			if err := s.js.DeleteStream(limited(t), DefaultStream); err != nil {
				t.Fatal(err)
			}
			s.createCopy(t, copyConfig(DefaultStream, 1))
			other := newLog(t)
			appendMany(t, other, 5)
			sequenceAll(t, other)
			s.publishFrom(t, other, 5)
		}, "message 5 is event"},
		"the copy may be deleted": {func(t *testing.T, s *setup) {
			t.Helper()
			if err := s.js.DeleteStream(limited(t), DefaultStream); err != nil {
				t.Fatal(err)
			}
			config := copyConfig(DefaultStream, 1)
			config.DenyDelete = false
			s.createCopy(t, config)
		}, "wrong permission to delete"},
		"the log is not what was signed": {func(t *testing.T, s *setup) {
			t.Helper()
			tamper(t, s.log, `UPDATE log SET hash = sha256(hash) WHERE seq = 2`)
		}, "the checkpoint says"},
		"JetStream does not answer": {func(t *testing.T, s *setup) {
			t.Helper()
			s.nc.Close()
		}, "connection closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			_, stop := s.sign(t, newSigner(t, origin), 5, time.Hour)
			appendMany(t, s.log, 5)
			s.awaitCopy(t, 5)
			awaitCheckpoint(t, s.log, 5)
			stop()
			tt.damage(t, s)
			if got := s.state(t); !strings.Contains(got.Problem, tt.want) || got.Head != 5 {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}

// A program that only reads makes nothing: the stream is the keeper's.
func TestAskingForTheStateCreatesNoStream(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.state(t)
	if stream, err := s.js.Stream(limited(t), DefaultStream); err == nil {
		t.Errorf("there is a stream with %+v", stream.CachedInfo().State)
	}
}

func TestEventsThatWaitTooLongAreAProblem(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	appendMany(t, s.log, 3)
	tamper(t, s.log, `UPDATE events SET recorded_at = recorded_at - interval '1 minute'`)
	if got := s.state(t).Problem; !strings.Contains(got, "no keeper leads") {
		t.Errorf("without a keeper: %q", got)
	}
	holdsLock, err := s.log.pool.Acquire(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	defer holdsLock.Release()
	if leads, err := tryLead(limited(t), holdsLock.Conn()); err != nil || !leads {
		t.Fatalf("got %t, %v", leads, err)
	}
	var got string
	until(t, "the end of other tests' transactions in the same server", func(context.Context) bool {
		got = s.state(t).Problem
		return !strings.Contains(got, "the transaction of process")
	})
	if !strings.Contains(got, "without being one") {
		t.Errorf("with somebody who does nothing: %q", got)
	}
	if _, err := holdsLock.Exec(limited(t), `SELECT pg_advisory_unlock_all()`); err != nil {
		t.Fatal(err)
	}
}
