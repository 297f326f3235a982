package proof_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/proof"
)

// interleaved is an order of four streams' events in which each has several.
var interleaved = []int{1, 2, 1, 3, 2, 1, 4, 3, 3, 2, 1, 4, 4, 2, 1, 3, 1, 1, 2, 4}

func TestAnHonestWholeBundleVerifies(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	got, err := proof.VerifyBundle(bytes.NewReader(l.whole(t)), proof.Trust{Verifiers: []string{l.signer.Verifier()}})
	check(t, err)
	want := proof.Report{
		Events: 20, Streams: 4, Checkpoints: 4, Whole: true,
		Last: l.checkpoint(t, 20), Verifiers: []string{l.signer.Verifier()},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnHonestPartialBundleVerifiesAndSaysThatItIsPartial(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	bundle := l.partial(t, []int64{6, 12, 18}, []int64{1, 3, 6, 11, 18})
	got, err := proof.VerifyBundle(bytes.NewReader(bundle), proof.Trust{})
	check(t, err)
	want := proof.Report{
		Events: 5, Streams: 1, Checkpoints: 3, Whole: false, OwnKeys: true,
		Last: l.checkpoint(t, 18), Verifiers: []string{l.signer.Verifier()},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
