package drift

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/pkg/flow"
)

// What could not be added, and what was found meanwhile, are one count.
func TestCountsOfAFailedFlushAreAddedToThoseOfMeanwhile(t *testing.T) {
	t.Parallel()
	r := NewRecorder(Config{Logger: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	found := func(command string, won int) {
		step := flow.TraceStep{File: "a.json", Number: "1", Choices: []flow.Choice{{Of: "#a", Listed: 3, Won: won, Selector: command}}}
		r.Count(Playing{Site: &flow.Site{}, Operation: "op", Command: command, Trace: flow.Trace{Steps: []flow.TraceStep{step}}})
	}
	found("first", 1)
	failed := r.take()
	found("second", 0)
	found("third", 2)
	r.putBack(failed)
	for k, l := range r.take() {
		if k.What == FirstChoice && (!slices.Equal(l.Won, []int64{1, 1, 1}) || *l.Winner != 1 || l.Selector != "first" || l.Command != "first") {
			t.Errorf("got %+v", l)
		}
		if k.What == passed && l.Won[0] != 3 {
			t.Errorf("got %+v of the step", l)
		}
	}
}

func TestCountsAreBounded(t *testing.T) {
	t.Parallel()
	r := NewRecorder(Config{Logger: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	p := Playing{Site: &flow.Site{}}
	for range maxLooks + 10 {
		p.Trace.Steps = append(p.Trace.Steps, flow.TraceStep{File: "a.json", Number: string(rune(len(p.Trace.Steps) + 0x10000))})
	}
	r.Count(p)
	if taken := r.take(); len(taken) != maxLooks {
		t.Errorf("%d looks are kept, want %d", len(taken), maxLooks)
	}
}
