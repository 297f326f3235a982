package drift

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/flow"
)

const (
	flushEvery = 2 * time.Second
	flushLimit = 5 * time.Second // for adding the counts, and for the last time at the end
	// maxLooks bounds what is counted between two flushes: ten times what all
	// flows of a dozen sites look for.
	maxLooks = 20_000
	// maxText bounds a text of a flow, in bytes: selectors may be long.
	maxText = 300
)

// What a look is for.
const (
	FirstChoice   = event.DriftOfFirstChoice
	RequiredField = event.DriftOfRequiredField
	passed        = "passed" // a step that was played to its end: no field of it is missing
)

// Log is where drifts are recorded; *eventlog.Log has it.
type Log interface {
	Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error)
	Stream(ctx context.Context, stream string) ([]event.Event, error)
}

// Config says where a Recorder's counts go.
type Config struct {
	Pool    *pgxpool.Pool // database of the event log
	Log     Log
	Logger  *slog.Logger
	Metrics prometheus.Registerer
}

// Recorder counts what the flows of one process find.
type Recorder struct {
	pool    *pgxpool.Pool
	log     Log
	logger  *slog.Logger
	metrics metrics

	flushing sync.Mutex // held by the one that flushes
	untold   []string   // integrations with a drift that could not be recorded yet

	mu      sync.Mutex
	looks   map[key]look // since the last flush
	dropped bool         // there were too many of them
}

// key is what is looked for: a row of the table.
type key struct {
	Integration string `json:"integration"`
	Site        string `json:"site"`
	Hash        string `json:"hash"`
	Flow        string `json:"flow"`
	Step        string `json:"step"`
	What        string `json:"what"`
	Sought      string `json:"sought"`
}

// look is what was found of it.
type look struct {
	Name      string  `json:"name"`
	Won       []int64 `json:"won"` // how often each alternative
	Winner    *int    `json:"winner,omitempty"`
	Selector  string  `json:"selector,omitempty"`
	Operation string  `json:"operation"`
	Command   string  `json:"command"`
}

// NewRecorder returns a recorder that counts. Run adds its counts to the table.
func NewRecorder(cfg Config) *Recorder {
	return &Recorder{
		pool: cfg.Pool, log: cfg.Log, logger: cfg.Logger, metrics: newMetrics(cfg.Metrics), looks: map[key]look{},
	}
}

// Playing is one playing of a flow, when it has ended.
type Playing struct {
	Site      *flow.Site
	Operation string
	Command   string // its id
	Trace     flow.Trace
	Err       error // why it ended early
}

// Count counts in what a playing has found. It waits for nothing.
func (r *Recorder) Count(p Playing) {
	var failure *flow.Failure
	if !errors.As(p.Err, &failure) {
		failure = &flow.Failure{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range p.Trace.Steps {
		for _, c := range s.Choices {
			if c.Listed > 1 { // a single one cannot lose
				r.choice(p, s, c)
			}
		}
		if s.File != failure.File || s.Number != failure.Step {
			r.add(p, s, passed, "", 1, 0, "")
		}
	}
	if failure.Missing != "" {
		step := flow.TraceStep{File: failure.File, Number: failure.Step, Name: failure.Name}
		for _, s := range p.Trace.Steps {
			step.SignIn = step.SignIn || s.SignIn && s.File == step.File && s.Number == step.Number
		}
		r.add(p, step, RequiredField, failure.Missing, 2, 1, "")
		r.metrics.missing.WithLabelValues(p.Site.Integration, p.Site.Name, step.File, step.Number, cut(failure.Missing)).Inc()
	}
}

func (r *Recorder) choice(p Playing, s flow.TraceStep, c flow.Choice) {
	if c.Won < 0 || c.Won >= c.Listed {
		return
	}
	r.add(p, s, FirstChoice, c.Of, c.Listed, c.Won, c.Selector)
	r.metrics.choice(p.Site, s, c.Won)
}

// add counts one look, in which one of several alternatives won.
func (r *Recorder) add(p Playing, s flow.TraceStep, what, sought string, listed, won int, selector string) {
	k := key{p.Site.Integration, p.Site.Name, p.Site.Hash, s.File, s.Number, what, cut(sought)}
	l, known := r.looks[k]
	if !known {
		if len(r.looks) >= maxLooks {
			r.dropped = true
			return
		}
		l = look{Name: cut(s.Name), Won: make([]int64, listed)}
	}
	l.Won[won]++
	if won > 0 && l.Winner == nil {
		l.Winner, l.Selector, l.Command = &won, cut(selector), p.Command
		if !s.SignIn {
			l.Operation = p.Operation
		}
	}
	r.looks[k] = l
}

// cut makes a text of a flow fit for the database.
func cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// take takes the counts since the last time.
func (r *Recorder) take() map[key]look {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.looks
	r.looks = map[key]look{}
	if r.dropped {
		r.dropped = false
		r.logger.Warn("some looks at sites were not counted: there were too many at once")
	}
	return taken
}

// putBack keeps counts that could not be added for the next time.
func (r *Recorder) putBack(taken map[key]look) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, l := range r.looks {
		old, known := taken[k]
		switch {
		case !known && len(taken) >= maxLooks:
			r.dropped = true
			continue
		case known && len(old.Won) == len(l.Won):
			for i := range l.Won {
				l.Won[i] += old.Won[i]
			}
			if old.Winner != nil {
				l.Winner, l.Selector, l.Operation, l.Command = old.Winner, old.Selector, old.Operation, old.Command
			}
		}
		taken[k] = l
	}
	r.looks = taken
}

// integrations lists whose sites were looked at.
func integrations(looks map[key]look) map[string]bool {
	all := map[string]bool{}
	for k := range maps.Keys(looks) {
		all[k.Integration] = true
	}
	return all
}
