package chaos_test

import (
	"net/http"
	"slices"
	"sync"
)

// origin is the command that an effect at an application belongs to, and its account.
type origin struct{ command, account string }

// userAt is a user of an application.
type userAt struct {
	application *application
	user        string
}

// origins tells the origin of what reaches an application. A command tells the driver
// before it starts its effect, and holds its user's lease then: what reaches the
// application for that user from there on is its own, until the next one starts.
type origins struct {
	mu      sync.Mutex
	started map[userAt]origin // the last command that was about to start its effect
	busy    map[string]int    // by command: requests that have reached the application, and are not carried out
}

// start notes that a command of an account is about to start its effect.
func (o *origins) start(a *account, command string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.started[userAt{a.application, a.user}] = origin{command, a.id}
}

// arrive returns the origin of a request of a user that has just reached an
// application, and counts the request until it is over.
func (o *origins) arrive(of userAt) (by origin, over func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	by = o.started[of]
	o.busy[by.command]++
	return by, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.busy[by.command]--
	}
}

// accountOf returns the account with an id, or nil.
func (w *world) accountOf(id string) *account {
	i := slices.IndexFunc(w.lanes, func(a *account) bool { return a.id == id })
	if i < 0 {
		return nil
	}
	return w.lanes[i]
}

// arrives says whose a request is that may change something, and counts it until
// it is over.
func (a *application) arrives(r *http.Request) (by origin, over func()) {
	switch {
	case r.Header.Get(byHandHeader) != "":
		return origin{command: byHand}, func() {}
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		return origin{}, func() {}
	}
	return a.world.origins.arrive(userAt{a, a.user(r)})
}
