package eventlog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"integration.gateway/contracts/event"
)

const (
	writers         = 32
	writesOfOne     = 40
	streamsTogether = 6 // that all writers write to, besides one of each writer's own
)

var errRollback = errors.New("roll back")

// Writers that commit late and out of order, roll back, wait for each other
// and conflict, while the connection of whichever sequencer leads is cut again
// and again: the order has every committed event once, in the order of the
// transactions, each stream in its own order, and the copy is the same.
func TestThirtyTwoWritersAndAKilledSequencerLoseDoubleAndTurnAroundNothing(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	s := newSetup(t)
	s.keep(t)
	s.keep(t)
	written := writeTogether(t, s, seed)
	all := int64(len(written))
	until(t, "all is in the order, or passed over", s.sequenced)

	placed := readPlaces(t, s.log)
	if len(placed) != len(written) {
		t.Errorf("%d events were committed and %d are in the order", len(written), len(placed))
	}
	versions := map[string]int64{}
	for i, p := range placed {
		if p.Seq != int64(i)+1 {
			t.Fatalf("event %d of the order has seq %d", i+1, p.Seq)
		}
		if want, found := written[p.ID]; !found || want != (streamPlace{p.Stream, p.Version}) {
			t.Errorf("seq %d: event %s of %s was committed as %v", p.Seq, p.ID, p.Stream, want)
		}
		delete(written, p.ID) // a second one would not be found
		if p.Version != versions[p.Stream]+1 {
			t.Errorf("seq %d: version %d of %s follows version %d", p.Seq, p.Version, p.Stream, versions[p.Stream])
		}
		versions[p.Stream] = p.Version
		if i > 0 && placed[i-1].compare(p) >= 0 {
			t.Errorf("seq %d: %+v stands before %+v", p.Seq, placed[i-1], p)
		}
		if !bytes.Equal(p.Hash, p.Leaf) {
			t.Errorf("seq %d: its leaf is not its hash", p.Seq)
		}
	}
	for id, place := range written {
		t.Errorf("event %s is lost: %v", id, place)
	}
	if !t.Failed() {
		s.awaitCopy(t, all)
	}
}

// sequenced says whether the sequencer has nothing left before it.
func (s *setup) sequenced(ctx context.Context) (done bool) {
	err := s.log.pool.QueryRow(ctx, `SELECT NOT EXISTS (
		SELECT FROM events e, log_cursor c WHERE (e.epoch, e.xid, e.place) > (c.epoch, c.xid, c.place))`).Scan(&done)
	return err == nil && done
}

// testSeed returns the seed of this run's decisions: TEST_SEED makes the
// decisions of an earlier run again, though not its timing.
func testSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("TEST_SEED: %v", err)
		}
	}
	t.Logf("TEST_SEED=%d", seed)
	return seed
}

type streamPlace struct {
	stream  string
	version int64
}

// place is where an event stands in the order, and why.
type place struct {
	Seq     int64
	ID      string
	Stream  string
	Version int64
	Epoch   int32
	XID     int64
	Place   int32
	Hash    []byte
	Leaf    []byte // what the order says its hash is
}

// compare compares by what the sequencer goes by.
func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.Epoch, other.Epoch), cmp.Compare(p.XID, other.XID), cmp.Compare(p.Place, other.Place))
}

func readPlaces(t *testing.T, log *Log) []place {
	t.Helper()
	rows, err := log.pool.Query(limited(t), `SELECT l.seq, e.id, e.stream_id, e.version, e.epoch, e.xid::text::bigint, e.place, e.hash, l.hash
		FROM log l JOIN events e USING (stream_id, version) ORDER BY l.seq`)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[place])
	if err != nil {
		t.Fatal(err)
	}
	return placed
}

// writeTogether returns what all writers committed, by id. The leader's
// connection is cut all the while.
func writeTogether(t *testing.T, s *setup, seed uint64) map[string]streamPlace {
	t.Helper()
	all := map[string]streamPlace{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for n := range writers {
		w := &writer{log: s.log, random: rand.New(rand.NewPCG(seed, uint64(n))), name: strconv.Itoa(n)}
		wg.Go(func() {
			for range writesOfOne {
				committed := w.write(t)
				mu.Lock()
				for _, e := range committed {
					all[e.ID] = streamPlace{e.Stream, e.Version}
				}
				mu.Unlock()
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cuts := make(chan int, 1)
	go func() { cuts <- s.cutLeaders(ctx, t, rand.New(rand.NewPCG(seed, writers))) }()
	wg.Wait()
	cancel()
	if n := <-cuts; n < 3 {
		t.Errorf("the leader was cut off only %d times", n)
	}
	return all
}

// cutLeaders cuts the connection of whoever leads, at random moments, until
// ctx ends, and returns how often.
func (s *setup) cutLeaders(ctx context.Context, t *testing.T, random *rand.Rand) (cuts int) {
	t.Helper()
	for sleep(ctx, time.Duration(random.IntN(200))*time.Millisecond) == nil {
		tag, err := s.log.pool.Exec(limited(t), `SELECT pg_terminate_backend(pid) FROM pg_locks
			WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			  AND classid = 'log_cursor'::regclass::oid AND objid = 0`)
		if err != nil {
			t.Error(err)
		}
		cuts += int(tag.RowsAffected()) // 0 while the keepers elect one
	}
	return cuts
}

// writer writes to a stream of its own and to those that all write to.
type writer struct {
	log    *Log
	random *rand.Rand
	name   string
}

// write makes one write of one to three events: of ten, six by Append, three in a transaction that stays open for a while, and one
// in a transaction that rolls back, at once or after a while. It returns what was committed: nothing also after a conflict.
func (w *writer) write(t *testing.T) []event.Event {
	t.Helper()
	ctx := limited(t)
	stream := event.CommandStream("own-" + w.name)
	if w.random.IntN(2) == 0 {
		stream = event.CommandStream("shared-" + strconv.Itoa(w.random.IntN(streamsTogether)))
	}
	events := make([]event.Event, 1+w.random.IntN(3))
	for i := range events {
		events[i] = accepted(t, "")
	}
	open, way := time.Duration(w.random.IntN(30))*time.Millisecond, w.random.IntN(10)
	last, err := w.log.Last(ctx, stream)
	if err == nil {
		switch way {
		case 0:
			events, err = w.inTransaction(ctx, stream, last, events, open*time.Duration(w.random.IntN(2)), errRollback)
		case 1, 2, 3:
			events, err = w.inTransaction(ctx, stream, last, events, open, nil)
		default:
			events, err = w.log.Append(ctx, stream, last, events...)
		}
	}
	if err != nil {
		if !errors.Is(err, errRollback) && !errors.Is(err, ErrConflict) {
			t.Error(err)
		}
		return nil
	}
	return events
}

// inTransaction appends in a transaction that stays open for a while, and ends it as outcome says.
func (w *writer) inTransaction(ctx context.Context, stream string, last event.Event, events []event.Event, open time.Duration, outcome error) ([]event.Event, error) {
	e, err := newEntry(stream, last, events)
	if err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, w.log.pool, func(tx pgx.Tx) error {
		if err := write(ctx, tx, true, e); err != nil {
			return err
		}
		return errors.Join(sleep(ctx, open), outcome)
	})
	return e.events, err
}
