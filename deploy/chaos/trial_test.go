package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"integration.gateway/contracts"
)

const (
	trialLimit = 60 * time.Second // for a trial's client to get a definite answer
	clients    = 8                // that send the same request at once
	wishes     = 4                // keys that a client uses at most for one thing that it wants
)

// plan is what a trial does. It comes from the seed and the trial's number
// alone; when things happen, the machine decides.
type plan struct {
	number    int
	lane      int // of the account
	operation *operation
	keyed     bool          // with an Idempotency-Key
	crowd     bool          // sent by eight clients at once
	hangUp    time.Duration // after which the first client has hung up; 0 for never
	gateway   int           // that is asked first
	faults    []*fault
	pause     time.Duration // ahead of the trial
}

// draw draws the plan of a trial. The applications take turns, and so do the
// lanes of each.
func draw(seed uint64, number int, apps []*application) plan {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	between := func(least, greatest time.Duration) time.Duration {
		return least + time.Duration(rng.Int64N(int64(greatest-least)+1))
	}
	p := plan{number: number, gateway: rng.IntN(2), keyed: chance(85), pause: between(0, 300*time.Millisecond)}
	app := number % len(apps)
	at := number / len(apps) % len(apps[app].lanes)
	for _, a := range apps[:app] {
		p.lane += len(a.lanes)
	}
	p.lane += at
	operations := apps[app].lanes[at].operations
	p.operation = operations[rng.IntN(len(operations))]
	p.keyed = p.keyed && p.operation.TakesKey()
	p.crowd = p.keyed && chance(12)
	if chance(12) {
		p.hangUp = between(20*time.Millisecond, 1500*time.Millisecond)
	}
	for range []int{0, 1, 1, 1, 1, 1, 1, 2, 2, 3}[rng.IntN(10)] {
		k := kinds[rng.IntN(len(kinds))]
		p.faults = append(p.faults, &fault{act: k.act, at: k.edges[rng.IntN(len(k.edges))], during: between(k.least, k.greatest)})
	}
	return p
}

// trial is one thing that a caller wants, and what comes in between.
type trial struct {
	plan
	world   *world
	account *account
	wish    wish
	begun   time.Time
	ended   time.Time

	mu       sync.Mutex
	service  *member // that told of the last edge
	requests []*request
}

// run has the client ask until it has a definite answer, as README.md tells
// callers to. A client without a key asks once.
func (t *trial) run(ctx context.Context) {
	t.begun = time.Now()
	defer func() { t.ended = time.Now() }()
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	t.world.reach(t, sent, nil)
	for range wishes {
		r := t.newRequest()
		if !t.ask(ctx, r) || r.definite().status != http.StatusInternalServerError || r.definite().outcome != contracts.NothingDone {
			return
		}
		// It ended without the effect, for good: a fresh key is safe.
	}
}

// ask sends a request until it has a definite answer, and says whether it has.
func (t *trial) ask(ctx context.Context, r *request) bool {
	switch {
	case t.crowd:
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() { r.send(ctx, t.gateway+i, patience) })
		}
		all.Wait()
	case t.hangUp > 0:
		r.send(ctx, t.gateway, t.hangUp)
	default:
		r.send(ctx, t.gateway, patience)
	}
	if !t.keyed {
		return false
	}
	for i := 1; r.definite() == nil; i++ {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(300 * time.Millisecond):
		}
		r.send(ctx, t.gateway+i, patience)
	}
	r.send(ctx, t.gateway+1, patience) // and what it gets once more is compared at the end
	return true
}

func (t *trial) newRequest() *request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &request{trial: t}
	if t.keyed {
		r.key = fmt.Sprintf("chaos-%d-%d-%s-%d", t.world.seed, t.number, t.operation.Name, len(t.requests))
	}
	t.requests = append(t.requests, r)
	return r
}

// due returns the faults that strike at an edge, each once, and the process to
// strike.
func (t *trial) due(at edge, service *member) ([]*fault, *member) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if service != nil {
		t.service = service
	}
	var due []*fault
	for _, f := range t.faults {
		if f.at == at && !f.struck {
			f.struck = true
			due = append(due, f)
		}
	}
	if t.service == nil {
		t.service = t.world.services[t.number%len(t.world.services)]
	}
	return due, t.service
}

// miss notes that a fault could not be brought about.
func (t *trial) miss(f *fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.missed = true
}

// struck counts the faults that the trial ran into.
func (t *trial) struck() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.faults {
		if f.struck && !f.missed {
			n++
		}
	}
	return n
}

// String tells what the trial plans, and what of that was not reached.
func (t *trial) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.operation.ID()
	if !t.keyed {
		text += ", no key"
	}
	if t.crowd {
		text += ", eight clients"
	}
	if t.hangUp > 0 {
		text += fmt.Sprintf(", hangs up after %v", t.hangUp.Round(time.Millisecond))
	}
	for _, f := range t.faults {
		text += ", " + f.String()
	}
	return text
}

// answers lists what the clients were told, for a report.
func (t *trial) answers() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var text strings.Builder
	for _, r := range t.requests {
		all := r.all()
		for i, a := range all {
			if i < 20 || i >= len(all)-3 {
				fmt.Fprintf(&text, "  %s %s\n", r.key, a)
			}
		}
	}
	return text.String()
}
