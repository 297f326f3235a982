package drift_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/eventlog/eventlogtest"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/schema"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// fleet is the recorders of several processes, on one database, each with a
// service's rights.
type fleet struct {
	*testing.T
	url       string
	pool      *pgxpool.Pool // of a superuser
	log       *eventlog.Log
	metrics   *prometheus.Registry // of the first
	recorders []*drift.Recorder
}

func newFleet(t *testing.T, processes int) *fleet {
	t.Helper()
	f := &fleet{T: t, url: testenv.DatabaseURL(t), metrics: prometheus.NewRegistry()}
	for _, migrate := range []func(context.Context, string) error{eventlogtest.Migrate, drift.Migrate} {
		f.must(migrate(t.Context(), f.url))
	}
	f.pool = f.connect(f.url)
	f.log = eventlog.New(f.pool)
	asService := f.connect(schema.As(f.url, schema.Service))
	for i := range processes {
		metrics := f.metrics
		if i > 0 {
			metrics = prometheus.NewRegistry()
		}
		f.recorders = append(f.recorders, drift.NewRecorder(drift.Config{
			Pool: asService, Log: eventlog.New(asService), Logger: slog.New(slog.DiscardHandler), Metrics: metrics,
		}))
	}
	return f
}

func (f *fleet) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fleet) connect(url string) *pgxpool.Pool {
	f.Helper()
	pool, err := pgxpool.New(f.Context(), url)
	f.must(err)
	f.Cleanup(pool.Close)
	return pool
}

// count counts playings in the first process, and adds them.
func (f *fleet) count(playings ...drift.Playing) {
	f.Helper()
	for _, p := range playings {
		f.recorders[0].Count(p)
	}
	f.must(f.recorders[0].Flush(f.Context()))
}

// later makes everything that happened so far happen so much earlier.
func (f *fleet) later(by string) {
	f.Helper()
	_, err := f.pool.Exec(f.Context(), `UPDATE site_looks SET won_at = won_at - $1::interval, lost_at = lost_at - $1::interval,
		drifted_at = drifted_at - $1::interval, told_at = told_at - $1::interval, last_at = last_at - $1::interval`, by)
	f.must(err)
}

// recorded returns what the log was told of the shop.
func (f *fleet) recorded() []event.SiteDrifted {
	f.Helper()
	events, err := f.log.Stream(f.Context(), event.SiteStream("marketplace", "shop"))
	f.must(err)
	if err := event.VerifyStream(events); err != nil {
		f.Error(err)
	}
	told := []event.SiteDrifted{}
	for _, e := range events {
		p, err := event.PayloadOf[event.SiteDrifted](e)
		f.must(err)
		told = append(told, p)
	}
	return told
}

func (f *fleet) expectRecorded(want int) {
	f.Helper()
	if got := f.recorded(); len(got) != want {
		f.Errorf("recorded %d drifts, want %d: %+v", len(got), want, got)
	}
}

func (f *fleet) list(filter drift.Filter) []drift.Look {
	f.Helper()
	found, err := drift.List(f.Context(), f.connect(schema.As(f.url, schema.Auditor)), filter, 100)
	f.must(err)
	return found
}

func shop(hash string) *flow.Site {
	return &flow.Site{Integration: "marketplace", Name: "shop", Hash: hash}
}

// found is a playing in which a click's alternatives were found.
func found(hash string, won ...int) drift.Playing {
	step := flow.TraceStep{File: "buy-now.json", Number: "5", Name: "click #buy"}
	for _, w := range won {
		step.Choices = append(step.Choices, flow.Choice{Of: "#buy", Listed: 3, Won: w, Selector: []string{"#buy", "aria/Buy", ".buy"}[w]})
	}
	return drift.Playing{Site: shop(hash), Operation: "buy-now", Command: "c1", Trace: flow.Trace{Steps: []flow.TraceStep{step}}}
}

// missing is a playing that broke since a field was not there.
func missing(field string) drift.Playing {
	p := drift.Playing{Site: shop("v1"), Operation: "search", Command: "c2"}
	p.Trace.Steps = []flow.TraceStep{{File: "search.json", Number: "3", Name: "extract .item"}}
	p.Err = errors.Join(errors.New("x"), &flow.Failure{File: "search.json", Step: "3", Name: "extract .item", Missing: field})
	return p
}

// read is one in which all fields of that step were there.
func read() drift.Playing {
	p := missing("")
	p.Err = nil
	return p
}

func TestFirstLossOfTheFirstChoiceIsRecorded(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(found("v1", 0, 0))
	f.expectRecorded(0)
	f.count(found("v1", 0, 2, 1))
	want := []event.SiteDrifted{{
		Site: "shop", SiteHash: "v1", Flow: "buy-now.json", Step: "5", Name: "click #buy", What: "first-choice", FirstChoice: "#buy", Winner: ".buy",
	}}
	if diff := cmp.Diff(want, f.recorded()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	events, err := f.log.Stream(t.Context(), event.SiteStream("marketplace", "shop"))
	f.must(err)
	if e := events[0]; e.Subject() != "evt.marketplace.buy-now.drifted" || e.Command != "c1" || e.Account != "" || e.Caller != "" {
		t.Errorf("got %+v on %s", e, e.Subject())
	}
	looks := f.list(drift.Filter{Drifting: true})
	if len(looks) != 1 || !slices.Equal(looks[0].Won, []int64{3, 1, 1}) || looks[0].Selector != ".buy" || looks[0].Share() != 0.4 {
		t.Errorf("got %+v", looks)
	}
}

func TestFirstLookOfANewVersionIsRecordedWhenItLoses(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(found("v1", 1))
	f.count(found("v2", 1))
	f.expectRecorded(2)
	if looks := f.list(drift.Filter{}); len(looks) != 1 || looks[0].SiteHash != "v2" {
		t.Errorf("listed %+v, want the version that was played last", looks)
	}
}

func TestPagesThatComeInTwoVariantsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	for range 10 {
		f.count(found("v1", 1), found("v1", 0))
		f.later("20 hours")
	}
	f.expectRecorded(1)
}

func TestLossAfterADayOfWinsIsRecordedAgain(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(found("v1", 1))
	f.later("25 hours")
	f.count(found("v1", 1)) // it never won in between
	f.expectRecorded(1)
	f.count(found("v1", 0))
	f.count(found("v1", 1)) // too soon
	f.expectRecorded(1)
	f.count(found("v1", 0))
	if looks := f.list(drift.Filter{Drifting: true}); len(looks) != 1 {
		t.Errorf("a loss of today is not listed: %+v", looks)
	}
	f.later("25 hours")
	if looks := f.list(drift.Filter{Drifting: true}); len(looks) != 0 {
		t.Errorf("listed after a day without a loss: %+v", looks)
	}
	f.count(found("v1", 2))
	f.expectRecorded(2)
}

func TestFieldThatStartsToBeMissingIsRecorded(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(read(), missing("price"), missing("price"), read())
	f.count(missing("price"), missing("title"))
	want := []event.SiteDrifted{
		{Site: "shop", SiteHash: "v1", Flow: "search.json", Step: "3", Name: "extract .item", What: "required-field", Field: "price"},
		{Site: "shop", SiteHash: "v1", Flow: "search.json", Step: "3", Name: "extract .item", What: "required-field", Field: "title"},
	}
	if diff := cmp.Diff(want, f.recorded()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.count(read(), read())
	if looks := f.list(drift.Filter{Site: "shop"}); len(looks) != 2 || !slices.Equal(looks[0].Won, []int64{2, 3}) || !slices.Equal(looks[1].Won, []int64{2, 1}) {
		t.Errorf("got %+v", looks)
	}
	f.later("25 hours")
	f.count(missing("price"))
	f.expectRecorded(3)
}

func TestSignInBelongsToNoOperation(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	p := found("v1", 1)
	p.Trace.Steps[0].SignIn = true
	f.count(p)
	events, err := f.log.Stream(t.Context(), event.SiteStream("marketplace", "shop"))
	f.must(err)
	if len(events) != 1 || events[0].Subject() != "evt.marketplace.site.drifted" {
		t.Errorf("got %+v", events)
	}
}

func TestWhatHasNoAlternativeCannotLose(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	p := found("v1", 0)
	p.Trace.Steps[0].Choices[0].Listed = 1
	f.count(p)
	if looks := f.list(drift.Filter{}); len(looks) != 0 {
		t.Errorf("got %+v", looks)
	}
}

func TestProcessesThatNoticeTheSameRecordItOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 8)
	var flushed sync.WaitGroup
	for _, r := range f.recorders {
		for range 5 {
			r.Count(found("v1", 0, 1))
			r.Count(missing("price"))
		}
		flushed.Go(func() {
			if err := r.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	flushed.Wait()
	f.expectRecorded(2)
	if looks := f.list(drift.Filter{}); len(looks) != 2 || !slices.Equal(looks[0].Won, []int64{40, 40, 0}) || !slices.Equal(looks[1].Won, []int64{0, 40}) {
		t.Errorf("got %+v", looks)
	}
}

// failing is a log that takes nothing for a while.
type failing struct {
	drift.Log
	on bool
}

func (l *failing) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if l.on {
		return nil, errors.New("no log today")
	}
	return l.Log.Append(ctx, stream, last, events...)
}

func TestDriftThatCouldNotBeRecordedIsRecordedLater(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 0)
	log := &failing{Log: f.log, on: true}
	r := drift.NewRecorder(drift.Config{Pool: f.pool, Log: log, Logger: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	r.Count(found("v1", 1))
	if err := r.Flush(t.Context()); err == nil {
		t.Error("no error")
	}
	f.expectRecorded(0)
	log.on = false
	for range 2 { // there is nothing new to count
		f.must(r.Flush(t.Context()))
	}
	f.expectRecorded(1)
	if looks := f.list(drift.Filter{}); len(looks) != 1 || !slices.Equal(looks[0].Won, []int64{0, 1, 0}) {
		t.Errorf("got %+v", looks)
	}
}

func TestCountsAreKeptUntilTheDatabaseTakesThem(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	f.recorders[0].Count(found("v1", 1))
	for range 2 {
		f.recorders[0].Count(found("v1", 0))
		if err := f.recorders[0].Flush(gone); err == nil {
			t.Error("no error")
		}
	}
	f.count(found("v1", 2))
	looks := f.list(drift.Filter{})
	if len(looks) != 1 || !slices.Equal(looks[0].Won, []int64{2, 1, 1}) || looks[0].Selector != "aria/Buy" {
		t.Errorf("got %+v", looks)
	}
	f.expectRecorded(1)
}

func TestRunAddsWhatIsLeftAtItsEnd(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.recorders[0].Count(found("v1", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.recorders[0].Run(ctx)
	f.expectRecorded(1)
}

func TestOldVersionsOfASiteAreDropped(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	for _, hash := range strings.Fields("v1 v2 v3 v4 v5 v6 v7") {
		f.count(found(hash, 0))
	}
	var kept []string
	rows, err := f.pool.Query(t.Context(), `SELECT DISTINCT hash FROM site_looks ORDER BY hash`)
	f.must(err)
	for rows.Next() {
		var hash string
		f.must(rows.Scan(&hash))
		kept = append(kept, hash)
	}
	if diff := cmp.Diff(strings.Fields("v3 v4 v5 v6 v7"), kept); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestProcessCountsForPrometheus(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(found("v1", 0, 0, 2), missing("price"))
	want := `
# HELP site_choices_total Elements found by steps that have several alternatives to look for, by the alternative that was found (1 is the first).
# TYPE site_choices_total counter
site_choices_total{alternative="1",flow="buy-now.json",integration="marketplace",site="shop",step="5"} 2
site_choices_total{alternative="3",flow="buy-now.json",integration="marketplace",site="shop",step="5"} 1
# HELP site_missing_fields_total Required fields that a step did not find on the page.
# TYPE site_missing_fields_total counter
site_missing_fields_total{field="price",flow="search.json",integration="marketplace",site="shop",step="3"} 1
`
	if err := testutil.GatherAndCompare(f.metrics, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

func TestServicesCannotChangeTheCountsOtherwise(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	f.count(found("v1", 1))
	pool := f.connect(schema.As(f.url, schema.Service))
	for _, statement := range []string{
		`UPDATE site_looks SET told_at = now()`, `DELETE FROM site_looks`, `INSERT INTO site_looks SELECT * FROM site_looks`, `SELECT FROM site_looks`,
	} {
		if _, err := pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("a service may %s", statement)
		}
	}
	reader := f.connect(schema.As(f.url, schema.Keeper))
	if _, err := reader.Exec(t.Context(), `SELECT count_site_looks('{}', '[]')`); err == nil {
		t.Error("the audit service may count")
	}
}

func TestTextsOfFlowsThatPostgresCannotHold(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1)
	p := found("v1", 1)
	p.Trace.Steps[0].Name = "click \x00\xff"
	p.Trace.Steps[0].Choices[0].Of = strings.Repeat("ü", 100_000)
	p.Trace.Steps[0].Choices[0].Selector = "a\x00b"
	f.count(p)
	f.expectRecorded(1)
	if looks := f.list(drift.Filter{}); len(looks) != 1 || looks[0].FirstAt.After(time.Now().Add(time.Hour)) || looks[0].Selector != "ab" {
		t.Errorf("got %+v", looks)
	}
}
