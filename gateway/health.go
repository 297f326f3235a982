package gateway

import (
	"fmt"
	"net/http"
)

// healthz answers 200 as long as the process can answer at all.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, "ok")
}

// readyz answers 200 while requests can be served: the bus is connected and
// the gateway is not draining.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	switch {
	case !s.ready.Load():
		writeStatus(w, http.StatusServiceUnavailable, "draining")
	case !s.bus.IsConnected():
		writeStatus(w, http.StatusServiceUnavailable, "message bus is not connected")
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
