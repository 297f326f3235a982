package eventlog

import (
	"slices"
	"testing"
	"time"

	"integration.gateway/contracts/event"
)

// BenchmarkEffectStart compares the record of an effect that is about to begin,
// in the log and in the journal, after which the log is asked once more, with that
// in the log alone: what it costs to lose no effect with the loss of the database.
// The two take turns in one run.
func BenchmarkEffectStart(b *testing.B) {
	s := newSetup(b)
	journal, err := OpenJournal(b.Context(), s.nc, 1)
	if err != nil {
		b.Fatal(err)
	}
	var both, alone []time.Duration
	for b.Loop() {
		for _, journaled := range []bool{false, true} {
			name := event.CommandStream(event.NewID())
			written := mustAppend(b, s.log, name, 0, accepted(b, "an order"))
			begin := time.Now()
			written = append(written, mustAppend(b, s.log, name, 1, accepted(b, "its effect"))...)
			if !journaled {
				alone = append(alone, time.Since(begin))
				continue
			}
			if err := journal.Record(b.Context(), written...); err != nil {
				b.Fatal(err)
			}
			if _, err := s.log.Last(b.Context(), name); err != nil {
				b.Fatal(err)
			}
			both = append(both, time.Since(begin))
		}
	}
	median := func(d []time.Duration) time.Duration {
		slices.Sort(d)
		return d[len(d)/2]
	}
	b.ReportMetric(float64(median(both).Microseconds()), "with-journal-µs")
	b.ReportMetric(float64(median(alone).Microseconds()), "log-alone-µs")
	b.ReportMetric(float64((median(both)-median(alone)).Microseconds())/1000, "journal-ms")
	b.ReportMetric(0, "ns/op")
}
