package proof_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/proof"
)

const benchEvents = 50_000

// benchLog is a log of commands with five events each, many of them at work at a
// time, with 500 to 700 bytes of data an event and a checkpoint every 1000.
func benchLog(b *testing.B) *madeLog {
	b.Helper()
	l := &madeLog{signer: newSigner(b), every: 1000}
	last := map[int]event.Event{}
	for i := range benchEvents {
		s := i/500*100 + i%100
		e := made(i, s)
		e.ID = fmt.Sprintf("0190a000-0000-7000-8000-%012d", i)
		e.Command = fmt.Sprintf("0190b000-0000-7000-8000-%012d", s)
		e.Stream = event.CommandStream(e.Command)
		e.Data = json.RawMessage(fmt.Sprintf(`{"request":{"asin":"B0%08d","quantity":%d,"gift":false,"address":{"sealed":%q}},"site":{"name":"sandbox","hash":"%064x"}}`,
			i, i%9+1, strings.Repeat("q7Zx", 90+i%50), i))
		e.Version, e.PrevHash = last[s].Version+1, last[s].Hash
		e.Hash = event.Hash(e)
		last[s] = e
		l.events = append(l.events, e)
	}
	l.seal(b)
	return l
}

// onOneCore keeps a benchmark, garbage collector and all, on one core, and
// returns a clock of the processor time that it used: the machine may be busy
// with something else.
func onOneCore(b *testing.B) (cpu func() time.Duration) {
	b.Helper()
	before := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(before) })
	return func() time.Duration {
		var used unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
			b.Fatal(err)
		}
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
}

// reportEvents reports the speed in events a second, by the clock on the wall and
// by that of the processor, and how many times the time of a bare SHA-256 over the
// same bytes it took.
func reportEvents(b *testing.B, text []byte, used time.Duration, cpu func() time.Duration) {
	b.Helper()
	b.StopTimer()
	events := float64(benchEvents) * float64(b.N)
	begin := cpu()
	for range 5 {
		sha256.Sum256(text)
	}
	bare := float64(cpu()-begin) / 5 * float64(b.N)
	b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(events/used.Seconds(), "events/cpu-s")
	b.ReportMetric(float64(used)/bare, "x-sha256")
	b.ReportMetric(float64(len(text))/benchEvents, "bytes/event")
}

func BenchmarkVerifyWholeBundle(b *testing.B) {
	bundle := benchLog(b).whole(b)
	cpu := onOneCore(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(bundle)))
	begin := cpu()
	b.ResetTimer()
	for range b.N {
		if _, err := proof.VerifyBundle(bytes.NewReader(bundle), proof.Trust{}); err != nil {
			b.Fatal(err)
		}
	}
	reportEvents(b, bundle, cpu()-begin, cpu)
}

// BenchmarkVerifier is the verification of events that come from the database.
func BenchmarkVerifier(b *testing.B) {
	l := benchLog(b)
	bundle := l.whole(b)
	cpu := onOneCore(b)
	b.ReportAllocs()
	begin := cpu()
	b.ResetTimer()
	for range b.N {
		v, err := proof.NewVerifier([]string{l.signer.Verifier()}, nil)
		check(b, err)
		for i, e := range l.events {
			check(b, v.Event(e, l.leaves[i]))
			if note := l.notes[int64(i+1)]; note != nil {
				check(b, v.Checkpoint(note))
			}
		}
		_, err = v.Close()
		check(b, err)
	}
	reportEvents(b, bundle, cpu()-begin, cpu)
}

// BenchmarkAppend is the keeper's share: the tree alone.
func BenchmarkAppend(b *testing.B) {
	onOneCore(b)
	tree, hash := proof.NewTree(), make([]byte, 32)
	b.ReportAllocs()
	for b.Loop() {
		check(b, tree.Append(hash, func(proof.Node) {}))
	}
}
