package gateway

import (
	"context"
	"fmt"
	"net/http"

	"integration.gateway/contracts/audit"
	"integration.gateway/pkg/bus"
)

// healthz answers 200 as long as the process can answer at all.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, "ok")
}

// readyz answers 200 while requests can be served: the bus is connected, the
// gateway is not draining, and the audit service does not say that the event log
// is closed.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	var log audit.LogHealth
	ctx, cancel := context.WithTimeout(r.Context(), audit.CheckLog.Info().Timeout)
	defer cancel()
	if err := bus.Call(ctx, s.bus, audit.CheckLog.Info(), &audit.CheckLogRequest{}, &log); err != nil {
		log.Problem = "" // without the audit service's word, requests are tried
	}
	switch {
	case !s.ready.Load():
		writeStatus(w, http.StatusServiceUnavailable, "draining")
	case !s.bus.IsConnected():
		writeStatus(w, http.StatusServiceUnavailable, "message bus is not connected")
	case log.Problem != "":
		writeStatus(w, http.StatusServiceUnavailable, log.Problem)
	default:
		writeStatus(w, http.StatusOK, "ok")
	}
}

func writeStatus(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "{\"status\":%q}\n", text) // a prober that is gone needs no answer
}
