package sandbox

import (
	"context"
	"net/http"
	"time"
)

// activeFaults are the faults as put, and what is left of them.
type activeFaults struct {
	put       Faults
	slow      rules[Slow]
	signedOut rules[Rule]
	failing   rules[Failing]
	hangUp    rules[Rule]
}

func activate(f Faults) activeFaults {
	f = f.clone()
	return activeFaults{
		put:       f,
		slow:      newRules(f.Slow),
		signedOut: newRules(f.SignedOut),
		failing:   newRules(f.Failing),
		hangUp:    newRules(f.HangUp),
	}
}

// rules are a list of rules, with the requests that each has counted.
type rules[R ruled] struct {
	list []R
	seen []int
}

// ruled is a Rule, or one with something added.
type ruled interface{ rule() Rule }

func (r Rule) rule() Rule { return r }

func newRules[R ruled](list []R) rules[R] {
	return rules[R]{list: list, seen: make([]int, len(list))}
}

// meet returns the first rule that strikes the request, or nil. Rules behind
// that one do not count the request.
func (s *rules[R]) meet(method, path string) *R {
	for i := range s.list {
		r := s.list[i].rule()
		if !r.fits(method, path) {
			continue
		}
		spent := r.Times > 0 && s.seen[i] >= r.Skip+r.Times
		if spent {
			continue
		}
		s.seen[i]++
		if s.seen[i] > r.Skip {
			return &s.list[i]
		}
	}
	return nil
}

// trouble is what one request runs into.
type trouble struct {
	slow      *Slow
	signedOut *Rule
	failing   *Failing
	hangUp    *Rule
}

func (a *activeFaults) meet(method, path string) trouble {
	return trouble{
		slow:      a.slow.meet(method, path),
		signedOut: a.signedOut.meet(method, path),
		failing:   a.failing.meet(method, path),
		hangUp:    a.hangUp.meet(method, path),
	}
}

// inject lets each request run into the faults that are switched on.
func (k *Kit) inject(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		t := k.faults.meet(r.Method, r.URL.Path)
		k.mu.Unlock()
		if stop := k.strike(w, r, t, Before); stop {
			return
		}
		if !t.comesAfter() {
			next.ServeHTTP(w, r)
			return
		}
		held := newAnswer()
		next.ServeHTTP(held, r)
		if stop := k.strike(w, r, t, After); stop {
			return
		}
		held.sendTo(w)
	})
}

// strike brings the trouble of one moment about, and says whether the request
// is over with it.
func (k *Kit) strike(w http.ResponseWriter, r *http.Request, t trouble, now When) (stop bool) {
	if t.slow != nil && t.slow.moment() == now {
		if !wait(r.Context(), time.Duration(t.slow.DelayMS)*time.Millisecond) {
			return true
		}
	}
	if t.signedOut != nil && t.signedOut.moment() == now {
		k.dropSignIn(r)
	}
	if t.failing != nil && t.failing.moment() == now {
		http.Error(w, "Something went wrong on our side. Please try again later.", t.failing.Status)
		return true
	}
	if t.hangUp != nil && t.hangUp.moment() == now {
		cutOff()
	}
	return false
}

func (r Rule) moment() When {
	if r.When == After {
		return After
	}
	return Before
}

func (t trouble) comesAfter() bool {
	return t.slow != nil && t.slow.moment() == After ||
		t.signedOut != nil && t.signedOut.moment() == After ||
		t.failing != nil && t.failing.moment() == After ||
		t.hangUp != nil && t.hangUp.moment() == After
}

// wait returns false when the client is gone before the time is over.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (k *Kit) dropSignIn(r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if rec := k.current(r); rec != nil {
		rec.user = ""
	}
}

// cutOff ends the connection without an answer. A browser that used it before
// then sends the request a second time over another connection, even a POST
// (seen with Chromium 156): whoever drives it has to keep it from that.
func cutOff() { panic(http.ErrAbortHandler) }

func (k *Kit) putFaults(w http.ResponseWriter, r *http.Request) {
	faults, err := DecodeFaults(r.Body, k.config.Markup)
	if err != nil {
		WriteJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	k.SetFaults(faults)
	WriteJSON(w, http.StatusOK, faults)
}

func (k *Kit) deleteFaults(w http.ResponseWriter, _ *http.Request) {
	k.SetFaults(Faults{})
	w.WriteHeader(http.StatusNoContent)
}

// SetFaults switches to exactly these faults, from the next request on.
func (k *Kit) SetFaults(f Faults) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults = activate(f)
}
