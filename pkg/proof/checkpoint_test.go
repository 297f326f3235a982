package proof_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

func TestACheckpointSaysWhatWasSigned(t *testing.T) {
	t.Parallel()
	private, verifier, err := proof.GenerateKey(origin)
	check(t, err)
	signer, err := proof.NewSigner(private)
	check(t, err)
	if signer.Verifier() != verifier || signer.Origin() != origin {
		t.Errorf("the signer says %q of %q", signer.Verifier(), signer.Origin())
	}
	root := bytes.Repeat([]byte{7}, 32)
	signed, err := signer.Sign(42, root)
	check(t, err)
	got, err := proof.OpenCheckpoint(signed, newSigner(t).Verifier(), verifier)
	check(t, err)
	if diff := cmp.Diff(proof.Checkpoint{Origin: origin, Size: 42, Root: root, Note: signed}, got); diff != "" {
		t.Error(diff)
	}
	// The text is that of C2SP tlog-checkpoint.
	if want := origin + "\n42\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n\n— " + origin + " "; !strings.HasPrefix(string(signed), want) {
		t.Errorf("the note is %q", signed)
	}
}

func TestACheckpointOfAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	private, verifier, err := proof.GenerateKey(origin)
	check(t, err)
	key, err := note.NewSigner(private)
	check(t, err)
	root := strings.Repeat("A", 43) + "="
	tests := []struct{ name, body, want string }{
		{"another origin", "elsewhere\n5\n" + root + "\n", `of the log "elsewhere"`},
		{"size 0", origin + "\n0\n" + root + "\n", "size 0"},
		{"a size that is too large", origin + "\n9223372036854775808\n" + root + "\n", "has size 9223372036854775808"},
		{"a leading zero", origin + "\n05\n" + root + "\n", "the only form"},
		{"a negative size", origin + "\n-5\n" + root + "\n", "malformed"},
		{"a short root", origin + "\n5\nAAAA\n", "root of 3 bytes"},
		{"a root with stray bits", origin + "\n5\n" + root[:42] + "B=\n", "the only form"},
		{"a line more", origin + "\n5\n" + root + "\nmore\n", "the only form"},
		{"a line less", origin + "\n5\n", "malformed"},
		{"too long", origin + "\n5\n" + root + "\n" + strings.Repeat("x", 9000) + "\n", "the most is"},
	}
	for _, tt := range tests {
		signed, err := note.Sign(&note.Note{Text: tt.body}, key)
		check(t, err)
		if _, err := proof.OpenCheckpoint(signed, verifier); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error that says %q", tt.name, err, tt.want)
		}
	}
}

// During a change of keys both of them count, if the auditor trusts both.
func TestTwoKeysOfOneLogCanSign(t *testing.T) {
	t.Parallel()
	before, after := newSigner(t), newSigner(t)
	l := streamsLog(t, before, 6, interleaved)
	cp := l.checkpoint(t, 20)
	var err error
	l.notes[20], err = after.Sign(20, cp.Root)
	check(t, err)
	if _, err := proof.VerifyBundle(bytes.NewReader(l.whole(t)), proof.Trust{Verifiers: []string{before.Verifier(), after.Verifier()}}); err != nil {
		t.Error(err)
	}
	got := finding(t, l.whole(t), proof.Trust{Verifiers: []string{before.Verifier()}})
	if got.FromSeq != 19 || got.ToSeq != 20 || !strings.Contains(got.Reason, "not trusted") {
		t.Errorf("with the old key alone: %+v", got)
	}
}

func TestUnusableKeysAreRefusedWithoutBeingShown(t *testing.T) {
	t.Parallel()
	private, _, err := proof.GenerateKey(origin)
	check(t, err)
	secret := private[len(private)-20:]
	for _, key := range []string{"", "x", private[1:], private[:len(private)-4] + "AAAA", strings.Replace(private, origin, "other", 1)} {
		if _, err := proof.NewSigner(key); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v", err)
		}
	}
	for _, name := range []string{"", "two words", "a+b", "\xff"} {
		if _, _, err := proof.GenerateKey(name); err == nil {
			t.Errorf("a key was made for %q", name)
		}
	}
	for _, verifiers := range [][]string{nil, {"x"}, {newSigner(t).Verifier(), otherLog(t, []int{1}).signer.Verifier()}} {
		if _, err := proof.NewVerifier(verifiers, nil); err == nil {
			t.Errorf("a verifier was made with %v", verifiers)
		}
		if _, err := proof.NewWriter(io.Discard, verifiers); err == nil {
			t.Errorf("a bundle was begun with %v", verifiers)
		}
	}
	signer := newSigner(t)
	if _, err := signer.Sign(0, make([]byte, 32)); err == nil {
		t.Error("an empty log was signed")
	}
	if _, err := signer.Sign(1, nil); err == nil {
		t.Error("a missing root was signed")
	}
}

func TestWhatWasKeptOfAnotherLogIsRefused(t *testing.T) {
	t.Parallel()
	other := otherLog(t, interleaved)
	_, err := proof.NewVerifier([]string{newSigner(t).Verifier()}, []proof.Checkpoint{other.checkpoint(t, 6)})
	if err == nil || !strings.Contains(err.Error(), "keep a file for each log") {
		t.Errorf("got %v", err)
	}
}

// Events behind the last checkpoint are the rule in a live log.
func TestALiveLogMayHaveAnUnsignedTail(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	v, err := proof.NewVerifier([]string{l.signer.Verifier()}, []proof.Checkpoint{l.checkpoint(t, 6)})
	check(t, err)
	for i, e := range l.events[:16] {
		check(t, v.Event(e, l.leaves[i]))
		if note := l.notes[int64(i+1)]; note != nil {
			check(t, v.Checkpoint(note))
		}
	}
	report, err := v.Close()
	check(t, err)
	if !report.Whole || report.Events != 16 || report.Unsigned != 4 || report.Last.Size != 12 {
		t.Errorf("%+v", report)
	}
	if err := v.Event(event.Event{}, nil); err == nil {
		t.Error("a closed verifier takes events")
	}
}

// A database whose last checkpoint was taken out is compared with what was kept.
func TestAnUnsignedTailIsComparedWithWhatWasKept(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	kept := streamsLog(t, signer, 6, interleaved).checkpoint(t, 12)
	l := rewrittenLog(t, signer)
	v, err := proof.NewVerifier([]string{signer.Verifier()}, []proof.Checkpoint{kept})
	check(t, err)
	for i, e := range l.events[:12] {
		check(t, v.Event(e, l.leaves[i]))
	}
	_, err = v.Close()
	if found, ok := errors.AsType[*proof.Finding](err); !ok || found.ToSeq != 12 || !strings.Contains(found.Reason, "written anew") {
		t.Errorf("got %v", err)
	}
}

func TestTheFirstFindingStays(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	v, err := proof.NewVerifier([]string{l.signer.Verifier()}, nil)
	check(t, err)
	altered := l.events[0]
	altered.Account = "a2"
	first := v.Event(altered, l.leaves[0])
	if found, ok := errors.AsType[*proof.Finding](first); !ok || found.FromSeq != 1 || found.ToSeq != 1 {
		t.Fatalf("got %v", first)
	}
	_, atClose := v.Close()
	for _, again := range []error{v.Event(l.events[0], l.leaves[0]), v.Checkpoint(l.notes[6]), atClose} {
		if !errors.Is(again, first) {
			t.Errorf("got %v, want %v", again, first)
		}
	}
}

var errBroken = errors.New("broken")

type brokenDisk struct{}

func (brokenDisk) Read([]byte) (int, error)  { return 0, errBroken }
func (brokenDisk) Write([]byte) (int, error) { return 0, errBroken }

// A disk that fails is no finding about the log.
func TestABrokenDiskIsNotAFinding(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	bundle := l.whole(t)
	for _, n := range []int{0, 10, 300, len(bundle) / 2, len(bundle) - 3} {
		_, err := proof.VerifyBundle(io.MultiReader(bytes.NewReader(bundle[:n]), brokenDisk{}), proof.Trust{})
		if _, found := errors.AsType[*proof.Finding](err); found || !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	w, err := proof.NewWriter(brokenDisk{}, []string{l.signer.Verifier()})
	check(t, err)
	check(t, w.Event(l.events[0], nil))
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("closing: %v", err)
	}
}

func TestAWriterRefusesWhatNoReaderTakes(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	large := l.events[0]
	large.Data = bytes.Repeat([]byte(" "), event.MaxDataBytes+5000)
	for name, write := range map[string]func(w *proof.Writer) error{
		"a large event":    func(w *proof.Writer) error { return w.Event(large, nil) },
		"a short leaf":     func(w *proof.Writer) error { return w.Event(l.events[0], []byte{1}) },
		"an empty note":    func(w *proof.Writer) error { return w.Checkpoint(nil) },
		"a short hash":     func(w *proof.Writer) error { return w.Inclusion(1, [][]byte{{1}}) },
		"a boundless path": func(w *proof.Writer) error { return w.Consistency(1, 2, make([][]byte, 100)) },
	} {
		w, err := proof.NewWriter(io.Discard, []string{l.signer.Verifier()})
		check(t, err)
		if write(w) == nil || w.Close() == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestProofsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	ctx := t.Context()
	for _, at := range [][2]int64{{0, 5}, {6, 5}, {-1, 5}} {
		if _, err := proof.Inclusion(ctx, l, at[0], at[1]); err == nil {
			t.Errorf("event %d is among %d", at[0], at[1])
		}
		if _, err := proof.Consistency(ctx, l, at[0], at[1]); err == nil {
			t.Errorf("%d grew to %d", at[0], at[1])
		}
	}
	if _, err := proof.Inclusion(ctx, noNodes{}, 3, 20); !errors.Is(err, errBroken) {
		t.Errorf("without nodes: %v", err)
	}
	cp := l.checkpoint(t, 20)
	if err := proof.VerifyInclusion(cp, 21, l.leaves[0], nil); err == nil {
		t.Error("event 21 is among 20")
	}
	hashes, err := proof.Inclusion(ctx, l, 3, 20)
	check(t, err)
	if err := proof.VerifyInclusion(cp, 3, append(bytes.Clone(l.leaves[2]), 0), hashes); err == nil {
		t.Error("a hash of 33 bytes is included")
	}
}

type noNodes struct{}

func (noNodes) Nodes(context.Context, []proof.NodeID) ([][]byte, error) { return nil, errBroken }
