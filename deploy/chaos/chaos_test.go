// Package chaos_test lets real processes fall over, freeze and lose each other
// at every edge of a command, and then compares what the applications did with
// what the event log says and with what the callers were told.
//
// The installation is that of production: two gateways, accounts, audit and
// instances of the integrations' services, each a process of its own, with a
// Chromium each and a wire of its own (toxiproxy) to Postgres and to NATS. The
// services tell the driver of each append, before and after it, and the driver
// stands in front of the sandboxes: so a fault strikes at exactly the edge that
// a trial plans for it. The seed decides what each trial plans; how trials that
// run side by side meet is left to the machine.
//
//	make chaos                              500 trials of the marketplace
//	make chaos TRIALS=50 SEED=7             the first fifty trials of a seed
//	make chaos INTEGRATION=dealer-sales     what another integration writes
//	make chaos INTEGRATION=all              what all of them write, side by side
//	make chaos TIMINGS=production           with the leases and time limits that services have by default
//
// A short run with most kinds of faults is part of make test.
package chaos_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"integration.gateway/pkg/testenv"
)

// A proxied connection that ends while something is on its way leaves a
// goroutine of toxiproxy behind.
func TestMain(m *testing.M) {
	testenv.Main(m, goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run"))
}

var (
	trials = flag.Int("trials", 0, "number of random trials; 0: one for each kind of fault")
	seed   = flag.Uint64("seed", 0, "what the trials are drawn from; 0: a random one")
	only   = flag.Int("only", -1, "number of the only trial to run; -1: all")
	acts   = flag.String("integration", "marketplace", "integration whose writes are tried, or "+allIntegrations)
)

const (
	allIntegrations = "all"
	atOnce          = 8 // trials that run side by side
)

// TestChaos runs the trials side by side, one at a time for each account, and
// then reports.
func TestChaos(t *testing.T) {
	from := *seed
	if from == 0 {
		from = 1 + rand.Uint64N(1_000_000)
	}
	apps := applicationsOf(*acts)
	if len(apps) == 0 {
		t.Fatalf("there is no integration %s that writes anything", *acts)
	}
	plans := plansOf(from, apps)
	fmt.Printf("chaos: seed %d, %d trials of %s\n", from, len(plans), *acts)
	begun := time.Now()
	w := newWorld(t, from, 2, apps)
	fmt.Printf("chaos: the installation runs after %v; process logs in %s\n", time.Since(begun).Round(time.Second), w.logs)
	w.operator = w.operate(t.Context())
	w.run(t.Context(), plans)
	r := w.settle(t.Context())
	r.print(time.Since(begun))
	if struck, planned := r.strikes(); *only < 0 && !r.showsEnough() {
		t.Errorf("only %d of %d faults struck: the run has shown little", struck, planned)
	}
	if r.failed() {
		t.Errorf("seed %d: %d of the counts that must be 0 are not", from, len(r.findings))
	}
}

// leastStruck is the part of the planned faults that a run must bring about to
// show anything. Random plans have faults at edges that their commands do not
// come to, such as those of doubt: 55 to 70 of 100 strike.
func leastStruck() float64 {
	if *trials == 0 {
		return 0.75
	}
	return 0.45
}

// showsEnough says whether so many of the planned faults struck.
func (r *report) showsEnough() bool {
	struck, planned := r.strikes()
	return float64(struck) >= leastStruck()*float64(planned)
}

// plansOf returns the plans of a run. The short one is the marketplace's.
func plansOf(seed uint64, apps []*application) []plan {
	if *trials == 0 {
		return scaled(shortRun(apps[0]))
	}
	var plans []plan
	for number := range *trials {
		if *only < 0 || number == *only {
			plans = append(plans, draw(seed, number, apps))
		}
	}
	return scaled(plans)
}

// scaled has the faults of plans last as long as the timings of the run have it.
func scaled(plans []plan) []plan {
	for _, p := range plans {
		if p.twin != nil {
			p.faults = slices.Concat(p.faults, p.twin.faults)
		}
		for _, f := range p.faults {
			f.during = timing.during(f)
		}
	}
	return plans
}

// run runs the trials, those of an account one after the other, and brings the
// outages about that they come to.
func (w *world) run(ctx context.Context, plans []plan) {
	var all sync.WaitGroup
	running := make(chan struct{}, atOnce)
	for lane, a := range w.lanes {
		all.Go(func() {
			n := slices.Index(a.application.accounts(w), a)
			for _, p := range plans {
				if p.lane != lane {
					continue
				}
				running <- struct{}{}
				w.tryBoth(ctx, p, a, n)
				n += len(a.application.lanes)
				<-running
			}
		})
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		all.Wait()
	}()
	for {
		select {
		case o := <-w.outages:
			w.bringAbout(ctx, o)
		case <-over:
			return
		}
	}
}

// tryBoth runs a trial, with what goes ahead of it, and beside it its twin, if it
// has one, through another link of its user.
func (w *world) tryBoth(ctx context.Context, p plan, a *account, n int) {
	a.trying.Lock()
	defer a.trying.Unlock()
	if first := p.operation.first; first != nil {
		w.try(ctx, plan{number: p.number, lane: p.lane, operation: first, keyed: true, gateway: p.gateway}, a, n)
	}
	var both sync.WaitGroup
	defer both.Wait()
	if p.twin != nil {
		other := w.lanes[p.twin.lane]
		other.trying.Lock() // of a lane behind this one, always
		both.Go(func() {
			defer other.trying.Unlock()
			w.try(ctx, *p.twin, other, n)
		})
	}
	w.try(ctx, p, a, n)
}

// try runs one trial, which has the nth of its operation's wishes.
func (w *world) try(ctx context.Context, p plan, a *account, n int) {
	t := &trial{plan: p, world: w, account: a, wish: p.operation.wish(n)}
	time.Sleep(p.pause)
	w.mu.Lock()
	t.begun = time.Now()
	w.trials = append(w.trials, t)
	w.latest[a.id] = t
	number := len(w.trials)
	w.mu.Unlock()
	t.run(ctx)
	w.endVisit(t)
	if number%25 == 0 {
		fmt.Printf("chaos: %d trials begun\n", number)
	}
}
