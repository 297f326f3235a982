package service

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"integration.gateway/pkg/eventlog"
)

// readyLimit bounds the questions to the databases.
const readyLimit = 2 * time.Second

// readyz answers 200 while the process serves requests: its services have been
// started and are not draining, the bus is connected, the databases answer, the
// event log takes events and what the services need besides is there.
func (h *Host) readyz(w http.ResponseWriter, r *http.Request) {
	status, text := http.StatusOK, "ok"
	if problem := h.problem(r.Context()); problem != "" {
		status, text = http.StatusServiceUnavailable, problem
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "{\"status\":%q}\n", text) // a prober that is gone needs no answer
}

// problem is why no requests are served; empty when they are.
func (h *Host) problem(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	open, err := h.Log.Open(ctx)
	switch {
	case !h.serving.Load():
		return "starting or draining"
	case !h.Bus.IsConnected():
		return "message bus is not connected"
	case err != nil:
		return "the database of the event log does not answer"
	case !open:
		return eventlog.ErrClosed.Error()
	case h.VaultPool.Ping(ctx) != nil:
		return "the database of the vault does not answer"
	}
	for _, n := range h.needs {
		if !n.met() {
			return n.without
		}
	}
	return ""
}
