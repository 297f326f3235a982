package gateway

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts requests. Each Server has a registry of its own, so that
// several of them can live in one process.
type metrics struct {
	served   prometheus.Gatherers
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	carried  prometheus.Gauge
}

func newMetrics(others prometheus.Gatherer) *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		served: prometheus.Gatherers{registry},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_requests_total",
			Help: "Requests answered, by operation (sessions-…: of a session's client; none: not an operation) and HTTP status.",
		}, []string{"operation", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gateway_request_duration_seconds",
			Help:    "Time from a request's head to the end of its answer, by operation.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}, []string{"operation"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gateway_requests_in_flight",
			Help: "Requests under way.",
		}),
		carried: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gateway_session_connections",
			Help: "Connections of clients to sessions that are carried.",
		}),
	}
	registry.MustRegister(m.requests, m.duration, m.inFlight, m.carried,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if others != nil {
		m.served = append(m.served, others)
	}
	return m
}

// observe counts one finished request.
func (m *metrics) observe(operation string, status int, duration time.Duration) {
	operation = cmp.Or(operation, "none")
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(operation).Observe(duration.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.served, promhttp.HandlerOpts{})
}
