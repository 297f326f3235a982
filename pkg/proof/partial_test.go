package proof_test

import (
	"slices"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// The bundle of this test has the checkpoints of the sizes 6, 12 and 18 and the
// events 1, 3, 6 and 11 of stream 1 with event 9 of stream 3.
func TestEachDamageToAPartialBundleIsFound(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	l := streamsLog(t, signer, 6, interleaved)
	thief := streamsLog(t, newSigner(t), 6, interleaved)
	rewritten := rewrittenLog(t, signer)
	bundle := l.partial(t, []int64{6, 12, 18}, []int64{1, 3, 6, 9, 11})
	trust := proof.Trust{Verifiers: []string{signer.Verifier()}}

	tests := []struct {
		name     string
		damage   func(t testing.TB, all []piece) []piece
		from, to int64
		reason   string
	}{
		{"a byte of the data", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9")
			all[i].body = strings.Replace(all[i].body, `"B8"`, `"B7"`, 1)
			return all
		}, 9, 9, "content was altered"},
		{"a byte of the data and the leaf", func(t testing.TB, all []piece) []piece {
			reword(t, &all[at(t, all, "event 9")], `"B8"`, `"B7"`)
			return all
		}, 9, 9, "does not lead to the root"},
		{"another seq", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9")
			all[i].head = strings.Replace(all[i].head, "event 9", "event 10", 1)
			return all
		}, 10, 10, "does not lead to the root"},
		{"a proof of another event", func(t testing.TB, all []piece) []piece {
			i, j := at(t, all, "event 9")+1, at(t, all, "event 6")+1
			all[i] = all[j]
			return all
		}, 9, 9, "does not lead to the root"},
		{"a proof that is too short", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9") + 1
			all[i].head = all[i].head[:strings.LastIndex(all[i].head, " ")]
			return all
		}, 9, 9, "proof is malformed"},
		{"a proof for another size", func(t testing.TB, all []piece) []piece {
			hashes, err := proof.Inclusion(t.Context(), l, 9, 12)
			check(t, err)
			all[at(t, all, "event 9")+1] = proofPiece(12, hashes)
			return all
		}, 9, 9, "not for the 18"},
		{"no proof", func(t testing.TB, all []piece) []piece {
			return without(all, at(t, all, "event 9")+1)
		}, 9, 9, "proof is missing"},
		{"no proof at the end", func(t testing.TB, all []piece) []piece {
			return without(all, at(t, all, "event 11")+1)
		}, 11, 11, "proof is missing"},
		{"two proofs", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9") + 1
			return slices.Insert(all, i, all[i])
		}, 0, 0, "without an event"},
		{"an event twice", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9")
			return slices.Insert(all, i, all[i], all[i+1])
		}, 9, 9, "out of order"},
		{"two events the other way round", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 6")
			return slices.Insert(without(all, i, i+1), i+2, all[i], all[i+1])
		}, 6, 6, "behind event 9, out of order"},
		{"an event beyond the checkpoint", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, len(all)-1, pieceOf(l.events[18]))
		}, 19, 19, "not among the 18"},
		{"an event of a log written anew", func(t testing.TB, all []piece) []piece {
			hashes, err := proof.Inclusion(t.Context(), rewritten, 9, 18)
			check(t, err)
			i := at(t, all, "event 9")
			all[i], all[i+1] = pieceOf(rewritten.events[8]), proofPiece(18, hashes)
			return all
		}, 9, 9, "does not lead to the root"},
		{"without its last checkpoint", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 18)
			return without(all, i-1, i)
		}, 1, 1, "not for the 12"},
		{"without any checkpoint", func(t testing.TB, all []piece) []piece {
			return slices.DeleteFunc(all, func(p piece) bool { return strings.HasPrefix(p.head, "c") })
		}, 2, 2, "proof record in a bundle of a whole log"},
		{"without proofs and checkpoints, as if it were whole", func(t testing.TB, all []piece) []piece {
			all = slices.DeleteFunc(all, func(p piece) bool { return strings.HasPrefix(p.head, "c") || strings.HasPrefix(p.head, "proof") })
			all[at(t, all, "end")].head = "end 5"
			return all
		}, 2, 2, "missing: event 3"},
		{"without a consistency record", func(t testing.TB, all []piece) []piece {
			return without(all, checkpointAt(t, all, 12)-1)
		}, 0, 0, "no consistency record leads"},
		{"another consistency record", func(t testing.TB, all []piece) []piece {
			i, j := checkpointAt(t, all, 12), checkpointAt(t, all, 18)
			words := strings.Fields(all[i-1].head)
			words[3] = strings.Fields(all[j-1].head)[3]
			all[i-1].head = strings.Join(words, " ")
			return all
		}, 7, 12, "does not lead from the root of size 6"},
		{"a consistency record from nowhere", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			all[i-1].head = strings.Replace(all[i-1].head, "consistency 6", "consistency 5", 1)
			return all
		}, 0, 0, "wrong place"},
		{"a consistency record before the first checkpoint", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, checkpointAt(t, all, 6), piece{head: "consistency 0 6"})
		}, 1, 6, "cannot grow from 0"},
		{"a consistency record without a checkpoint", func(t testing.TB, all []piece) []piece {
			return without(all, checkpointAt(t, all, 18))
		}, 0, 0, "a checkpoint was expected"},
		{"a checkpoint of another key", func(t testing.TB, all []piece) []piece {
			putNote(all, checkpointAt(t, all, 18), thief.notes[18])
			return all
		}, 0, 0, "not trusted"},
		{"a checkpoint of a log written anew", func(t testing.TB, all []piece) []piece {
			putNote(all, checkpointAt(t, all, 18), rewritten.notes[18])
			return all
		}, 13, 18, "does not lead from the root of size 12"},
		{"a checkpoint twice", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 6)
			return slices.Insert(all, i, all[i])
		}, 0, 0, "behind one of size 6"},
		{"a fork", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 18)
			all = slices.Insert(all, i+1, all[i])
			putNote(all, i+1, rewritten.notes[18])
			return all
		}, 1, 18, "forked"},
		{"a checkpoint behind an event", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, len(all)-1, piece{head: all[checkpointAt(t, all, 18)].head, body: string(l.notes[18])})
		}, 0, 0, "behind an event"},
		{"an end that says more", func(_ testing.TB, all []piece) []piece {
			all[len(all)-1].head = "end 6"
			return all
		}, 0, 0, "the end says 6 events, and 5 were there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := finding(t, join(tt.damage(t, pieces(t, bundle))), trust)
			if got.FromSeq != tt.from || got.ToSeq != tt.to || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("got %+v, want events %d to %d and %q", got, tt.from, tt.to, tt.reason)
			}
		})
	}
}

// A log whose sequencer gave a stream's version twice signed for it too: only the
// chains tell.
func TestASignedLogWithABrokenChainIsFound(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	tests := []struct {
		name   string
		damage func(l *madeLog)
		reason string
	}{
		{"the same version twice", func(l *madeLog) { l.events[8].Version = 2; l.events[8].PrevHash = l.events[3].Hash }, "came again"},
		{"another predecessor", func(l *madeLog) { l.events[8].PrevHash = l.events[0].Hash }, "hash of its predecessor"},
	}
	for _, tt := range tests {
		l := streamsLog(t, signer, 4, interleaved)
		tt.damage(l)
		reread(t, &l.events[8])
		l.events = l.events[:9]
		l.seal(t)
		for kind, bundle := range map[string][]byte{
			"whole":   l.whole(t),
			"partial": l.partial(t, []int64{9}, []int64{4, 8, 9}),
		} {
			got := finding(t, bundle, proof.Trust{})
			if got.ToSeq != 9 || got.FromSeq < 8 || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("%s, %s: %+v", tt.name, kind, got)
			}
		}
	}
}

func TestASignedStreamWithAGapIsFound(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	for name, damage := range map[string]func(e *event.Event){
		"a version left out":     func(e *event.Event) { e.Version++ },
		"not begun at version 1": func(e *event.Event) { e.Stream = "command/new" },
	} {
		l := streamsLog(t, signer, 4, interleaved[:9])
		damage(&l.events[8])
		reread(t, &l.events[8])
		l.seal(t)
		got := finding(t, l.whole(t), proof.Trust{})
		if got.FromSeq != 9 || got.ToSeq != 9 || !strings.Contains(got.Reason, "one is missing or moved") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestABundleThatBreaksTheFormIsRefusedByLine(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	head := "integration.gateway/bundle/v1\nkey " + l.signer.Verifier() + "\n"
	hash := strings.Repeat("A", 43) + "="
	tests := []struct{ name, bundle, want string }{
		{"empty", "", "line 1 of the bundle: the bundle breaks off"},
		{"another file", "PK\x03\x04\n", "line 1 of the bundle: it is not"},
		{"another version", strings.Replace(head, "/v1", "/v2", 1), "another version"},
		{"no key", "integration.gateway/bundle/v1\nend 0\n", "a key line was expected"},
		{"a thousand keys", head + strings.Repeat("key x\n", 1000) + "end 0\n", "more than 64 keys"},
		{"a malformed key", "integration.gateway/bundle/v1\nkey x+y\nend 0\n", "bundle's own keys"},
		{"keys of two logs", head + "key " + otherLog(t, []int{1}).signer.Verifier() + "\nend 0\n", "keys of two logs"},
		{"a long line", head + "event " + strings.Repeat("9", 5000) + "\n", "line 3 of the bundle: a line of more than 4096 bytes"},
		{"a line without end", head + strings.Repeat("9", 1<<20), "a line of more than 4096 bytes"},
		{"an empty line", head + "\n", "begins no record"},
		{"an unknown record", head + "evil 1\n", `line 3 of the bundle: "evil" begins no record`},
		{"a key too late", head + "end 0\nkey x\n", "follows the end"},
		{"a huge event", head + "event 1 9223372036854775807 " + hash + "\nx", "event of 9223372036854775807 bytes"},
		{"a negative length", head + "event 1 -1 " + hash + "\nx", "not a number"},
		{"an empty event", head + "event 1 0 " + hash + "\n\n", "event of 0 bytes"},
		{"an event without a leaf", head + "event 1 1\nx\n", "no leaf"},
		{"an event with two leaves", head + "event 1 1 " + hash + " " + hash + "\nx\n", "has 5 words"},
		{"a leaf that is not base64", head + "event 1 1 " + strings.Repeat("!", 44) + "\nx\n", "not a hash"},
		{"a leaf with stray bits", head + "event 1 1 " + strings.Repeat("A", 42) + "B=\nx\n", "not a hash"},
		{"a short leaf", head + "event 1 1 AAAA\nx\n", "not a hash"},
		{"leading zeros", head + "end 00\n", "not a number"},
		{"a number that is too large", head + "end 9223372036854775808\n", "not a number"},
		{"two spaces", head + "end  0\n", "has 3 words"},
		{"a huge checkpoint", head + "checkpoint 100000\nx", "checkpoint of 100000 bytes"},
		{"a checkpoint that is no note", head + "checkpoint 2\nx\n", "malformed note"},
		{"a checkpoint without a line end", head + "checkpoint 2\nxy", "does not end where"},
		{"a long proof", head + "proof 9" + strings.Repeat(" "+hash, 65) + "\n", "has 67 words"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := finding(t, []byte(tt.bundle), proof.Trust{})
			if !strings.Contains(got.Error(), tt.want) {
				t.Errorf("got %q, want it to say %q", got.Error(), tt.want)
			}
		})
	}
}
