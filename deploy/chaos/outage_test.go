package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
)

const (
	mostLosses   = 10 // of each kind in a run
	recoverLimit = time.Minute
	clockStep    = 2 * time.Minute
	foundLate    = 40 * time.Second // after the shop has been late, for a late check to find what it did
)

// outage is a fault of a server that all processes share. The test's own
// goroutine brings it about, one at a time: only that may handle such a server.
type outage struct {
	*fault
	begun chan bool // told true once the fault acts, or the state is saved; false if it is left alone
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
		w.away(o, w.postgresServer)
	case killNATS:
		w.away(o, w.natsServer)
	case rollBack:
		w.lose(ctx, o, w.postgresServer, func() { w.restart(w.postgresServer, w.postgresServer.SaveStore) })
	case rollBackNATS:
		w.lose(ctx, o, w.natsServer, func() { w.restart(w.natsServer, w.natsServer.SaveStore) })
	case failOver:
		w.lose(ctx, o, w.postgresServer, w.postgresServer.SaveStore)
	case fillPostgres:
		w.postgresServer.Fill()
		o.begun <- true
		time.Sleep(o.during)
		w.postgresServer.Free()
	case fillNATS:
		free := w.limitStreams(ctx)
		o.begun <- true
		time.Sleep(o.during)
		free()
	case stepClock:
		w.stepClock(o)
	}
}

// server is what the servers that all processes share have in common.
type server interface {
	Kill()
	Start()
	RestoreStore()
}

func (w *world) away(o outage, s server) {
	s.Kill()
	o.begun <- true
	time.Sleep(o.during)
	s.Start()
}

func (w *world) restart(s server, meanwhile func()) {
	s.Kill()
	meanwhile()
	s.Start()
}

// lose brings a server back, after a while, to the state that it is saved in now, and has the log recovered.
func (w *world) lose(ctx context.Context, o outage, s server, save func()) {
	if w.losses[o.act] >= mostLosses {
		o.begun <- false
		return
	}
	w.losses[o.act]++
	save()
	o.begun <- true
	time.Sleep(o.during)
	w.restart(s, s.RestoreStore)
	if err := w.recover(ctx); err != nil {
		w.unrecovered = append(w.unrecovered, fmt.Sprintf("%s %s: %v", time.Now().Format(clock), o.act, err))
	}
}

// limitStreams takes all room from the streams of NATS until free is called.
func (w *world) limitStreams(ctx context.Context) (free func()) {
	js, err := jetstream.New(w.nats)
	w.must(err)
	var before []jetstream.StreamConfig
	set := func(config jetstream.StreamConfig) {
		_, err := js.UpdateStream(ctx, config)
		w.must(err)
	}
	streams := js.ListStreams(ctx)
	for info := range streams.Info() {
		before = append(before, info.Config)
	}
	w.must(streams.Err())
	for _, config := range before {
		config.MaxBytes = 1 // less than there is: nothing is dropped, and nothing added
		set(config)
	}
	return func() {
		for _, config := range before {
			set(config)
		}
	}
}

// stepClock sets the clock of Postgres backwards and forwards, by turns; each ends
// with a step the other way. What the shop does so late that only a late check
// finds it must not meet that: late checks go by this clock, and in a run a day of
// them is seconds.
func (w *world) stepClock(o outage) {
	w.mu.Lock()
	wait := time.Now().Before(w.late)
	w.clockOff = !wait
	w.mu.Unlock()
	if wait {
		o.begun <- false
		return
	}
	w.steps++
	step := -clockStep
	if w.steps%2 == 0 {
		step = clockStep
	}
	w.postgresServer.StepClock(step)
	o.begun <- true
	time.Sleep(o.during)
	w.postgresServer.StepClock(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clockOff = false
}

// awaitLate notes that the shop carries something out so late that only a late check finds it. It says no while the
// clock of Postgres is not right.
func (w *world) awaitLate(f *fault) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clockOff {
		return false
	}
	w.late = time.Now().Add(f.during + foundLate)
	return true
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
