package chaos_test

import (
	"net/http"
	"slices"
	"sync"
)

// origin is the command that an effect at the shop belongs to, and its account.
type origin struct{ command, account string }

// origins tells the origin of what reaches the shop. A command tells the driver
// before it starts its effect, and holds its user's lease then: what reaches the
// shop for that user from there on is its own, until the next one starts.
type origins struct {
	mu      sync.Mutex
	started map[string]origin // by user: the last command that was about to start its effect
	busy    map[string]int    // by command: requests that have reached the shop, and are not carried out
}

// start notes that a command of a user is about to start its effect.
func (o *origins) start(user string, of origin) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started[user] = of
}

// arrive returns the origin of a request of a user that has just reached the
// shop, and counts the request until it is over.
func (o *origins) arrive(user string) (of origin, over func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	of = o.started[user]
	o.busy[of.command]++
	return of, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.busy[of.command]--
	}
}

// userOf returns the user for whom the latest trial wants an item.
func (w *world) userOf(asin string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range slices.Backward(w.trials) {
		if t.what.asin == asin {
			return t.what.user
		}
	}
	return ""
}

// accountOf returns the account with an id, or nil.
func (w *world) accountOf(id string) *account {
	i := slices.IndexFunc(w.lanes, func(a *account) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	return w.lanes[i]
}

// arrives says whose a request is that changes something at the shop, and counts
// it until it is over.
func (s *shop) arrives(r *http.Request, asin string) (of origin, over func()) {
	switch {
	case r.Header.Get(byHandHeader) != "":
		return origin{command: byHand}, func() {}
	case r.Method != http.MethodPost || asin == "":
		return origin{}, func() {}
	}
	return s.world.origins.arrive(s.world.userOf(asin))
}
