package eventlog

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

const origin = "test.example/events"

func newSigner(t testing.TB, name string) *proof.Signer {
	t.Helper()
	private, _, err := proof.GenerateKey(name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := proof.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// sign runs a keeper that signs after so many events, or after that time.
func (s *setup) sign(t testing.TB, signer *proof.Signer, events int, age time.Duration) (k *Keeper, stop func()) {
	t.Helper()
	return s.run(t, KeeperConfig{Signer: signer, CheckpointEvents: events, CheckpointAge: age})
}

// appendMany appends n events in one transaction.
func appendMany(t testing.TB, log *Log, n int) {
	t.Helper()
	events := make([]event.Event, n)
	for i := range events {
		events[i] = accepted(t, "")
	}
	mustAppend(t, log, event.CommandStream(event.NewID()), 0, events...)
}

// awaitCheckpoint waits for a checkpoint of a size and returns all sizes.
func awaitCheckpoint(t testing.TB, log *Log, size int64) []int64 {
	t.Helper()
	var sizes []int64
	until(t, "the checkpoint is signed", func(ctx context.Context) bool {
		checkpoints, err := log.Checkpoints(ctx, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		sizes = sizes[:0]
		for _, c := range checkpoints {
			sizes = append(sizes, c.Size)
		}
		return len(sizes) > 0 && sizes[len(sizes)-1] >= size
	})
	return sizes
}

// prove checks every checkpoint of the log against its own verifier, its
// predecessor and the leaves, and events against the last one.
func prove(t testing.TB, log *Log) {
	t.Helper()
	ctx := limited(t)
	checkpoints, err := log.Checkpoints(ctx, 0, 1000)
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("%d checkpoints, %v", len(checkpoints), err)
	}
	events, err := log.Proven(ctx, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	tree, last := proof.NewTree(), proof.Checkpoint{}
	for _, signed := range checkpoints {
		for _, e := range events[tree.Size():signed.Size] {
			if err := tree.Append(e.Leaf, nil); err != nil {
				t.Fatal(err)
			}
		}
		checkpoint, err := proof.OpenCheckpoint(signed.Note, signed.Verifier)
		if err != nil {
			t.Fatal(err)
		}
		if root, err := tree.Root(); err != nil || checkpoint.Size != signed.Size || !bytes.Equal(root, checkpoint.Root) || !bytes.Equal(root, signed.Root) {
			t.Fatalf("the checkpoint of size %d has the wrong root (%v)", signed.Size, err)
		}
		if last.Size > 0 {
			hashes, err := proof.Consistency(ctx, log, last.Size, checkpoint.Size)
			if err != nil {
				t.Fatal(err)
			}
			if err := proof.VerifyConsistency(last, checkpoint, hashes); err != nil {
				t.Error(err)
			}
		}
		last = checkpoint
	}
	for seq := int64(1); seq <= last.Size; seq += max(1, last.Size/20) {
		hashes, err := proof.Inclusion(ctx, log, seq, last.Size)
		if err != nil {
			t.Fatal(err)
		}
		if err := proof.VerifyInclusion(last, seq, events[seq-1].Hash, hashes); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckpointsComeAfterSoManyEventsAndAfterAWhile(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	appendMany(t, s.log, 12)
	s.sign(t, newSigner(t, origin), 5, 200*time.Millisecond)
	if got := awaitCheckpoint(t, s.log, 12); len(got) != 3 || got[0] != 5 || got[1] != 10 {
		t.Errorf("the checkpoints have sizes %d, want 5, 10 and 12", got)
	}
	prove(t, s.log)
}

func TestWithoutASignerThereAreNoCheckpoints(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.run(t, KeeperConfig{CheckpointEvents: 1, CheckpointAge: time.Millisecond})
	appendMany(t, s.log, 3)
	s.awaitCopy(t, 3)
	if c, err := s.log.LastCheckpoint(limited(t)); !errors.Is(err, ErrNotFound) {
		t.Errorf("got a checkpoint of size %d, %v", c.Size, err)
	}
}

// The tree that a keeper goes on from, restarted or not, is the one that it
// would have had: also across subtrees that are stored.
func TestCheckpointsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	s, signer := newSetup(t), newSigner(t, origin)
	size := int64(0)
	for _, n := range []int{100, 200, 1, 255, 257, 600} {
		_, stop := s.sign(t, signer, 150, 50*time.Millisecond)
		appendMany(t, s.log, n)
		size += int64(n)
		awaitCheckpoint(t, s.log, size)
		stop()
	}
	prove(t, s.log)
}

func TestOldCheckpointsKeepTheirKeyWhenItIsChanged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	keys := []*proof.Signer{newSigner(t, origin), newSigner(t, origin)}
	for i, key := range keys {
		_, stop := s.sign(t, key, 3, time.Hour)
		appendMany(t, s.log, 3)
		awaitCheckpoint(t, s.log, int64(i+1)*3)
		stop()
	}
	checkpoints, err := s.log.Checkpoints(limited(t), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		if checkpoints[i].Verifier != key.Verifier() {
			t.Errorf("checkpoint %d names the key %s, want %s", i, checkpoints[i].Verifier, key.Verifier())
		}
	}
	prove(t, s.log)
}

func TestManyNotariesMakeOneRowOfCheckpoints(t *testing.T) {
	t.Parallel()
	s, signer := newSetup(t), newSigner(t, origin)
	outside := outside{s.js, DefaultStream}
	if err := outside.openBucket(limited(t), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 3 {
		n := &notary{
			log: s.log, outside: outside, signer: signer, events: 7, age: 10 * time.Millisecond,
			copied: func() int64 { return math.MaxInt64 }, logger: slog.New(slog.DiscardHandler),
		}
		n.report = func(err error) {
			if errors.Is(err, ErrMismatch) {
				t.Error(err)
			}
		}
		wg.Go(func() {
			if err := n.run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	for range 10 {
		appendMany(t, s.log, 50)
		sequenceAll(t, s.log)
	}
	awaitCheckpoint(t, s.log, 500)
	cancel()
	wg.Wait()
	prove(t, s.log)
}

// What somebody did to the tables below the last checkpoint shows when the
// keeper starts; then it signs no more, and nothing is appended.
func TestTheLogIsClosedWhereItIsNotWhatWasSigned(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"a leaf changed":                `UPDATE log SET hash = set_byte(hash, 5, get_byte(hash, 5) # 1) WHERE seq = 290`,
		"two events swapped":            `UPDATE log SET hash = (SELECT hash FROM log o WHERE o.seq = 577 - log.seq) WHERE seq IN (288, 289)`,
		"an event replaced by the last": `DELETE FROM log WHERE seq = 290; UPDATE log SET seq = 290 WHERE seq = 300; UPDATE log_cursor SET seq = 299`,
		"an event lost":                 `DELETE FROM log WHERE seq = 290`,
		"the end taken off":             `DELETE FROM log WHERE seq > 280; UPDATE log_cursor SET seq = 280`,
		"a node changed":                `UPDATE log_node SET hash = set_byte(hash, 5, get_byte(hash, 5) # 1)`,
		"a node lost":                   `DELETE FROM log_node`,
		"a root changed":                `UPDATE log_checkpoint SET root = set_byte(root, 5, get_byte(root, 5) # 1)`,
		"a forged checkpoint":           `UPDATE log_checkpoint SET note = replace(encode(note, 'escape'), '300', '299')::bytea, size = 299`,
		"a key of somebody else":        `UPDATE log_checkpoint SET verifier = 'test.example/events+00000000+AAAA'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, signer := newSetup(t), newSigner(t, origin)
			_, stop := s.sign(t, signer, 300, time.Hour)
			appendMany(t, s.log, 300)
			s.awaitCopy(t, 300)
			awaitCheckpoint(t, s.log, 300)
			stop()
			tamper(t, s.log, damage)
			k, _ := s.sign(t, signer, 1, time.Millisecond)
			s.isClosed(t, k)
			if last, err := s.log.LastCheckpoint(limited(t)); err != nil || last.Size > 300 {
				t.Errorf("the last checkpoint has size %d, %v", last.Size, err)
			}
		})
	}
}

func TestAKeyOfAnotherNameSignsNothing(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, stop := s.sign(t, newSigner(t, origin), 1, time.Hour)
	appendMany(t, s.log, 1)
	awaitCheckpoint(t, s.log, 1)
	stop()
	k, _ := s.sign(t, newSigner(t, "other.example/events"), 1, time.Hour)
	refused := func() bool { return k.Err() != nil && strings.Contains(k.Err().Error(), "CHECKPOINT_KEY") }
	until(t, "the notary refuses the key", func(context.Context) bool { return refused() })
	appendMany(t, s.log, 2)
	s.awaitCopy(t, 3)
	if !refused() {
		t.Errorf("the relay's success hides the notary's problem: %v", k.Err())
	}
}

func TestAKeeperTellsTheProblemOfEachTask(t *testing.T) {
	t.Parallel()
	k := NewKeeper(KeeperConfig{})
	relayError, signError := errors.New("relay"), errors.New("sign")
	k.report(relaying, relayError)
	k.report(signing, signError)
	if err := k.Err(); !errors.Is(err, relayError) || !errors.Is(err, signError) {
		t.Errorf("got %v, want both", err)
	}
	k.report(relaying, nil)
	if err := k.Err(); errors.Is(err, relayError) || !errors.Is(err, signError) {
		t.Errorf("got %v, want what keeps the notary", err)
	}
	k.clear()
	if err := k.Err(); err != nil {
		t.Errorf("got %v after the term", err)
	}
}

// A checkpoint of events that only the log's database holds could not be met any
// more by a log that is recovered from its copy after the loss of the database.
func TestACheckpointIsSignedOfWhatTheCopyHolds(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	k, _ := s.sign(t, newSigner(t, origin), 1, time.Hour)
	appendMany(t, s.log, 3)
	awaitCheckpoint(t, s.log, 3)
	limit := func(bytes int64) {
		config := copyConfig(DefaultStream, 1)
		config.MaxBytes = bytes
		if _, err := s.js.UpdateStream(limited(t), config); err != nil {
			t.Fatal(err)
		}
	}
	limit(1)
	appendMany(t, s.log, 2)
	until(t, "the keeper tells that the copy has no room", func(context.Context) bool { return k.Err() != nil })
	limit(-1)
	awaitCheckpoint(t, s.log, 5)
	stream, err := s.js.Stream(limited(t), DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	if last := stream.CachedInfo().State.LastSeq; last < 5 {
		t.Errorf("5 events are signed, and %d are copied", last)
	}
}
