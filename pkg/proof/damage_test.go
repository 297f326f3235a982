package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

// piece is a record of a bundle as it stands in the file.
type piece struct {
	head string // its first line, without the end
	body string // what follows the line
}

// pieces cuts a bundle into its lines and records.
func pieces(t testing.TB, bundle []byte) []piece {
	t.Helper()
	var all []piece
	for text := string(bundle); text != ""; {
		head, rest, _ := strings.Cut(text, "\n")
		words, size := strings.Fields(head), 0
		switch words[0] {
		case "event":
			size = number(t, words[2]) + 1
		case "checkpoint":
			size = number(t, words[1])
		}
		all = append(all, piece{head: head, body: rest[:size]})
		text = rest[size:]
	}
	return all
}

func join(all []piece) []byte {
	var out bytes.Buffer
	for _, p := range all {
		out.WriteString(p.head + "\n" + p.body)
	}
	return out.Bytes()
}

func number(t testing.TB, word string) int {
	t.Helper()
	n, err := strconv.Atoi(word)
	check(t, err)
	return n
}

// at finds the record that begins with these words.
func at(t testing.TB, all []piece, words string) int {
	t.Helper()
	i := slices.IndexFunc(all, func(p piece) bool { return strings.HasPrefix(p.head+" ", words+" ") })
	if i < 0 {
		t.Fatalf("no record %q", words)
	}
	return i
}

// checkpointAt finds the checkpoint record of this size.
func checkpointAt(t testing.TB, all []piece, size int) int {
	t.Helper()
	i := slices.IndexFunc(all, func(p piece) bool {
		return strings.HasPrefix(p.body, fmt.Sprintf("%s\n%d\n", origin, size))
	})
	if i < 0 {
		t.Fatalf("no checkpoint of size %d", size)
	}
	return i
}

// without takes out the records at these places.
func without(all []piece, places ...int) []piece {
	var rest []piece
	for i, p := range all {
		if !slices.Contains(places, i) {
			rest = append(rest, p)
		}
	}
	return rest
}

// renumbered counts the events and the end anew, as a careful forger would.
func renumbered(all []piece) []piece {
	n := 0
	for i, p := range all {
		words := strings.Fields(p.head)
		switch words[0] {
		case "event":
			n++
			words[1] = strconv.Itoa(n)
		case "end":
			words[1] = strconv.Itoa(n)
		}
		all[i].head = strings.Join(words, " ")
	}
	return all
}

// finding is what VerifyBundle must find.
func finding(t testing.TB, bundle []byte, trust proof.Trust) proof.Finding {
	t.Helper()
	report, err := proof.VerifyBundle(bytes.NewReader(bundle), trust)
	if err == nil {
		t.Fatalf("the damage was not found: %+v", report)
	}
	found, ok := errors.AsType[*proof.Finding](err)
	if !ok {
		t.Fatalf("not a finding: %v", err)
	}
	return *found
}

// The log of these tests has 20 events of four streams and checkpoints of the sizes
// 6, 12, 18 and 20. Event 9 belongs to stream 3, whose next one is event 16.
func TestEachDamageToAWholeBundleIsFound(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	l := streamsLog(t, signer, 6, interleaved)
	trust := proof.Trust{Verifiers: []string{signer.Verifier()}}
	thief := streamsLog(t, newSigner(t), 6, interleaved)
	other := otherLog(t, interleaved)
	event9 := func(t testing.TB, all []piece) *piece { return &all[at(t, all, "event 9")] }

	tests := []struct {
		name     string
		damage   func(t testing.TB, all []piece) []piece
		from, to int64
		reason   string
	}{
		{"a byte of the data", func(t testing.TB, all []piece) []piece {
			event9(t, all).body = strings.Replace(event9(t, all).body, `"B8"`, `"B7"`, 1)
			return all
		}, 9, 9, "content was altered"},
		{"a byte of the account", func(t testing.TB, all []piece) []piece {
			event9(t, all).body = strings.Replace(event9(t, all).body, " 2 a1 ", " 2 a2 ", 1)
			return all
		}, 9, 9, "content was altered"},
		{"a byte that no event has there", func(t testing.TB, all []piece) []piece {
			event9(t, all).body = strings.Replace(event9(t, all).body, "buy-now", "buy_now", 1)
			return all
		}, 9, 9, "hyphens"},
		{"a byte of the data and the leaf", func(t testing.TB, all []piece) []piece {
			reword(t, event9(t, all), `"B8"`, `"B7"`)
			return all
		}, 7, 12, "root of the checkpoint of size 12"},
		{"a byte of the data and the leaf, of an event whose next one follows at once", func(t testing.TB, all []piece) []piece {
			reword(t, &all[at(t, all, "event 8")], `"B7"`, `"B6"`)
			return all
		}, 8, 9, "hash of its predecessor, event 8"},
		{"a byte of the predecessor's hash", func(t testing.TB, all []piece) []piece {
			e, err := event.ParseCanonical([]byte(strings.TrimSuffix(event9(t, all).body, "\n")))
			check(t, err)
			e.PrevHash[0] ^= 1
			put(event9(t, all), e)
			return all
		}, 8, 9, "hash of its predecessor, event 8"},
		{"a deleted event", func(t testing.TB, all []piece) []piece {
			return without(all, at(t, all, "event 9"))
		}, 9, 9, "missing: event 10 stands in its place"},
		{"a deleted event, renumbered", func(t testing.TB, all []piece) []piece {
			return renumbered(without(all, at(t, all, "event 9")))
		}, 7, 12, "11 events stand before the checkpoint of size 12"},
		{"a deleted event whose stream goes on, renumbered", func(t testing.TB, all []piece) []piece {
			return renumbered(without(all, at(t, all, "event 3")))
		}, 2, 5, "version 2 of the stream was expected, and 3 came"},
		{"the first event deleted", func(t testing.TB, all []piece) []piece {
			return without(all, at(t, all, "event 1"))
		}, 1, 1, "missing: event 2"},
		{"the tail and the end cut off", func(t testing.TB, all []piece) []piece {
			return all[:at(t, all, "event 19")]
		}, 19, 19, "breaks off"},
		{"the tail deleted before its checkpoint", func(t testing.TB, all []piece) []piece {
			return renumbered(without(all, at(t, all, "event 19"), at(t, all, "event 20")))
		}, 19, 20, "18 events stand before the checkpoint of size 20"},
		{"the last checkpoint deleted", func(t testing.TB, all []piece) []piece {
			return without(all, checkpointAt(t, all, 20))
		}, 19, 20, "nobody signed"},
		{"all checkpoints deleted", func(t testing.TB, all []piece) []piece {
			return slices.DeleteFunc(all, func(p piece) bool { return strings.HasPrefix(p.head, "checkpoint ") })
		}, 1, 20, "nobody signed"},
		{"a removed stream", func(t testing.TB, all []piece) []piece {
			return without(all, at(t, all, "event 7"), at(t, all, "event 12"), at(t, all, "event 13"), at(t, all, "event 20"))
		}, 7, 7, "missing"},
		{"a removed stream, renumbered", func(t testing.TB, all []piece) []piece {
			return renumbered(without(all, at(t, all, "event 7"), at(t, all, "event 12"), at(t, all, "event 13"), at(t, all, "event 20")))
		}, 7, 12, "10 events stand before"},
		{"a removed stream, renumbered, with one checkpoint left", func(t testing.TB, all []piece) []piece {
			all = without(all, checkpointAt(t, all, 6), checkpointAt(t, all, 12), checkpointAt(t, all, 18))
			return renumbered(without(all, at(t, all, "event 7"), at(t, all, "event 12"), at(t, all, "event 13"), at(t, all, "event 20")))
		}, 1, 20, "16 events stand before"},
		{"two swapped events", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9")
			all[i], all[i+1] = all[i+1], all[i]
			return all
		}, 9, 9, "missing: event 10 stands in its place"},
		{"two swapped events of two streams, renumbered", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 9")
			all[i], all[i+1] = all[i+1], all[i]
			return renumbered(all)
		}, 7, 12, "root of the checkpoint of size 12"},
		{"two swapped events of one stream, renumbered", func(t testing.TB, all []piece) []piece {
			i := at(t, all, "event 8")
			all[i], all[i+1] = all[i+1], all[i]
			return renumbered(all)
		}, 7, 8, "version 2 of the stream was expected, and 3 came"},
		{"an event put in twice", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, at(t, all, "event 10"), *event9(t, all))
		}, 10, 10, "event 9, which was there before"},
		{"an event put in twice, renumbered", func(t testing.TB, all []piece) []piece {
			return renumbered(slices.Insert(all, at(t, all, "event 10"), *event9(t, all)))
		}, 9, 10, "version 4 of the stream was expected, and 3 came again"},
		{"a second first event of a stream that is signed for", func(t testing.TB, all []piece) []piece {
			return renumbered(slices.Insert(all, at(t, all, "event 9"), all[at(t, all, "event 1")]))
		}, 9, 9, "came again"},
		{"an unsigned event at the end", func(t testing.TB, all []piece) []piece {
			last := streamsLog(t, signer, 6, append(slices.Clone(interleaved), 4)).events[20]
			return renumbered(slices.Insert(all, len(all)-1, pieceOf(last)))
		}, 21, 21, "nobody signed"},
		{"a checkpoint of another key", func(t testing.TB, all []piece) []piece {
			putNote(all, checkpointAt(t, all, 12), thief.notes[12])
			return all
		}, 7, 12, "not trusted"},
		{"a checkpoint of another log", func(t testing.TB, all []piece) []piece {
			putNote(all, checkpointAt(t, all, 12), other.notes[12])
			return all
		}, 7, 12, "other.example.com"},
		{"a checkpoint with another root", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			lines := strings.Split(all[i].body, "\n")
			lines[2] = strings.Split(all[checkpointAt(t, all, 18)].body, "\n")[2]
			all[i].body = strings.Join(lines, "\n")
			return all
		}, 7, 12, "invalid signature"},
		{"a checkpoint with another size", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			all[i].body = strings.Replace(all[i].body, "\n12\n", "\n11\n", 1)
			return all
		}, 7, 12, "invalid signature"},
		{"a checkpoint too early", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			return slices.Insert(without(all, i), at(t, all, "event 10"), all[i])
		}, 7, 12, "9 events stand before"},
		{"a checkpoint too late", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			return slices.Insert(without(all, i), i+1, all[i])
		}, 7, 13, "out of its place"},
		{"a checkpoint twice", func(t testing.TB, all []piece) []piece {
			i := checkpointAt(t, all, 12)
			return slices.Insert(all, i, all[i])
		}, 0, 0, "twice"},
		{"a fork", func(t testing.TB, all []piece) []piece {
			note, err := signer.Sign(12, bytes.Repeat([]byte{1}, 32))
			check(t, err)
			i := checkpointAt(t, all, 12)
			all = slices.Insert(all, i+1, all[i])
			putNote(all, i+1, note)
			return all
		}, 1, 12, "forked"},
		{"an end that says less", func(_ testing.TB, all []piece) []piece {
			all[len(all)-1].head = "end 19"
			return all
		}, 20, 20, "the end says 19 events, and 20 were there"},
		{"something after the end", func(_ testing.TB, all []piece) []piece {
			return append(all, all[len(all)-1])
		}, 21, 21, "follows the end"},
		{"a proof", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, at(t, all, "event 10"), piece{head: "proof 20"})
		}, 10, 10, "proof record in a bundle of a whole log"},
		{"a consistency record", func(t testing.TB, all []piece) []piece {
			return slices.Insert(all, at(t, all, "event 10"), piece{head: "consistency 6 12"})
		}, 10, 10, "consistency record in a bundle of a whole log"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := finding(t, join(tt.damage(t, pieces(t, l.whole(t)))), trust)
			want := proof.Finding{FromSeq: tt.from, ToSeq: tt.to}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(proof.Finding{}, "EventID", "Stream", "Reason")); diff != "" {
				t.Errorf("%s\n%s", got.Error(), diff)
			}
			if !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("got %q, want it to say %q", got.Reason, tt.reason)
			}
		})
	}
}

// Whichever byte of an event's record is flipped, whichever bit: this very event is
// named. (At a record's very end the flip may join it to the next.)
func TestAFlippedByteNamesItsEvent(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 10, interleaved[:10])
	all := pieces(t, l.whole(t))
	honest := join(all)
	begin := len(join(all[:at(t, all, "event 9")]))
	end := len(join(all[:at(t, all, "event 10")]))
	for i := begin; i < end; i++ {
		for bit := range 8 {
			damaged := bytes.Clone(honest)
			damaged[i] ^= 1 << bit
			got := finding(t, damaged, proof.Trust{})
			if got.FromSeq != 9 || got.ToSeq != 9 {
				t.Errorf("byte %d, bit %d: %s", i-begin, bit, got.Error())
			}
		}
	}
}

func TestNoByteOfABundleCanBeFlipped(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 3, interleaved[:5])
	trust := proof.Trust{Verifiers: []string{l.signer.Verifier()}}
	for name, honest := range map[string][]byte{
		"whole":   l.whole(t),
		"partial": l.partial(t, []int64{3, 5}, []int64{2, 4}),
	} {
		keys := bytes.Index(honest, []byte("\nkey ")) + 1
		records := keys + bytes.IndexByte(honest[keys:], '\n')
		for i := range honest {
			if i >= keys+len("key ") && i < records {
				continue // the bundle's own key does not count where the auditor has one
			}
			damaged := bytes.Clone(honest)
			damaged[i] ^= 1 // in base64 before a = sign, that is a bit that does not count
			if _, err := proof.VerifyBundle(bytes.NewReader(damaged), trust); err == nil {
				t.Errorf("%s: byte %d, %q, was flipped and not found", name, i, honest[i])
			}
		}
	}
}

func TestNoBundleCanBreakOff(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 3, interleaved[:5])
	for name, honest := range map[string][]byte{
		"whole":   l.whole(t),
		"partial": l.partial(t, []int64{3, 5}, []int64{2, 4}),
	} {
		for i := range honest {
			if _, err := proof.VerifyBundle(bytes.NewReader(honest[:i]), proof.Trust{}); err == nil {
				t.Errorf("%s: the first %d bytes of %d verify", name, i, len(honest))
			}
		}
	}
}

// An event that was altered in the database comes with the leaf that the log holds.
func TestAnEventThatDiffersFromItsLeafIsNamed(t *testing.T) {
	t.Parallel()
	l := streamsLog(t, newSigner(t), 6, interleaved)
	l.events[8].Data = []byte(`{"request":{"asin":"B7"}}`)
	got := finding(t, l.whole(t), proof.Trust{})
	want := proof.Finding{
		FromSeq: 9, ToSeq: 9, EventID: l.events[8].ID, Stream: l.events[8].Stream,
		Reason: "its content was altered: it does not have the hash that the log holds for it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantText := "event 9 (found at id 0190a000-0000-7000-8000-000000000008, stream command/c3): its content was altered: it does not have the hash that the log holds for it"
	if diff := cmp.Diff(wantText, got.Error()); diff != "" {
		t.Error(diff)
	}
}

// reword changes an event of a bundle and its leaf with it.
func reword(t testing.TB, p *piece, from, to string) {
	t.Helper()
	e, err := event.ParseCanonical([]byte(strings.Replace(strings.TrimSuffix(p.body, "\n"), from, to, 1)))
	check(t, err)
	e.Seq = int64(number(t, strings.Fields(p.head)[1]))
	put(p, e)
}
