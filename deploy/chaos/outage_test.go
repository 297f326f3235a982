package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
)

const (
	mostRollbacks = 10 // of a run
	recoverLimit  = time.Minute
)

// outage is a fault of a server that all processes share. The test's own
// goroutine brings it about, one at a time: only that may handle such a server.
type outage struct {
	*fault
	begun chan bool // told true once the server is away, or its state saved; false if it is left alone
}

// outage hands a fault of a server over, waits until it has begun, and says
// whether it has: it does not while another one is under way.
func (w *world) outage(f *fault) bool {
	o := outage{f, make(chan bool, 1)}
	select {
	case w.outages <- o:
		return <-o.begun
	default:
		return false
	}
}

// bringAbout brings an outage about, from its begin to its end.
func (w *world) bringAbout(ctx context.Context, o outage) {
	switch o.act {
	case killPostgres:
		w.postgresServer.Kill()
		o.begun <- true
		time.Sleep(o.during)
		w.postgresServer.Start()
	case killNATS:
		w.natsServer.Kill()
		o.begun <- true
		time.Sleep(o.during)
		w.natsServer.Start()
	case rollBack:
		if w.rollbacks >= mostRollbacks {
			o.begun <- false
			return
		}
		w.rollbacks++
		w.restartPostgres(w.postgresServer.SaveStore)
		o.begun <- true
		time.Sleep(o.during)
		w.restartPostgres(w.postgresServer.RestoreStore)
		if err := w.recover(ctx); err != nil {
			w.unrecovered = append(w.unrecovered, fmt.Sprintf("%s: %v", time.Now().Format(clock), err))
		}
	}
}

func (w *world) restartPostgres(meanwhile func()) {
	w.postgresServer.Kill()
	meanwhile()
	w.postgresServer.Start()
}

// recover does what an operator does with a log that was rolled back: he has it
// recovered once the gateway says that it is closed. A log that has lost nothing
// opens by itself.
func (w *world) recover(ctx context.Context) error {
	r, err := eventlog.NewRecovery(w.pool, w.nats, eventlog.DefaultStream)
	if err != nil {
		return err
	}
	r.Rebuild = command.Rebuild
	return until(ctx, recoverLimit, func(ctx context.Context) error {
		loss, err := r.Assess(ctx)
		if err != nil {
			return err
		}
		status := w.readiness(ctx)
		switch {
		case loss.None() && status == http.StatusOK:
			return nil
		case loss.None() || status != http.StatusServiceUnavailable:
			return fmt.Errorf("the log lacks %+v, and /readyz answers %d", loss, status)
		}
		if err := r.Restore(ctx, loss); err != nil {
			return err
		}
		return errors.New("the log has just been restored")
	})
}

// readiness is the status of a gateway's /readyz, 0 for no answer.
func (w *world) readiness(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url(0)+"/readyz", http.NoBody)
	if err != nil {
		return 0
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
