package proof

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"integration.gateway/contracts/event"
)

// Verifier checks a whole log, which it is given from the first event on, each
// checkpoint behind the last event that it covers. The first Finding ends it:
// every later call returns that again. It holds an entry for each stream.
type Verifier struct {
	ring   *keyring
	kept   []Checkpoint // by size, those that are still ahead
	tree   *Tree
	chains chains
	report Report
	err    error

	// keptSize is the size of the last kept checkpoint that the log agreed with.
	keptSize int64

	complete func(Node) // see OnComplete
}

// NewVerifier returns a verifier for the log that signs with these keys. It
// compares the log with the checkpoints that were kept from earlier.
func NewVerifier(verifiers []string, kept []Checkpoint) (*Verifier, error) {
	ring, err := newKeyring(verifiers)
	if err != nil {
		return nil, err
	}
	if kept, err = ring.sortKept(kept); err != nil {
		return nil, err
	}
	return &Verifier{ring: ring, kept: kept, tree: NewTree(), chains: chains{}, report: Report{Verifiers: ring.verifiers, Whole: true}}, nil
}

// sortKept puts kept checkpoints in order and refuses those of other logs.
func (k *keyring) sortKept(kept []Checkpoint) ([]Checkpoint, error) {
	kept = slices.SortedStableFunc(slices.Values(kept), func(a, b Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	for i, cp := range kept {
		if cp.Origin != k.origin {
			return nil, fmt.Errorf("a kept checkpoint is of the log %q, the key of %q; keep a file for each log", cp.Origin, k.origin)
		}
		if i > 0 && cp.Size == kept[i-1].Size && !bytes.Equal(cp.Root, kept[i-1].Root) {
			return nil, &Finding{FromSeq: 1, ToSeq: cp.Size, Reason: "among those that were kept, " + forked(cp.Size)}
		}
	}
	return slices.CompactFunc(kept, func(a, b Checkpoint) bool { return a.Size == b.Size }), nil
}

// OnComplete has f called with every subtree that the events complete, from
// the leaves up. Set it before the first event.
func (v *Verifier) OnComplete(f func(Node)) { v.complete = f }

// Event takes the next event with the leaf that the log's tree has for it. Its
// Seq must be the next one, its Hash that of its content and its leaf.
func (v *Verifier) Event(e event.Event, leaf []byte) error {
	if v.err != nil {
		return v.err
	}
	hash := event.Hash(e)
	if !bytes.Equal(hash, e.Hash) {
		return v.fail(findingAt(v.tree.Size()+1, e, "its content was altered: it does not have the hash that stands beside it"))
	}
	return v.event(e, leaf)
}

// event is Event for an event whose Hash was just computed.
func (v *Verifier) event(e event.Event, leaf []byte) error {
	if v.err != nil {
		return v.err
	}
	if err := v.passKept(); err != nil {
		return v.fail(err)
	}
	seq := v.tree.Size() + 1
	if e.Seq != seq {
		return v.fail(misplaced(seq, e))
	}
	if !bytes.Equal(e.Hash, leaf) {
		return v.fail(findingAt(seq, e, "its content was altered: it does not have the hash that the log holds for it"))
	}
	if err := v.chains.follow(e, v.report.Last.Size); err != nil {
		return v.fail(err)
	}
	if err := v.tree.Append(leaf, v.complete); err != nil {
		return v.fail(err)
	}
	return nil
}

// misplaced is the finding where another event than the one with seq stands.
func misplaced(seq int64, e event.Event) *Finding {
	if e.Seq > seq {
		return &Finding{FromSeq: seq, ToSeq: seq, Reason: fmt.Sprintf("it is missing: event %d stands in its place", e.Seq)}
	}
	return findingAt(seq, e, fmt.Sprintf("it says that it is event %d, which was there before", e.Seq))
}

// Checkpoint takes a signed note that covers the events that were given before.
func (v *Verifier) Checkpoint(note []byte) error {
	if v.err != nil {
		return v.err
	}
	cp, err := v.ring.open(note)
	if err != nil {
		return v.fail(v.since(v.report.Last.Size, err.Error()))
	}
	if err := v.compare(cp); err != nil {
		return v.fail(err)
	}
	v.report.Last = cp
	v.report.Checkpoints++
	return nil
}

func (v *Verifier) compare(cp Checkpoint) error {
	size, last := v.tree.Size(), v.report.Last
	switch {
	case cp.Size > size:
		// Which ones are missing is open: those behind may have been renumbered.
		return &Finding{FromSeq: last.Size + 1, ToSeq: cp.Size, Reason: fmt.Sprintf("at least one is missing: %d events stand before the checkpoint of size %d", size, cp.Size)}
	case cp.Size == last.Size && !bytes.Equal(cp.Root, last.Root):
		return v.since(v.keptSize, forked(cp.Size))
	case cp.Size < size:
		return v.since(last.Size, fmt.Sprintf("the checkpoint of size %d stands behind event %d, out of its place", cp.Size, size))
	case cp.Size == last.Size:
		return v.since(last.Size, fmt.Sprintf("the checkpoint of size %d stands there twice", cp.Size))
	}
	root, err := v.tree.Root()
	if err != nil {
		return err
	}
	if !bytes.Equal(root, cp.Root) {
		return v.since(last.Size, fmt.Sprintf("at least one was altered, removed, put in or moved: they do not lead to the root of the checkpoint of size %d", cp.Size))
	}
	return nil
}

// passKept compares the log with the kept checkpoint of the size that it has now.
func (v *Verifier) passKept() error {
	size := v.tree.Size()
	if len(v.kept) == 0 || v.kept[0].Size != size {
		return nil
	}
	root, err := v.tree.Root()
	if err != nil {
		return err
	}
	if !bytes.Equal(root, v.kept[0].Root) {
		return v.rewritten(size)
	}
	v.keptSize, v.kept = size, v.kept[1:]
	return nil
}

func (v *Verifier) rewritten(size int64) *Finding {
	return v.since(v.keptSize, fmt.Sprintf("the log was written anew: it does not lead to the root of the checkpoint of size %d that was kept", size))
}

// Close ends the log. It finds a tail that was cut off if a checkpoint of it was
// kept.
func (v *Verifier) Close() (Report, error) {
	if v.err != nil {
		return Report{}, v.err
	}
	if err := v.passKept(); err != nil {
		return Report{}, v.fail(err)
	}
	size := v.tree.Size()
	if len(v.kept) > 0 {
		return Report{}, v.fail(cutOff(v.report.Last.Size, v.kept[len(v.kept)-1].Size))
	}
	v.report.Events = size
	v.report.Streams = int64(len(v.chains))
	v.report.Unsigned = size - v.report.Last.Size
	v.err = errors.New("the verifier is closed")
	return v.report, nil
}

// forked says that a log's key signed for two histories.
func forked(size int64) string {
	return fmt.Sprintf("two signed checkpoints of size %d have different roots: the log was forked", size)
}

// cutOff is the finding for a log that has fewer events than it once signed for.
func cutOff(signed, kept int64) *Finding {
	return &Finding{FromSeq: signed + 1, ToSeq: kept, Reason: fmt.Sprintf("the log's tail was cut off, or this is an older copy of it: a checkpoint of size %d was kept, and the last one there has size %d", kept, signed)}
}

// since is a finding among the events behind the first size, up to the newest, if
// there are any.
func (v *Verifier) since(size int64, reason string) *Finding {
	if size >= v.tree.Size() {
		return &Finding{Reason: reason}
	}
	return &Finding{FromSeq: size + 1, ToSeq: v.tree.Size(), Reason: reason}
}

func (v *Verifier) fail(err error) error {
	v.err = err
	return err
}

func findingAt(seq int64, e event.Event, reason string) *Finding {
	return &Finding{FromSeq: seq, ToSeq: seq, EventID: e.ID, Stream: e.Stream, Reason: reason}
}
