package eventlog

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// tamper does what only the owner of the tables, or a superuser, can do.
func tamper(t testing.TB, log *Log, damage string) {
	t.Helper()
	if _, err := log.pool.Exec(limited(t), `
		ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE log DISABLE TRIGGER USER;
		ALTER TABLE log_node DISABLE TRIGGER USER; ALTER TABLE log_checkpoint DISABLE TRIGGER USER; `+damage); err != nil {
		t.Fatal(err)
	}
}

// Even a keeper that has lost its mind cannot add a checkpoint out of its
// place, or subtrees that are not those of its step.
func TestACheckpointOutOfPlaceIsRefused(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	appendMany(t, log, 600)
	sequenceAll(t, log)
	hash := bytes.Repeat([]byte{1}, 32)
	add := func(previous, size int64, root []byte, nodes ...proof.NodeID) error {
		var levels, indexes []int64
		var hashes [][]byte
		for _, n := range nodes {
			levels, indexes, hashes = append(levels, int64(n.Level)), append(indexes, int64(n.Index)), append(hashes, hash)
		}
		_, err := log.pool.Exec(ctx, `SELECT add_checkpoint($1, $2, $3, 'key', 'note', $4, $5, $6)`, previous, size, root, levels, indexes, hashes)
		return err
	}
	first := proof.NodeID{Level: 8, Index: 0}
	if err := add(0, 300, hash, first); err != nil {
		t.Fatal(err)
	}
	second := proof.NodeID{Level: 8, Index: 1}
	pair := proof.NodeID{Level: 9, Index: 0}
	for name, tt := range map[string]struct {
		previous, size int64
		root           []byte
		nodes          []proof.NodeID
		want           string
	}{
		"the same size":           {300, 300, hash, nil, "EV006"},
		"a smaller size":          {300, 299, hash, nil, "EV006"},
		"beyond the log's end":    {300, 601, hash, []proof.NodeID{second, pair}, "EV006"},
		"not from the last":       {0, 600, hash, []proof.NodeID{second, pair}, "EV005"},
		"a subtree is missing":    {300, 600, hash, []proof.NodeID{second}, "EV006"},
		"a subtree too many":      {300, 400, hash, []proof.NodeID{second}, "EV006"},
		"a subtree of the past":   {300, 600, hash, []proof.NodeID{second, first}, "EV006"},
		"a subtree of the future": {300, 600, hash, []proof.NodeID{second, {Level: 9, Index: 1}}, "EV006"},
		"a subtree twice":         {300, 600, hash, []proof.NodeID{second, second}, "23505"},
		"a small subtree":         {300, 600, hash, []proof.NodeID{second, {Level: 7, Index: 3}}, "EV006"},
		"a root that is none":     {300, 400, hash[:31], nil, "EV006"},
		"no root":                 {300, 400, nil, nil, "EV006"},
	} {
		var pgErr *pgconn.PgError
		if err := add(tt.previous, tt.size, tt.root, tt.nodes...); !errors.As(err, &pgErr) || pgErr.Code != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if err := add(300, 600, hash, second, pair); err != nil {
		t.Errorf("in its place: %v", err)
	}
}

func TestNodesThatAreNotThereAreNotFound(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	appendMany(t, log, 5)
	sequenceAll(t, log)
	for _, id := range []proof.NodeID{{Level: 0, Index: 5}, {Level: 2, Index: 1}, {Level: 8, Index: 0}} {
		if _, err := log.Nodes(ctx, []proof.NodeID{{Level: 2, Index: 0}, id}); !errors.Is(err, ErrNotFound) {
			t.Errorf("node %v: got %v", id, err)
		}
	}
	if _, err := log.Nodes(ctx, make([]proof.NodeID, maxNodes+1)); err == nil {
		t.Error("any number of nodes is read at once")
	}
}

func TestAnEventThatIsGoneLeavesItsPlaceToSee(t *testing.T) {
	t.Parallel()
	log, ctx := newLog(t), limited(t)
	appendMany(t, log, 4)
	sequenceAll(t, log)
	before, err := log.Proven(ctx, 0, 10)
	if err != nil || len(before) != 4 {
		t.Fatalf("%d events, %v", len(before), err)
	}
	tamper(t, log, `DELETE FROM events WHERE version IN (2, 4)`)
	var after []ProvenEvent
	for len(after) < 4 {
		page, err := log.Proven(ctx, int64(len(after)), 10)
		if err != nil || len(page) == 0 {
			t.Fatalf("%d events after the first %d, %v", len(page), len(after), err)
		}
		after = append(after, page...)
	}
	for i, e := range after {
		if e.Seq != int64(i)+1 || !bytes.Equal(e.Leaf, before[i].Leaf) {
			t.Errorf("place %d has seq %d and leaf %x", i+1, e.Seq, e.Leaf)
		}
		if gone := i%2 == 1; (e.ID == "") != gone || !gone && !bytes.Equal(event.Hash(e.Event), e.Leaf) {
			t.Errorf("place %d holds %+v", i+1, e.Event)
		}
	}
}

// All proofs of a log at one of its sizes hold, whatever the size: the nodes
// that are stored and those that are computed fit together.
func TestNodesOfEverySizeFitTogether(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	appendMany(t, s.log, 1100)
	s.sign(t, newSigner(t, origin), 1100, time.Hour)
	awaitCheckpoint(t, s.log, 1100)
	ctx := limited(t)
	leaves, err := s.log.leaves(ctx, 0, 1100)
	if err != nil {
		t.Fatal(err)
	}
	tree, roots := proof.NewTree(), map[int64][]byte{}
	for _, leaf := range leaves {
		if err := tree.Append(leaf.Hash, nil); err != nil {
			t.Fatal(err)
		}
		if roots[tree.Size()], err = tree.Root(); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int64{1, 2, 255, 256, 257, 511, 512, 513, 768, 1023, 1024, 1025, 1100} {
		for _, seq := range []int64{1, 2, 255, 256, 257, 512, 513, 1000, 1025, 1100} {
			if seq > size {
				continue
			}
			hashes, err := proof.Inclusion(ctx, s.log, seq, size)
			if err != nil {
				t.Fatal(err)
			}
			if err := proof.VerifyInclusion(proof.Checkpoint{Size: size, Root: roots[size]}, seq, leaves[seq-1].Hash, hashes); err != nil {
				t.Errorf("event %d of %d: %v", seq, size, err)
			}
		}
	}
}
