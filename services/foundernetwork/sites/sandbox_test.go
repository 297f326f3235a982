// Package sites_test plays the flows of the founder network's sandbox site on a
// real browser at the real stand-in: what the end-to-end tests do not show.
package sites_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	contracts "integration.gateway/contracts/foundernetwork"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/foundernetwork/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// founder is Jane at a network of her own, and the browser that the flows are
// played in.
type founder struct {
	*sandbox.Site
	*flowtest.Player
	t    *testing.T
	deal sandbox.Deal // that she may use
}

// TestFlows shares one browser. Each group of its tests has a context and a
// network of its own, in which they come one after the other, each where the last
// one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool, folder := flowtest.OpenPool(t), os.DirFS("sandbox")
	load := func(timeout string) *flow.Site {
		return flowtest.LoadSite(t, folder, timeout, contracts.Operations...)
	}
	for name, group := range map[string]struct {
		site  *flow.Site // impatient where a step waits in vain
		tests []test
	}{
		"in doubt": {load(flowtest.Impatient), []test{
			{"a lost request is reconciled as none", lostRequest},
			{"a lost answer is reconciled as a mark", lostAnswer},
		}},
		"for certain": {load(flowtest.Patient), []test{
			{"a deal in use is not marked again", inUseAlready},
			{"deals that do not come are told", noMoreDeals},
			{"a deal that does not come is told", noDeal},
			{"a sign-out while scrolling signs in again", signedOutWhileScrolling},
			{"a sign-out at the mark is reconciled", signedOutAtTheMark},
			{"a deal without a code is marked like others", withoutCode},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := sandbox.New()
			player := flowtest.Visit(t, pool, group.site, app, sandbox.Jane.Username, sandbox.Jane.Password)
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					test.run(&founder{Site: app, Player: player, t: t, deal: usable(app, true)})
				})
			}
		})
	}
}

// test is one of a group.
type test struct {
	name string
	run  func(*founder)
}

// usable returns a deal that Jane may use, with a code or without one.
func usable(app *sandbox.Site, code bool) sandbox.Deal {
	return app.Deals()[slices.IndexFunc(app.Deals(), func(d sandbox.Deal) bool {
		return !d.Locked() && !d.RunOut && (d.Code != "") == code
	})]
}

// marked compares what marking the deal gives with what the network knows.
func (f *founder) marked(raw json.RawMessage) {
	f.t.Helper()
	uses := f.State().Uses
	want := map[string]any{
		"dealId": f.deal.ID, "inUse": true, "title": f.deal.Title, "redemptionUrl": f.deal.Link, "markedAt": uses[len(uses)-1].At.Format(time.RFC3339),
	}
	if f.deal.Code != "" {
		want["redemptionCode"] = f.deal.Code
	}
	flowtest.Equal(f.t, raw, want)
}

func (f *founder) request() map[string]any { return map[string]any{"dealId": f.deal.ID} }

func (f *founder) usingPath() string { return "/api/deals/" + f.deal.ID + "/using" }

func (f *founder) lose(when kit.When) *flowtest.Attempt {
	f.t.Helper()
	f.SetFaults(kit.Losing("POST", f.usingPath(), when))
	a := f.InDoubt(f.t, "mark-deal", f.request())
	f.SetFaults(kit.Faults{})
	return a
}

func lostAnswer(f *founder) {
	verdict := f.Reconcile(f.t, f.lose(kit.After))
	if !verdict.Applied {
		f.t.Fatal("not applied, want applied")
	}
	f.marked(verdict.Evidence)
}

func lostRequest(f *founder) {
	if f.Reconcile(f.t, f.lose(kit.Before)).Applied {
		f.t.Error("applied, want not applied")
	}
}

// The session ends before the request arrives, and the page leads to the
// sign-in: whether the deal was marked can only be looked up.
func signedOutAtTheMark(f *founder) {
	f.Gives(f.t, "search-deals", longSearch) // proves the sign-in
	before := f.SignIns
	f.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: f.usingPath(), Times: 1}}})
	a := f.InDoubt(f.t, "mark-deal", f.request())
	if applied, n := f.Reconcile(f.t, a).Applied, f.SignIns-before; applied || n != 1 {
		f.t.Errorf("applied %v, signed in %d times; want not applied, once more", applied, n)
	}
	f.marked(f.Gives(f.t, "mark-deal", f.request()))
}

// longSearch finds more deals than come at a time.
var longSearch = map[string]any{"query": "cloud"}

func signedOutWhileScrolling(f *founder) {
	f.Gives(f.t, "search-deals", longSearch) // proves the sign-in
	before := f.SignIns
	f.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/api/deals", Skip: 1, Times: 1}}})
	var found contracts.SearchDealsResult
	raw := f.Gives(f.t, "search-deals", longSearch)
	if err := json.Unmarshal(raw, &found); err != nil || len(found.Deals) != len(f.Find("cloud")) || f.SignIns-before != 1 {
		f.t.Errorf("%v, %d deals, signed in %d times", err, len(found.Deals), f.SignIns-before)
	}
}

func noMoreDeals(f *founder) {
	f.Gives(f.t, "search-deals", longSearch) // proves the sign-in
	f.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/deals", Skip: 1}, Status: 500}}})
	f.Refuses(f.t, "search-deals", longSearch, flow.Unavailable, "The deals could not be loaded. Try again later.")
	f.SetFaults(kit.Faults{})
}

func noDeal(f *founder) {
	f.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/deals/" + f.deal.ID}, Status: 503}}})
	f.Refuses(f.t, "mark-deal", f.request(), flow.Unavailable, "This deal could not be loaded.")
	f.SetFaults(kit.Faults{})
}

func inUseAlready(f *founder) {
	f.deal = f.Deals()[slices.IndexFunc(f.Deals(), func(d sandbox.Deal) bool { return d.ID == f.State().Uses[0].DealID })]
	a := f.Attempt("mark-deal", f.request())
	f.marked(f.Succeeds(f.t, a))
	if state := f.State(); len(a.Effects) != 0 || len(state.Effects) != 0 {
		f.t.Errorf("effects %v began, %v at the network", a.Effects, state.Effects)
	}
}

func withoutCode(f *founder) {
	f.deal = usable(f.Site, false)
	f.marked(f.Gives(f.t, "mark-deal", f.request()))
}
