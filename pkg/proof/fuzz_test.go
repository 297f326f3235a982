package proof_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"integration.gateway/pkg/proof"
)

// fuzzKey is the same in every run, so that the corpora of the fuzz targets hold.
var fuzzKey = "PRIVATE+KEY+" + origin + "+acdd1d89+" + strings.Repeat("AQEB", 11)

func fuzzLog(f *testing.F) *madeLog {
	f.Helper()
	signer, err := proof.NewSigner(fuzzKey)
	check(f, err)
	return streamsLog(f, signer, 3, []int{1, 2, 1, 1, 2, 3, 1, 2})
}

// FuzzOpenCheckpoint: whatever is opened was signed, and is the log's only text for
// what it says.
func FuzzOpenCheckpoint(f *testing.F) {
	l := fuzzLog(f)
	key, err := note.NewSigner(fuzzKey)
	check(f, err)
	root := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for _, body := range []string{
		origin + "\n8\n" + root + "\n", origin + "\n08\n" + root + "\n", origin + "\n0\n" + root + "\n",
		origin + "\n18446744073709551615\n" + root + "\n", origin + "\n8\nAAAA\n", "other\n8\n" + root + "\n", origin + "\n8\n" + root + "\nmore\n", "x\n",
	} {
		f.Add([]byte(body), true)
	}
	f.Add(l.notes[3], false)
	f.Add([]byte("x\n\n— "+origin+" AAAAAAA=\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, sign bool) {
		if sign {
			signed, err := note.Sign(&note.Note{Text: string(text)}, key)
			if err != nil {
				return
			}
			text = signed
		}
		cp, err := proof.OpenCheckpoint(text, l.signer.Verifier())
		if err != nil {
			return
		}
		want := fmt.Sprintf("%s\n%d\n%s\n\n", cp.Origin, cp.Size, base64.StdEncoding.EncodeToString(cp.Root))
		if !strings.HasPrefix(string(cp.Note), want) || cp.Origin != origin || cp.Size < 1 || len(cp.Root) != 32 {
			t.Errorf("%q was opened as %+v", text, cp)
		}
		if !sign && !strings.HasPrefix(string(l.notes[cp.Size]), want) {
			t.Errorf("%q was never signed", text)
		}
	})
}

// FuzzVerifyBundle: no bundle makes the verifier panic, and one that verifies with
// the log's key has that log's events and none else.
func FuzzVerifyBundle(f *testing.F) {
	l := fuzzLog(f)
	whole, partial := l.whole(f), l.partial(f, []int64{3, 6, 8}, []int64{1, 4, 8})
	f.Add(whole, 0, 0, byte(0))
	f.Add(partial, 0, 0, byte(0))
	f.Add(whole, len(whole)/2, 1, byte('x'))
	f.Add(partial, len(partial)/2, 1, byte('x'))
	f.Add(whole, len(whole)/3, 700, byte('\n'))
	trust := proof.Trust{Verifiers: []string{l.signer.Verifier()}, Kept: []proof.Checkpoint{l.checkpoint(f, 3)}}
	honest := map[string]bool{}
	for _, e := range l.events {
		honest[pieceOf(e).body] = true
	}
	f.Fuzz(func(t *testing.T, bundle []byte, at, length int, with byte) {
		if at >= 0 && length > 0 && at < len(bundle) && length <= len(bundle)-at {
			bundle = append(append(bytes.Clone(bundle[:at]), with), bundle[at+length:]...)
		}
		report, err := proof.VerifyBundle(bytes.NewReader(bundle), trust)
		if err != nil {
			return
		}
		events := int64(0)
		for _, p := range pieces(t, bundle) {
			if !strings.HasPrefix(p.head, "event ") {
				continue
			}
			events++
			if !honest[p.body] {
				t.Errorf("the log never had %q", p.body)
			}
		}
		if events != report.Events || report.Whole && events != report.Last.Size {
			t.Errorf("%d events, and %+v", events, report)
		}
	})
}

// FuzzReadKept: what is read as kept is the same after it was written again.
func FuzzReadKept(f *testing.F) {
	l := fuzzLog(f)
	var file bytes.Buffer
	check(f, proof.WriteKept(&file, proof.Trust{
		Verifiers: []string{l.signer.Verifier()},
		Kept:      []proof.Checkpoint{l.checkpoint(f, 3), l.checkpoint(f, 8)},
	}))
	f.Add(file.Bytes())
	f.Add(l.whole(f))
	f.Add([]byte("integration.gateway/bundle/v1\nkey " + l.signer.Verifier() + "\nend 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		trust, err := proof.ReadKept(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		check(t, proof.WriteKept(&again, trust))
		got, err := proof.ReadKept(&again)
		check(t, err)
		if diff := cmp.Diff(trust, got); diff != "" {
			t.Error(diff)
		}
	})
}
