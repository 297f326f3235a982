package audit_test

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/audit"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/flow"
)

func TestDriftIsListedOfWhatLoses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := drift.Migrate(t.Context(), b.databaseURL); err != nil {
		t.Fatal(err)
	}
	b.serve(t)
	r := drift.NewRecorder(drift.Config{Pool: b.pool, Log: b.log, Logger: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	click := func(number string, won ...int) flow.TraceStep {
		s := flow.TraceStep{File: "buy-now.json", Number: number, Name: "click #buy"}
		for _, w := range won {
			s.Choices = append(s.Choices, flow.Choice{Of: "#buy", Listed: 2, Won: w, Selector: []string{"#buy", "aria/Buy"}[w]})
		}
		return s
	}
	for _, name := range []string{"corner-shop", "mall"} {
		r.Count(drift.Playing{
			Site: &flow.Site{Integration: "marketplace", Name: name, Hash: "v1"}, Operation: "buy-now", Command: "c1",
			Trace: flow.Trace{Steps: []flow.TraceStep{click("10", 1, 0, 0, 0), click("9", 0), {File: "buy-now.json", Number: "11", Name: "extract"}}},
			Err:   &flow.Failure{File: "buy-now.json", Step: "11", Name: "extract", Missing: "orderId"},
		})
	}
	if err := r.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := api.Look{Integration: "marketplace", Site: "mall", SiteHash: "v1", Flow: "buy-now.json", Name: "click #buy", What: "first-choice", FirstChoice: "#buy"}
	wins, loses := at, at
	wins.Step, wins.Won = "9", []int64{1, 0}
	loses.Step, loses.Won, loses.Winner, loses.Share = "10", []int64{3, 1}, "aria/Buy", 0.25
	missing := api.Look{
		Integration: "marketplace", Site: "mall", SiteHash: "v1", Flow: "buy-now.json", Step: "11", Name: "extract", What: "required-field",
		Field: "orderId", Won: []int64{0, 1}, Share: 1,
	}
	for name, c := range map[string]struct {
		req  api.ListDriftRequest
		want []api.Look
	}{
		"what loses":          {api.ListDriftRequest{Site: "mall"}, []api.Look{loses, missing}},
		"all":                 {api.ListDriftRequest{Integration: "marketplace", Site: "mall", All: true}, []api.Look{wins, loses, missing}},
		"another integration": {api.ListDriftRequest{Integration: "agency", All: true}, []api.Look{}},
	} {
		got := call(t, b, api.ListDrift, &c.req)
		if diff := cmp.Diff(c.want, got.Looks, cmpopts.IgnoreFields(api.Look{}, "DriftedAt", "LostAt", "FirstAt", "LastAt")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, l := range got.Looks {
			if lost := l.Share > 0; lost != (l.DriftedAt != nil) || lost != (l.LostAt != nil) || l.FirstAt.IsZero() || l.LastAt.IsZero() {
				t.Errorf("%s: the times of %+v", name, l)
			}
		}
	}
	if all := call(t, b, api.ListDrift, &api.ListDriftRequest{}); len(all.Looks) != 4 {
		t.Errorf("of all sites: %+v", all.Looks)
	}
	_, err := try(t, b, api.ListDrift, &api.ListDriftRequest{Site: "a\x00b"})
	wantKind(t, err, contracts.Invalid)
}
