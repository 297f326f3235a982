package readmodel

import (
	"path/filepath"
	"sync"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

const (
	benchCommands = 12_500 // of four events each
	benchWriters  = 25
)

// BenchmarkRebuild replays a log of 50,000 events from Postgres into a file.
func BenchmarkRebuild(b *testing.B) {
	l := benchLog(b)
	for b.Loop() {
		r, err := Rebuild(b.Context(), l.log, filepath.Join(b.TempDir(), "rebuilt"), nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(4*benchCommands*b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkProjector counts a log of 50,000 events into the live rows.
func BenchmarkProjector(b *testing.B) {
	l := benchLog(b)
	for b.Loop() {
		b.StopTimer()
		l.exec(b, `TRUNCATE read_commands; UPDATE read_cursor SET seq = 0`)
		b.StartTimer()
		l.project(b.Context(), b)
	}
	b.ReportMetric(float64(4*benchCommands*b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

func benchLog(b *testing.B) *bundle {
	l := setup(b)
	var writers sync.WaitGroup
	for range benchWriters {
		writers.Go(func() {
			for range benchCommands / benchWriters {
				if _, err := l.log.Append(b.Context(), event.CommandStream(event.NewID()), event.Event{},
					of(b, event.CommandAccepted{Request: []byte(`{"asin":"B000000001","quantity":1}`), Site: "sandbox", SiteHash: "5f70"}),
					of(b, event.EffectStarted{Effect: contracts.Order, Vars: []byte(`{"price":"12.50"}`)}), of(b, event.EffectConfirmed{}),
					of(b, event.CommandCompleted{Outcome: event.Succeeded, Result: []byte(`{"orderId":"7"}`)})); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	l.sequence(b.Context(), b)
	return l
}
