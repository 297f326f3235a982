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
	clients = 8 // that send the same request at once
	wishes  = 4 // keys that a client uses at most for one thing that it wants
)

// plan is what a trial does. It comes from the seed and the trial's number
// alone; when things happen, the machine decides.
type plan struct {
	number    int // twins have the same
	lane      int // of the account
	operation *operation
	keyed     bool          // with an Idempotency-Key
	crowd     bool          // sent by eight clients at once
	hangUp    time.Duration // after which the first client has hung up; 0 for never
	gateway   int           // that is asked first
	faults    []*fault
	pause     time.Duration // ahead of the trial
	twin      *plan         // wants the same through the other link of the user, or nil
	visit     *visit        // of the user, beside the trial, or nil
}

// draw draws the plan of a trial. The applications take turns, and so do the
// lanes of each.
func draw(seed uint64, number int, apps []*application) plan {
	d := dice{rand.New(rand.NewPCG(seed, uint64(number)))}
	p := plan{number: number, gateway: d.IntN(2), keyed: d.chance(85), pause: d.between(0, 300*time.Millisecond)}
	app := apps[number%len(apps)]
	at, before := number/len(apps)%len(app.lanes), 0
	for _, a := range apps[:number%len(apps)] {
		before += len(a.lanes)
	}
	p.lane = before + at
	operations := app.lanes[at].operations
	p.operation = operations[d.IntN(len(operations))]
	p.keyed = p.keyed && p.operation.TakesKey()
	p.crowd = p.keyed && d.chance(12)
	if d.chance(12) {
		p.hangUp = d.between(20*time.Millisecond, 1500*time.Millisecond)
	}
	p.faults = d.faults()
	other := app.again(at)
	if p.operation.form != "" && d.chance(15) {
		p.visit = d.visit(p.lane)
		if other > 0 && d.chance(50) {
			p.visit.lane = before + other
		}
		p.faults = append(p.faults, d.doubtful())
	}
	if other > 0 && p.operation.TakesKey() && d.chance(20) {
		p.twin = &plan{
			number: number, lane: before + other, operation: p.operation, gateway: d.IntN(2), keyed: true, faults: d.faults(),
			pause: []time.Duration{p.pause, d.between(0, 6*time.Second)}[d.IntN(2)],
		}
	}
	return p
}

// again returns the lane behind one by which its user is linked once more; 0 for
// none.
func (a *application) again(lane int) int {
	for i := lane + 1; i < len(a.lanes); i++ {
		if a.lanes[i].user.Username == a.lanes[lane].user.Username {
			return i
		}
	}
	return 0
}

// dice are what a plan is drawn with.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func (d dice) between(least, greatest time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(greatest-least)+1))
}

// faults draws the faults of a trial.
func (d dice) faults() (faults []*fault) {
	for range []int{0, 1, 1, 1, 1, 1, 1, 2, 2, 3}[d.IntN(10)] {
		k := kinds[d.IntN(len(kinds))]
		faults = append(faults, &fault{act: k.act, at: k.edges[d.IntN(len(k.edges))], during: d.between(k.least, k.greatest)})
	}
	return faults
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
	defer func() { t.ended = time.Now() }()
	ctx, cancel := context.WithTimeout(ctx, timing.trial)
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
		case <-time.After(timing.leases(300 * time.Millisecond)):
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
	text := fmt.Sprintf("%s in lane %d", t.operation.ID(), t.lane)
	if t.twin != nil {
		text += fmt.Sprintf(", the same in lane %d", t.twin.lane)
	}
	if !t.keyed {
		text += ", no key"
	}
	if t.crowd {
		text += ", eight clients"
	}
	if t.hangUp > 0 {
		text += fmt.Sprintf(", hangs up after %v", t.hangUp.Round(time.Millisecond))
	}
	if t.visit != nil {
		text += ", " + t.visit.String()
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
