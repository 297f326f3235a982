package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	metricsHeaderLimit = 5 * time.Second
	metricsCloseLimit  = 2 * time.Second
)

// serveMetrics serves the process's metrics and its readiness at an address,
// until Close.
func (h *Host) serveMetrics(ctx context.Context, addr string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("METRICS_ADDR: %w", err)
	}
	h.Metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(h.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /readyz", h.readyz)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: metricsHeaderLimit}
	h.Logger.Info("metrics", "address", "http://"+listener.Addr().String()+"/metrics")
	h.Go(func(ctx context.Context) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				h.Logger.Error("metrics are not served any more", "error", err)
			}
		}()
		select {
		case <-ended:
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), metricsCloseLimit)
			defer cancel()
			if server.Shutdown(ctx) != nil {
				_ = server.Close() // who still reads is cut off
			}
			<-ended
		}
	})
	return nil
}
