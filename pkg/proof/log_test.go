package proof_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

const origin = "log.example.com/events"

// madeLog is a log in memory, as the keeper would make it.
type madeLog struct {
	signer *proof.Signer
	every  int // events from one checkpoint to the next
	events []event.Event
	leaves [][]byte
	notes  map[int64][]byte // by size
	nodes  map[proof.NodeID][]byte
}

// streamsLog makes a log whose event i belongs to the stream that streams[i] names.
func streamsLog(t testing.TB, signer *proof.Signer, every int, streams []int) *madeLog {
	t.Helper()
	l := &madeLog{signer: signer, every: every}
	last := map[int]event.Event{}
	for i, s := range streams {
		e := made(i, s)
		e.Version, e.PrevHash = last[s].Version+1, last[s].Hash
		e.Hash = event.Hash(e)
		last[s] = e
		l.events = append(l.events, e)
	}
	l.seal(t)
	return l
}

// made is the event with seq i+1, which is yet to be linked into its stream.
func made(i, stream int) event.Event {
	id := fmt.Sprintf("c%d", stream)
	return event.Event{
		ID: fmt.Sprintf("0190a000-0000-7000-8000-%012d", i), Type: event.TypeCommandAccepted, Seq: int64(i + 1),
		Stream: event.CommandStream(id), Time: time.UnixMicro(1767323045678901 + int64(i)).UTC(),
		Integration: "marketplace", Operation: "buy-now", Command: id, Caller: "caller-1", Account: "a1",
		Data: json.RawMessage(fmt.Sprintf(`{"request":{"asin":"B%d"}}`, i)),
	}
}

// seal builds the tree over the events as they are and signs the checkpoints.
func (l *madeLog) seal(t testing.TB) {
	t.Helper()
	l.leaves, l.notes, l.nodes = nil, map[int64][]byte{}, map[proof.NodeID][]byte{}
	tree := proof.NewTree()
	for i, e := range l.events {
		l.leaves = append(l.leaves, e.Hash)
		check(t, tree.Append(e.Hash, func(n proof.Node) { l.nodes[proof.NodeID{Level: n.Level, Index: n.Index}] = n.Hash }))
		if (i+1)%l.every == 0 || i+1 == len(l.events) {
			root, err := tree.Root()
			check(t, err)
			l.notes[tree.Size()], err = l.signer.Sign(tree.Size(), root)
			check(t, err)
		}
	}
}

// Nodes makes the log a source of proofs.
func (l *madeLog) Nodes(_ context.Context, ids []proof.NodeID) ([][]byte, error) {
	hashes := make([][]byte, len(ids))
	for i, id := range ids {
		if hashes[i] = l.nodes[id]; hashes[i] == nil {
			return nil, fmt.Errorf("no node %v", id)
		}
	}
	return hashes, nil
}

func (l *madeLog) size() int64 { return int64(len(l.events)) }

// checkpoint opens the checkpoint of this size.
func (l *madeLog) checkpoint(t testing.TB, size int64) proof.Checkpoint {
	t.Helper()
	cp, err := proof.OpenCheckpoint(l.notes[size], l.signer.Verifier())
	check(t, err)
	return cp
}

// whole exports the log as a whole bundle.
func (l *madeLog) whole(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := proof.NewWriter(&out, []string{l.signer.Verifier()})
	check(t, err)
	for i, e := range l.events {
		check(t, w.Event(e, l.leaves[i]))
		if note := l.notes[int64(i+1)]; note != nil {
			check(t, w.Checkpoint(note))
		}
	}
	check(t, w.Close())
	return out.Bytes()
}

// partial exports the events with these seqs and the checkpoints of these sizes.
func (l *madeLog) partial(t testing.TB, sizes, seqs []int64) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := proof.NewWriter(&out, []string{l.signer.Verifier()})
	check(t, err)
	for i, size := range sizes {
		if i > 0 {
			hashes, err := proof.Consistency(t.Context(), l, sizes[i-1], size)
			check(t, err)
			check(t, w.Consistency(sizes[i-1], size, hashes))
		}
		check(t, w.Checkpoint(l.notes[size]))
	}
	last := sizes[len(sizes)-1]
	for _, seq := range seqs {
		hashes, err := proof.Inclusion(t.Context(), l, seq, last)
		check(t, err)
		check(t, w.Event(l.events[seq-1], l.leaves[seq-1]))
		check(t, w.Inclusion(last, hashes))
	}
	check(t, w.Close())
	return out.Bytes()
}

func newSigner(t testing.TB) *proof.Signer {
	t.Helper()
	private, _, err := proof.GenerateKey(origin)
	check(t, err)
	signer, err := proof.NewSigner(private)
	check(t, err)
	return signer
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pieceOf is the record of an event, with the leaf that it has by itself.
func pieceOf(e event.Event) piece {
	text := event.AppendCanonical(nil, e)
	leaf := base64.StdEncoding.EncodeToString(event.Hash(e))
	return piece{head: fmt.Sprintf("event %d %d %s", e.Seq, len(text), leaf), body: string(text) + "\n"}
}

// put replaces an event's record; the seq stays.
func put(p *piece, e event.Event) {
	if e.Seq == 0 {
		fmt.Sscanf(p.head, "event %d", &e.Seq)
	}
	*p = pieceOf(e)
}

// putNote replaces a checkpoint's record.
func putNote(all []piece, i int, note []byte) {
	all[i] = piece{head: fmt.Sprintf("checkpoint %d", len(note)), body: string(note)}
}

// otherLog is a log of another name.
func otherLog(t testing.TB, streams []int) *madeLog {
	t.Helper()
	private, _, err := proof.GenerateKey("other.example.com/events")
	check(t, err)
	signer, err := proof.NewSigner(private)
	check(t, err)
	return streamsLog(t, signer, 6, streams)
}

// reread sets an event's hash to that of its content now.
func reread(t testing.TB, e *event.Event) {
	t.Helper()
	again, err := event.ParseCanonical(event.AppendCanonical(nil, *e))
	check(t, err)
	e.Hash = again.Hash
}

// without exports the log as a whole bundle that lacks the checkpoints of these
// sizes.
func (l *madeLog) without(t testing.TB, sizes ...int) []byte {
	t.Helper()
	all := pieces(t, l.whole(t))
	for _, size := range sizes {
		all = without(all, checkpointAt(t, all, size))
	}
	return join(all)
}

// proofPiece is the record of an inclusion proof.
func proofPiece(size int64, hashes [][]byte) piece {
	head := fmt.Sprintf("proof %d", size)
	for _, h := range hashes {
		head += " " + base64.StdEncoding.EncodeToString(h)
	}
	return piece{head: head}
}
