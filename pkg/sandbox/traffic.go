package sandbox

import (
	"maps"
	"net/http"
)

// Traffic is what a stand-in saw since it was started. A site's own state
// usually embeds it.
type Traffic struct {
	Site string `json:"site"`
	// Requests counts what arrived, by the route that it belongs to, such as
	// "POST /cart". A request that a fault cut short is counted too.
	Requests map[string]int `json:"requests"`
	// Effects counts what the site really did, by the kind it told to
	// [Kit.Effect].
	Effects map[string]int `json:"effects"`
	// Repeated counts the submits of a form beyond its first one, by route:
	// what a nervous double click leaves behind.
	Repeated map[string]int `json:"repeated"`
	// Forged counts requests refused for want of a valid token.
	Forged          int    `json:"forged"`
	SignIns         int    `json:"signIns"` // passwords that were right
	RejectedSignIns int    `json:"rejectedSignIns"`
	RejectedCodes   int    `json:"rejectedCodes"` // one-time codes that were wrong or used
	SignedIn        int    `json:"signedIn"`      // sessions that are signed in now
	Faults          Faults `json:"faults"`        // as they were put; used-up ones included
}

// noRoute is what requests are counted under that no route of the site takes.
const noRoute = "no route"

// maxForms bounds how many submitted forms are remembered.
const maxForms = 10_000

// tally is the growing part of Traffic.
type tally struct {
	Traffic
	forms map[string]bool // submitted already, by token
}

func newTally() tally {
	return tally{
		Traffic: Traffic{
			Requests: map[string]int{},
			Effects:  map[string]int{},
			Repeated: map[string]int{},
		},
		forms: map[string]bool{},
	}
}

// Traffic returns a copy of what was seen so far.
func (k *Kit) Traffic() Traffic {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.traffic.Traffic
	t.Site = k.config.Name
	t.Requests = maps.Clone(t.Requests)
	t.Effects = maps.Clone(t.Effects)
	t.Repeated = maps.Clone(t.Repeated)
	t.SignedIn = k.sessions.signedIn()
	t.Faults = k.faults.put.clone()
	return t
}

// Effect counts one change that the site really made, such as an "order". The
// kinds must be a handful of constants.
func (k *Kit) Effect(kind string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.traffic.Effects[kind]++
}

// count counts each request under the route of site that it belongs to.
func (k *Kit) count(site *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := routeOf(site, r)
		k.mu.Lock()
		k.traffic.Requests[route]++
		k.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func routeOf(site *http.ServeMux, r *http.Request) string {
	if _, pattern := site.Handler(r); pattern != "" {
		return pattern
	}
	return noRoute
}

// submitted notes that a form came in, and counts it when it came before.
// The caller holds k.mu.
func (k *Kit) submitted(route, token string) {
	if k.traffic.forms[token] {
		k.traffic.Repeated[route]++
		return
	}
	if len(k.traffic.forms) >= maxForms {
		clear(k.traffic.forms)
	}
	k.traffic.forms[token] = true
}
