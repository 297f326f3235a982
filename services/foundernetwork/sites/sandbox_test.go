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
	"integration.gateway/pkg/browser"
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
	deal sandbox.Deal // that she may use; a test sets another in its own copy of her
}

// TestFlows shares one browser. Each group of its tests has a context and a
// network of its own, in which they come one after the other, each where the last
// one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	t.Run("in doubt", func(t *testing.T) {
		t.Parallel()
		f := visit(t, pool, flowtest.Impatient)
		t.Run("a lost request is reconciled as none", f.lostRequest)
		t.Run("a lost answer is reconciled as a mark", f.lostAnswer)
	})
	t.Run("for certain", func(t *testing.T) {
		t.Parallel()
		f := visit(t, pool, flowtest.Patient)
		t.Run("a deal in use is not marked again", f.inUseAlready)
		t.Run("deals that do not come are told", f.noMoreDeals)
		t.Run("a deal that does not come is told", f.noDeal)
		t.Run("a sign-out while scrolling signs in again", f.signedOutWhileScrolling)
		t.Run("a sign-out at the mark is reconciled", f.signedOutAtTheMark)
		t.Run("a deal without a code is marked like others", f.withoutCode)
	})
}

// visit gives Jane a network of her own. A step of the flows waits so long there.
func visit(t *testing.T, pool *browser.Pool, timeout string) founder {
	t.Helper()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), timeout, contracts.Operations...)
	app := sandbox.New()
	return founder{app, flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password), usable(app, true)}
}

// usable returns a deal that Jane may use, with a code or without one.
func usable(app *sandbox.Site, code bool) sandbox.Deal {
	return app.Deals()[slices.IndexFunc(app.Deals(), func(d sandbox.Deal) bool {
		return !d.Locked() && !d.RunOut && (d.Code != "") == code
	})]
}

// marked compares what marking the deal gives with what the network knows.
func (f founder) marked(t *testing.T, raw json.RawMessage) {
	t.Helper()
	uses := f.State().Uses
	want := map[string]any{
		"dealId": f.deal.ID, "inUse": true, "title": f.deal.Title, "redemptionUrl": f.deal.Link, "markedAt": uses[len(uses)-1].At.Format(time.RFC3339),
	}
	if f.deal.Code != "" {
		want["redemptionCode"] = f.deal.Code
	}
	flowtest.Equal(t, raw, want)
}

func (f founder) request() map[string]any { return map[string]any{"dealId": f.deal.ID} }

func (f founder) usingPath() string { return "/api/deals/" + f.deal.ID + "/using" }

func (f founder) lose(t *testing.T, when kit.When) *flowtest.Attempt {
	t.Helper()
	f.SetFaults(kit.Losing("POST", f.usingPath(), when))
	a := f.InDoubt(t, "mark-deal", f.request())
	f.SetFaults(kit.Faults{})
	return a
}

func (f founder) lostAnswer(t *testing.T) {
	verdict := f.Reconcile(t, f.lose(t, kit.After))
	if !verdict.Applied {
		t.Fatal("not applied, want applied")
	}
	f.marked(t, verdict.Evidence)
}

func (f founder) lostRequest(t *testing.T) {
	if f.Reconcile(t, f.lose(t, kit.Before)).Applied {
		t.Error("applied, want not applied")
	}
}

// The session ends before the request arrives, and the page leads to the
// sign-in: whether the deal was marked can only be looked up.
func (f founder) signedOutAtTheMark(t *testing.T) {
	f.Gives(t, "search-deals", longSearch) // proves the sign-in
	before := f.SignIns
	f.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: f.usingPath(), Times: 1}}})
	a := f.InDoubt(t, "mark-deal", f.request())
	if applied, n := f.Reconcile(t, a).Applied, f.SignIns-before; applied || n != 1 {
		t.Errorf("applied %v, signed in %d times; want not applied, once more", applied, n)
	}
	f.marked(t, f.Gives(t, "mark-deal", f.request()))
}

// longSearch finds more deals than come at a time.
var longSearch = map[string]any{"query": "cloud"}

func (f founder) signedOutWhileScrolling(t *testing.T) {
	f.Gives(t, "search-deals", longSearch) // proves the sign-in
	before := f.SignIns
	f.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Path: "/api/deals", Skip: 1, Times: 1}}})
	var found contracts.SearchDealsResult
	raw := f.Gives(t, "search-deals", longSearch)
	if err := json.Unmarshal(raw, &found); err != nil || len(found.Deals) != len(f.Find("cloud")) || f.SignIns-before != 1 {
		t.Errorf("%v, %d deals, signed in %d times", err, len(found.Deals), f.SignIns-before)
	}
}

func (f founder) noMoreDeals(t *testing.T) {
	f.Gives(t, "search-deals", longSearch) // proves the sign-in
	f.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/deals", Skip: 1}, Status: 500}}})
	f.Refuses(t, "search-deals", longSearch, flow.Unavailable, "The deals could not be loaded. Try again later.")
	f.SetFaults(kit.Faults{})
}

func (f founder) noDeal(t *testing.T) {
	f.SetFaults(kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Path: "/api/deals/" + f.deal.ID}, Status: 503}}})
	f.Refuses(t, "mark-deal", f.request(), flow.Unavailable, "This deal could not be loaded.")
	f.SetFaults(kit.Faults{})
}

func (f founder) inUseAlready(t *testing.T) {
	f.deal = f.Deals()[slices.IndexFunc(f.Deals(), func(d sandbox.Deal) bool { return d.ID == f.State().Uses[0].DealID })]
	a := f.Attempt("mark-deal", f.request())
	f.marked(t, f.Succeeds(t, a))
	if state := f.State(); len(a.Effects) != 0 || len(state.Effects) != 0 {
		t.Errorf("effects %v began, %v at the network", a.Effects, state.Effects)
	}
}

func (f founder) withoutCode(t *testing.T) {
	f.deal = usable(f.Site, false)
	f.marked(t, f.Gives(t, "mark-deal", f.request()))
}
