package chaos_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"integration.gateway/contracts"
	kit "integration.gateway/pkg/sandbox"
)

// application is a sandbox with a driver in front of it, which notes each
// effect and brings the site's own faults about.
type application struct {
	name    string
	site    http.Handler
	lanes   []lane
	read    *operation      // what a first request of each account asks for; nil where there is no read
	changes func() []change // all that the sandbox has made

	world *world
	url   string

	mu      sync.Mutex // one request at a time that may change something, so that each change is known to be its own
	effects []effect
}

// lane is a user whom an account is linked for, and what the account is used
// for. A user with two lanes is linked twice.
type lane struct {
	user       kit.User
	operations []*operation // each trial draws one of them
}

// operation is one of those that trials ask for.
type operation struct {
	contracts.Info
	wish func(n int) wish // the nth one

	opens string     // pattern of the application's page that its command sets out from
	sends string     // pattern of the request that has the effect
	once  bool       // where the application has made the change before, the command succeeds and changes nothing
	form  string     // action of the form by which a person does it on that page; empty for none
	first *operation // what a trial does ahead of it
}

// wish is what a caller wants to happen at the application, once.
type wish struct {
	mark string // stands in the request, in what the site is sent and in the change, and in no other wish of this time
	path string // empty: the operation's own
	body any
}

// change is something that the application made.
type change struct {
	operation string // that does such a thing
	user      string // whose it is, where the application tells
	about     string // has the mark of the wish
	id        string // that the application gave it, if any
}

// effect is a change, with the time at which it was seen.
type effect struct {
	change

	at time.Time
	by string // the command that it belongs to, or byHand; see origins
}

func (e effect) String() string {
	return fmt.Sprintf("%s %s of %s %s %s by %s", e.at.Format(clock), e.operation, e.about, e.user, e.id, e.by)
}

// applications make the applications that there are writes for.
var applications = []func() *application{
	newMarketplace, newMarketplaceBusiness, newClinicRecords, newAgency,
	newFounderNetwork, newDispatch, newProfessionalNetwork, newDealerSales,
}

// applicationsOf returns the application of an integration, or those of all.
func applicationsOf(integration string) []*application {
	var found []*application
	for _, open := range applications {
		if a := open(); integration == allIntegrations || integration == a.name {
			found = append(found, a)
		}
	}
	return found
}

// operation returns one of the application's operations by its name.
func (a *application) operation(name string) *operation {
	for _, l := range a.lanes {
		for _, op := range l.operations {
			if op.Name == name {
				return op
			}
		}
	}
	return nil
}

// edges returns the edges that a request makes to the application.
func (op *operation) edges(r *http.Request) (before, after edge) {
	switch {
	case fits(op.sends, r):
		return clicked, handled
	case fits(op.opens, r):
		return opened, ""
	}
	return "", ""
}

// fits says whether a request has a pattern as those of http.ServeMux are.
func fits(pattern string, r *http.Request) bool {
	if pattern == "" {
		return false
	}
	mux := http.NewServeMux()
	mux.Handle(pattern, http.NotFoundHandler())
	_, found := mux.Handler(r)
	return found != ""
}

// ServeHTTP implements http.Handler.
func (a *application) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// What has arrived is carried out, whether the browser still waits or not.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	by, over := a.arrives(r)
	defer over()
	t, before, after := a.about(r, by)
	if before != "" && a.suffer(w, r, a.world.reach(t, before, nil)) {
		return
	}
	answer := a.handle(r, by.command)
	if after != "" && a.suffer(w, r, a.world.reach(t, after, nil)) {
		return
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// about returns the trial that a request is made for, and the edges that it
// makes. What has no mark, as an empty form, is for the user's latest trial. What
// a person does is for none.
func (a *application) about(r *http.Request, by origin) (t *trial, before, after edge) {
	if by.command == byHand {
		return nil, "", ""
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	text := r.URL.RequestURI() + " " + string(body)
	for _, candidate := range a.world.underWay(a) {
		b, e := candidate.operation.edges(r)
		switch {
		case b == "", by.account != "" && by.account != candidate.account.id:
		case strings.Contains(text, candidate.wish.mark):
			return candidate, b, e
		case t == nil && b == opened && a.user(r) == candidate.account.user:
			t, before, after = candidate, b, e
		}
	}
	return t, before, after
}

// user asks the sandbox who is signed in.
func (a *application) user(r *http.Request) string {
	ask := httptest.NewRequest(http.MethodGet, "/_sandbox/user", http.NoBody)
	ask.Header["Cookie"] = r.Header["Cookie"]
	answer := httptest.NewRecorder()
	a.site.ServeHTTP(answer, ask)
	var who struct{ User string }
	_ = json.Unmarshal(answer.Body.Bytes(), &who)
	return who.User
}

// handle has the application carry a request out, and notes what changed.
func (a *application) handle(r *http.Request, by string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		a.site.ServeHTTP(answer, r)
		return answer
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	before := map[change]int{}
	for _, c := range a.changes() {
		before[c]++
	}
	a.site.ServeHTTP(answer, r)
	for _, c := range a.changes() {
		if before[c]--; before[c] < 0 {
			a.effects = append(a.effects, effect{c, time.Now(), by})
		}
	}
	return answer
}

// suffer brings the site's own faults about, and says whether the request is
// over with them.
func (a *application) suffer(w http.ResponseWriter, r *http.Request, faults []*fault) (over bool) {
	for _, f := range faults {
		switch f.act {
		case siteLate, siteTooLate, siteSilent:
			time.Sleep(f.during)
		case siteRefuses:
			http.Error(w, "We are doing some maintenance.", http.StatusServiceUnavailable)
			return true
		case siteFails:
			http.Error(w, "Something went wrong on our side.", http.StatusBadGateway)
			return true
		case siteBreaks:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Length", "100000")
			_, _ = fmt.Fprint(w, "<!DOCTYPE html><html>", strings.Repeat(" ", 2000))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case siteHangsUp, siteVanishes:
			panic(http.ErrAbortHandler)
		case signedOut:
			r.Header.Del("Cookie")
		}
	}
	return false
}

// wants says whether a change is what the trial wants.
func (t *trial) wants(c change) bool {
	return c.operation == t.operation.Name && cmp.Or(c.user, t.account.user) == t.account.user &&
		strings.Contains(c.about, t.wish.mark)
}

// asks says whether a command is what the trial asks for, for whichever of the
// user's accounts.
func (t *trial) asks(s *story) bool {
	return s.account.application == t.account.application && s.account.user == t.account.user &&
		s.operation == t.operation.Name && strings.Contains(s.request, t.wish.mark)
}

// underWay returns the latest trial of each of an application's accounts, those
// begun last first.
func (w *world) underWay(a *application) []*trial {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []*trial
	for _, t := range w.latest {
		if t.account.application == a {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *trial) int { return b.begun.Compare(a.begun) })
	return found
}

// numbered is a mark of the nth wish.
func numbered(n int) string { return fmt.Sprintf("wish%05d", n) }

// often has trials draw an operation so often.
func often(n int, op *operation) []*operation { return slices.Repeat([]*operation{op}, n) }

// nothing is what a read wants.
func nothing(int) wish { return wish{} }

// accounts returns the accounts of an application, in the order of its lanes.
func (a *application) accounts(w *world) []*account {
	return slices.DeleteFunc(slices.Clone(w.lanes), func(linked *account) bool { return linked.application != a })
}

// made counts the effects of each operation, by its id.
func (a *application) made() map[string]int {
	made := map[string]int{}
	for _, e := range a.effects {
		made[a.name+"-"+e.operation]++
	}
	return made
}
