package drift

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/pkg/flow"
)

// metrics are this process's own counts. Their labels are bounded by the steps
// of the sites' flows.
type metrics struct {
	choices *prometheus.CounterVec
	missing *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer) metrics {
	m := metrics{
		choices: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "site_choices_total",
			Help: "Elements found by steps that have several alternatives to look for, by the alternative that was found (1 is the first).",
		}, []string{"integration", "site", "flow", "step", "alternative"}),
		missing: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "site_missing_fields_total",
			Help: "Required fields that a step did not find on the page.",
		}, []string{"integration", "site", "flow", "step", "field"}),
	}
	registerer.MustRegister(m.choices, m.missing)
	return m
}

// choice counts one; the labels count alternatives as people do.
func (m metrics) choice(site *flow.Site, s flow.TraceStep, won int) {
	m.choices.WithLabelValues(site.Integration, site.Name, s.File, s.Number, strconv.Itoa(won+1)).Inc()
}
