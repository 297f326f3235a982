package proof_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/transparency-dev/merkle/rfc6962"
	"pgregory.net/rapid"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// drawLog draws a log of at most 60 events of at most five streams.
func drawLog(t *testing.T, rt *rapid.T, signer *proof.Signer) *madeLog {
	t.Helper()
	streams := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 60).Draw(rt, "streams")
	return streamsLog(t, signer, rapid.IntRange(1, 20).Draw(rt, "every"), streams)
}

// drawSome draws a rising choice of the numbers from 1 to most that are allowed.
func drawSome(rt *rapid.T, label string, most int64, allowed func(int64) bool) []int64 {
	var some []int64
	for n := int64(1); n <= most; n++ {
		if allowed(n) && rapid.Bool().Draw(rt, label) {
			some = append(some, n)
		}
	}
	return some
}

func always(int64) bool { return true }

func TestEveryHonestBundleVerifies(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLog(t, rt, signer)
		trust := proof.Trust{Verifiers: []string{signer.Verifier()}}
		signed := func(n int64) bool { return l.notes[n] != nil }
		for _, size := range drawSome(rt, "kept", l.size(), signed) {
			trust.Kept = append(trust.Kept, l.checkpoint(t, size))
		}
		report, err := proof.VerifyBundle(bytes.NewReader(l.whole(t)), trust)
		if err != nil || !report.Whole || report.Events != l.size() || report.Last.Size != l.size() {
			rt.Fatalf("whole: %+v, %v", report, err)
		}
		sizes := append(drawSome(rt, "sizes", l.size()-1, signed), l.size())
		seqs := drawSome(rt, "seqs", l.size(), always)
		report, err = proof.VerifyBundle(bytes.NewReader(l.partial(t, sizes, seqs)), trust)
		if err != nil || report.Whole || report.Events != int64(len(seqs)) {
			rt.Fatalf("partial: %+v, %v", report, err)
		}
	})
}

// Every single change of the events, done with care (numbers, leaves and the end
// made right again), is found, and the range that is named holds it.
func TestEveryChangeOfTheEventsIsFound(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLog(t, rt, signer)
		all := pieces(t, l.whole(t))
		seq := rapid.IntRange(1, len(l.events)).Draw(rt, "seq")
		i := at(t, all, "event "+strconv.Itoa(seq))
		first := int64(seq) // seq of the first record that differs
		switch rapid.SampledFrom([]string{"alter", "relabel", "delete", "double", "swap", "move"}).Draw(rt, "change") {
		case "alter":
			reword(t, &all[i], `"B`, `"X`)
		case "relabel":
			reword(t, &all[i], " c", " d")
		case "delete":
			all = without(all, i)
		case "double":
			all = slices.Insert(all, i, all[i])
			first++
		case "swap":
			j := at(t, all, "event "+strconv.Itoa(rapid.IntRange(1, len(l.events)).Draw(rt, "other")))
			first = min(first, int64(number(t, strings.Fields(all[j].head)[1])))
			if all[i], all[j] = all[j], all[i]; i == j {
				return
			}
		case "move":
			to := rapid.IntRange(1, max(len(l.events)-1, 1)).Draw(rt, "to")
			p := all[i]
			if first = min(first, int64(to)); to == seq {
				return
			}
			all = renumbered(without(all, i))
			all = slices.Insert(all, at(t, all, "event "+strconv.Itoa(to)), p)
		}
		report, err := proof.VerifyBundle(bytes.NewReader(join(renumbered(all))), proof.Trust{Verifiers: []string{signer.Verifier()}})
		if err == nil && report.Events == 0 && !report.Whole {
			return // nothing is left, and the report claims nothing
		}
		found, ok := errors.AsType[*proof.Finding](err)
		if !ok {
			rt.Fatalf("not found: %v", err)
		}
		if first < found.FromSeq || first > found.ToSeq {
			rt.Errorf("the first wrong record is %d: %v", first, found)
		}
	})
}

// The verifier of a database's events says the same of them as that of a bundle.
func TestTheVerifierSaysTheSameOfADatabase(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLog(t, rt, signer)
		if at := rapid.IntRange(0, len(l.events)).Draw(rt, "altered"); at < len(l.events) {
			l.events[at].Caller = "somebody"
		}
		_, fromBundle := proof.VerifyBundle(bytes.NewReader(l.whole(t)), proof.Trust{})
		fromDatabase := verifyEvents(l, len(l.events))
		a, foundBundle := errors.AsType[*proof.Finding](fromBundle)
		b, foundDatabase := errors.AsType[*proof.Finding](fromDatabase)
		if foundBundle != foundDatabase || foundBundle && (a.FromSeq != b.FromSeq || a.ToSeq != b.ToSeq) {
			rt.Errorf("bundle: %v\ndatabase: %v", fromBundle, fromDatabase)
		}
	})
}

// verifyEvents gives a log's first events to a Verifier.
func verifyEvents(l *madeLog, events int) error {
	v, err := proof.NewVerifier([]string{l.signer.Verifier()}, nil)
	if err != nil {
		return err
	}
	for i, e := range l.events[:events] {
		if err := v.Event(e, l.leaves[i]); err != nil {
			return err
		}
		if note := l.notes[int64(i+1)]; note != nil {
			if err := v.Checkpoint(note); err != nil {
				return err
			}
		}
	}
	_, err = v.Close()
	return err
}

func TestProofsOfAnySizeVerifyAndAlteredOnesDoNot(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	l := streamsLog(t, signer, 1, make([]int, 300))
	rapid.Check(t, func(rt *rapid.T) {
		to := rapid.Int64Range(1, 300).Draw(rt, "to")
		from := rapid.Int64Range(1, to).Draw(rt, "from")
		cp, before := l.checkpoint(t, to), l.checkpoint(t, from)
		inclusion, err := proof.Inclusion(t.Context(), l, from, to)
		check(t, err)
		consistency, err := proof.Consistency(t.Context(), l, from, to)
		check(t, err)
		check(t, proof.VerifyInclusion(cp, from, l.leaves[from-1], inclusion))
		check(t, proof.VerifyConsistency(before, cp, consistency))

		leaf := bytes.Clone(l.leaves[from-1])
		leaf[rapid.IntRange(0, 31).Draw(rt, "byte")] ^= 1
		if proof.VerifyInclusion(cp, from, leaf, inclusion) == nil {
			rt.Error("another event is included")
		}
		if to > 1 && proof.VerifyInclusion(cp, from%to+1, l.leaves[from-1], inclusion) == nil {
			rt.Error("the event is included in another place")
		}
		if proof.VerifyInclusion(cp, from, l.leaves[from-1], altered(rt, inclusion)) == nil {
			rt.Error("an altered inclusion proof verifies")
		}
		if proof.VerifyConsistency(before, cp, altered(rt, consistency)) == nil {
			rt.Error("an altered consistency proof verifies")
		}
		before.Root = leaf
		if proof.VerifyConsistency(before, cp, consistency) == nil {
			rt.Error("a root that never was is consistent")
		}
	})
}

// altered is a proof with one hash more, one less or another one.
func altered(rt *rapid.T, hashes [][]byte) [][]byte {
	at := rapid.IntRange(0, len(hashes)).Draw(rt, "at")
	if at == len(hashes) {
		return append(slices.Clone(hashes), make([]byte, 32))
	}
	changed := slices.Clone(hashes)
	if rapid.Bool().Draw(rt, "less") {
		return slices.Delete(changed, at, at+1)
	}
	changed[at] = bytes.Clone(changed[at])
	changed[at][0] ^= 1
	return changed
}

func TestAResumedTreeGoesOnAsIfItHadNeverStopped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(0, 600).Draw(rt, "size")
		stop := rapid.IntRange(0, size).Draw(rt, "stop")
		var nodes []proof.Node
		whole, resumed := proof.NewTree(), (*proof.Tree)(nil)
		for i := range size + 1 {
			if i == stop {
				var err error
				resumed, err = proof.ResumeTree(int64(stop), pick(nodes, proof.ResumeNodes(int64(stop))))
				check(t, err)
			}
			if i == size {
				break
			}
			leaf := event.Hash(event.Event{Version: int64(i)})
			check(t, whole.Append(leaf, func(n proof.Node) { nodes = append(nodes, n) }))
			if resumed != nil {
				check(t, resumed.Append(leaf, nil))
			}
		}
		want, err := whole.Root()
		check(t, err)
		got, err := resumed.Root()
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" || resumed.Size() != int64(size) {
			rt.Error(diff)
		}
	})
}

// pick takes the nodes with these ids, in reverse: their order does not matter.
func pick(nodes []proof.Node, ids []proof.NodeID) []proof.Node {
	var picked []proof.Node
	for _, n := range slices.Backward(nodes) {
		if slices.Contains(ids, proof.NodeID{Level: n.Level, Index: n.Index}) {
			picked = append(picked, n)
		}
	}
	return picked
}

func TestATreeThatCannotBeResumedIsRefused(t *testing.T) {
	t.Parallel()
	hash := make([]byte, 32)
	for name, nodes := range map[string][]proof.Node{
		"none":          nil,
		"one missing":   {{Level: 1, Index: 0, Hash: hash}},
		"not a hash":    {{Level: 1, Index: 0, Hash: hash}, {Level: 0, Index: 2, Hash: hash[:31]}},
		"another level": {{Level: 2, Index: 0, Hash: hash}, {Level: 0, Index: 2, Hash: hash}},
	} {
		if _, err := proof.ResumeTree(3, nodes); err == nil {
			t.Errorf("%s: the tree of size 3 was resumed", name)
		}
	}
	if err := proof.NewTree().Append(hash[:20], nil); err == nil {
		t.Error("a short hash was appended")
	}
}

// The tree is RFC 6962's, with the vector of its reference implementation.
func TestTheTreeIsThatOfRFC6962(t *testing.T) {
	t.Parallel()
	left, right := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	if diff := cmp.Diff(rfc6962.DefaultHasher.HashLeaf(left), proof.HashLeaf(left)); diff != "" {
		t.Errorf("leaf: %s", diff)
	}
	if diff := cmp.Diff(rfc6962.DefaultHasher.HashChildren(left, right), proof.HashChildren(left, right)); diff != "" {
		t.Errorf("node: %s", diff)
	}
	root, err := proof.NewTree().Root()
	check(t, err)
	if got := base64.StdEncoding.EncodeToString(root); got != "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" {
		t.Errorf("empty root is %s", got)
	}
}
