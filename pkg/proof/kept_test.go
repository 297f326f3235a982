package proof_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"integration.gateway/pkg/proof"
)

// rewrittenLog is the log of a thief who has the signing key, in which event 9 says
// something else.
func rewrittenLog(t testing.TB, signer *proof.Signer) *madeLog {
	t.Helper()
	l := streamsLog(t, signer, 6, interleaved)
	last := map[string]int{}
	for i := range l.events {
		e := &l.events[i]
		if i == 8 {
			e.Data = []byte(`{"request":{"asin":"forged"}}`)
		}
		if before, ok := last[e.Stream]; ok {
			e.PrevHash = l.events[before].Hash
		}
		reread(t, e)
		last[e.Stream] = i
	}
	l.seal(t)
	return l
}

func TestWhatWasKeptFindsWhatTheBundleAloneHides(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	honest := streamsLog(t, signer, 6, interleaved)
	kept := func(sizes ...int64) proof.Trust {
		trust := proof.Trust{Verifiers: []string{signer.Verifier()}}
		for _, size := range sizes {
			trust.Kept = append(trust.Kept, honest.checkpoint(t, size))
		}
		return trust
	}
	short := streamsLog(t, signer, 6, interleaved[:18])
	rewritten := rewrittenLog(t, signer)
	thief := streamsLog(t, newSigner(t), 6, interleaved)

	tests := []struct {
		name     string
		bundle   []byte
		alone    bool // it verifies without anything kept
		trust    proof.Trust
		from, to int64
		reason   string
	}{
		{"a tail that was cut off", short.whole(t), true, kept(6, 20), 19, 20, "tail was cut off"},
		{"a tail that was cut off, partial", short.partial(t, []int64{6, 18}, []int64{3}), true, kept(6, 20), 19, 20, "tail was cut off"},
		{"a log written anew", rewritten.whole(t), true, kept(12), 1, 12, "written anew"},
		{"a log written anew behind what was kept", rewritten.whole(t), true, kept(6, 18), 7, 18, "written anew"},
		{"a log written anew and kept where it has no checkpoint", rewritten.without(t, 12), true, kept(6, 12), 7, 12, "written anew"},
		{"a log written anew, partial", rewritten.partial(t, []int64{6, 18}, []int64{9}), true, kept(6, 18), 7, 18, "written anew"},
		{"a log written anew with another key", thief.whole(t), false, kept(), 1, 6, "not trusted"},
		{"nothing left", []byte("integration.gateway/bundle/v1\nkey " + signer.Verifier() + "\nend 0\n"), false, kept(6), 1, 6, "tail was cut off"},
		{"a kept log that is forked itself", honest.whole(t), true, func() proof.Trust {
			trust := kept(12)
			trust.Kept = append(trust.Kept, rewritten.checkpoint(t, 12))
			return trust
		}(), 1, 12, "forked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := proof.VerifyBundle(bytes.NewReader(tt.bundle), proof.Trust{Verifiers: tt.trust.Verifiers})
			if alone := err == nil; alone != tt.alone {
				t.Errorf("without what was kept: %v", err)
			}
			got := finding(t, tt.bundle, tt.trust)
			if got.FromSeq != tt.from || got.ToSeq != tt.to || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAnHonestLogAgreesWithWhatWasKept(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	trust := proof.Trust{
		Verifiers: []string{l.signer.Verifier()},
		Kept:      []proof.Checkpoint{l.checkpoint(t, 18), l.checkpoint(t, 6), l.checkpoint(t, 20), l.checkpoint(t, 6)},
	}
	for name, bundle := range map[string][]byte{"all": l.whole(t), "one checkpoint": l.without(t, 6, 12, 18)} {
		report, err := proof.VerifyBundle(bytes.NewReader(bundle), trust)
		if err != nil || !report.Whole {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

// A partial bundle that lacks a kept checkpoint cannot show that it extends it.
func TestAPartialBundleSaysWhichKeptCheckpointsItDoesNotReach(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	trust := proof.Trust{
		Verifiers: []string{l.signer.Verifier()},
		Kept:      []proof.Checkpoint{l.checkpoint(t, 6), l.checkpoint(t, 12), l.checkpoint(t, 18)},
	}
	tests := []struct {
		sizes, unlinked []int64
	}{
		{[]int64{20}, []int64{6, 12, 18}},
		{[]int64{12, 20}, []int64{18}},
		{[]int64{18, 20}, nil},
		{[]int64{6, 12, 18, 20}, nil},
	}
	for _, tt := range tests {
		report, err := proof.VerifyBundle(bytes.NewReader(l.partial(t, tt.sizes, []int64{3})), trust)
		check(t, err)
		if diff := cmp.Diff(tt.unlinked, report.Unlinked); diff != "" {
			t.Errorf("checkpoints %v: %s", tt.sizes, diff)
		}
		want := trust.Kept
		if tt.unlinked == nil {
			want = []proof.Checkpoint{l.checkpoint(t, 20)}
		}
		if diff := cmp.Diff(want, trust.Keep(report).Kept); diff != "" {
			t.Errorf("checkpoints %v, to keep: %s", tt.sizes, diff)
		}
	}
}

// A log that was written anew with its own key has bundles that do not reach what
// was kept. None of them may take its place, so that another could pass.
func TestAForkDoesNotCreepInByBundlesThatReachNothingKept(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	honest, fork := streamsLog(t, signer, 6, interleaved), rewrittenLog(t, signer)
	trust := proof.Trust{Verifiers: []string{signer.Verifier()}, Kept: []proof.Checkpoint{honest.checkpoint(t, 12)}}
	for _, sizes := range [][]int64{{18}, {18, 20}} {
		report, err := proof.VerifyBundle(bytes.NewReader(fork.partial(t, sizes, []int64{3})), trust)
		check(t, err)
		if diff := cmp.Diff([]int64{12}, report.Unlinked); diff != "" {
			t.Errorf("checkpoints %v, with %d kept: %s", sizes, len(trust.Kept), diff)
		}
		trust = trust.Keep(report)
	}
}

func TestABundleWithoutACheckpointProvesNothing(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	var empty bytes.Buffer
	w, err := proof.NewWriter(&empty, []string{signer.Verifier()})
	check(t, err)
	check(t, w.Close())
	got := finding(t, empty.Bytes(), proof.Trust{Verifiers: []string{signer.Verifier()}})
	if !strings.Contains(got.Reason, "no checkpoint") {
		t.Errorf("got %+v", got)
	}
}

// A name stands in reports, which are read on terminals.
func TestAKeyWhoseNameCannotBeShownIsRefused(t *testing.T) {
	t.Parallel()
	if _, _, err := proof.GenerateKey("log\u009b2J"); err == nil {
		t.Error("it was made")
	}
	_, verifier, err := note.GenerateKey(rand.Reader, "log\x1b[2J")
	check(t, err)
	if _, err := proof.NewVerifier([]string{verifier}, nil); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsKeptComesBack(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	report, err := proof.VerifyBundle(bytes.NewReader(l.whole(t)), proof.Trust{})
	check(t, err)
	want := proof.Trust{}.Keep(report)
	var file bytes.Buffer
	check(t, proof.WriteKept(&file, want))
	got, err := proof.ReadKept(&file)
	check(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]proof.Checkpoint{l.checkpoint(t, 20)}, got.Kept); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatWasNotKeptIsRefused(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	thief := streamsLog(t, newSigner(t), 6, interleaved)
	var file bytes.Buffer
	check(t, proof.WriteKept(&file, proof.Trust{Verifiers: []string{l.signer.Verifier()}, Kept: []proof.Checkpoint{l.checkpoint(t, 6)}}))
	forged := pieces(t, file.Bytes())
	putNote(forged, 2, thief.notes[6])
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "breaks off"},
		{"something else", []byte("{}\n"), "no bundle"},
		{"without keys", []byte("integration.gateway/bundle/v1\nend 0\n"), "key line was expected"},
		{"a malformed key", []byte("integration.gateway/bundle/v1\nkey x+y\nend 0\n"), "verifier key"},
		{"a whole bundle", l.whole(t), "not what WriteKept wrote"},
		{"cut off", file.Bytes()[:file.Len()-1], "breaks off"},
		{"a forged checkpoint", join(forged), "not trusted"},
		{"an end with events", bytes.Replace(file.Bytes(), []byte("end 0"), []byte("end 1"), 1), "end record"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := proof.ReadKept(bytes.NewReader(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
	if err := proof.WriteKept(&file, proof.Trust{Verifiers: []string{l.signer.Verifier()}, Kept: []proof.Checkpoint{thief.checkpoint(t, 6)}}); err == nil {
		t.Error("a checkpoint of another key was kept")
	}
}
