package service_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"integration.gateway/pkg/service"
	"integration.gateway/pkg/settings"
	"integration.gateway/pkg/testenv"
)

func TestMetricsAreServedWhereTheSettingSays(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	cfg, err := settings.FromMap[service.Config](map[string]string{
		"DATABASE_URL": testenv.DatabaseURL(t), "NATS_URL": testenv.NATSURL(t), "VAULT_KEEPER_URL": keeperURL, "METRICS_ADDR": "127.0.0.1:0",
	})
	if err != nil {
		t.Fatal(err)
	}
	host, err := service.OpenHost(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "apples_total", Help: "Apples."})
	host.Metrics.MustRegister(counter)
	counter.Add(3)
	_, address, _ := strings.Cut(log.String(), "address=")
	address, _, _ = strings.Cut(address, "\n")
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(text), "apples_total 3") || !strings.Contains(string(text), "go_goroutines") {
		t.Errorf("got %s, %v", text, err)
	}
	ready, err := http.Get(strings.Replace(address, "/metrics", "/readyz", 1))
	if err != nil {
		t.Fatal(err)
	}
	ready.Body.Close()
	if ready.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("before it serves anything, it says of its readiness: %s", ready.Status)
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if again, err := http.Get(address); err == nil {
		again.Body.Close()
		t.Error("it is served after the end")
	}
}

func TestMetricsAddressInUseIsNamed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := open(t, map[string]string{"METRICS_ADDR": taken.Addr().String()}); err == nil || !strings.Contains(err.Error(), "METRICS_ADDR") {
		t.Errorf("got %v", err)
	}
}
