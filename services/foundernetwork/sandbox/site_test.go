package sandbox_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/foundernetwork/sandbox"
)

// visitor is a person with a browser at a network of founders.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// visit opens a network of its own, and loads its page as a stranger.
func visit(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	v := &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
	v.Open("/deals")
	return v
}

// signIn signs Jane in, and loads the page again, as a browser does.
func (v *visitor) signIn() *visitor {
	v.T.Helper()
	v.Send(http.MethodPost, "/api/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
	if v.Status != http.StatusOK {
		v.T.Fatalf("sign-in: %d %s", v.Status, v.Page)
	}
	v.Open("/deals")
	return v
}

// first returns the first deal of the network that fits.
func (v *visitor) first(fits func(sandbox.Deal) bool) sandbox.Deal {
	return v.Deals()[slices.IndexFunc(v.Deals(), fits)]
}

func TestStrangersGetNothing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/api/me", "/api/deals", "/api/deals/" + v.Deals()[0].ID} {
		v.Open(path)
		v.Answered(http.StatusUnauthorized)
	}
	v.Send(http.MethodPost, "/api/deals/"+v.Deals()[0].ID+"/using", nil)
	v.Answered(http.StatusUnauthorized)
	v.Send(http.MethodPost, "/api/sign-in", url.Values{"email": {sandbox.Jane.Username}, "password": {"x"}})
	v.Answered(http.StatusForbidden, "No member has this e-mail address and password.")
	v.signIn()
	v.Send(http.MethodPost, "/api/sign-out", nil)
	v.Open("/api/me")
	v.Answered(http.StatusUnauthorized)
}

func TestDealsComeInBatches(t *testing.T) {
	t.Parallel()
	v := visit(t).signIn()
	var ids []string
	for more := true; more; {
		v.Open("/api/deals?from=" + strconv.Itoa(len(ids)))
		var answer struct {
			Deals []struct{ ID string }
			More  bool
			Total int
		}
		if v.Decode(&answer); answer.Total != len(v.Deals()) || len(answer.Deals) > 20 {
			t.Fatalf("%d of %d deals", len(answer.Deals), answer.Total)
		}
		for _, d := range answer.Deals {
			ids = append(ids, d.ID)
		}
		more = answer.More
	}
	var want []string
	for _, d := range v.Deals() {
		want = append(want, d.ID)
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
}

func TestSearchWantsAllWords(t *testing.T) {
	t.Parallel()
	v := visit(t)
	if n := len(v.Find("CREDITS Cloud")); n != 15 {
		t.Errorf("%d deals", n)
	}
	if n := len(v.Find("credits newsletters")); n != 0 {
		t.Errorf("%d deals", n)
	}
}

func TestAllStandInsStartOutTheSame(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(sandbox.New().Deals(), sandbox.New().Deals()); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, d := range sandbox.New().Deals() {
		if seen[d.ID] {
			t.Errorf("two deals %s", d.ID)
		}
		seen[d.ID] = true
	}
}

func TestDealIsMarked(t *testing.T) {
	t.Parallel()
	v := visit(t).signIn()
	free := v.first(func(d sandbox.Deal) bool { return !d.Locked() && !d.RunOut && d.Code != "" })
	v.Open("/api/deals/" + free.ID) // not in use yet
	v.SeesNot(free.Code)
	for range 2 { // a double submit does it twice
		v.Send(http.MethodPost, "/api/deals/"+free.ID+"/using", nil)
		v.Answered(http.StatusOK, free.Code, "inUseSince")
	}
	if state := v.State(); len(state.Uses) != 2 || state.Uses[1].DealID != free.ID || state.Effects["mark-deal"] != 2 {
		t.Errorf("state %+v", state)
	}
}

func TestDealsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	v := visit(t).signIn()
	for id, want := range map[string]int{
		v.first(sandbox.Deal.Locked).ID:                                          http.StatusForbidden,
		v.first(func(d sandbox.Deal) bool { return d.RunOut && !d.Locked() }).ID: http.StatusConflict,
		"no-such-deal": http.StatusNotFound,
	} {
		v.Send(http.MethodPost, "/api/deals/"+id+"/using", nil)
		v.Answered(want, "error")
	}
	if state := v.State(); len(state.Uses) != 1 || len(state.Effects) != 0 {
		t.Errorf("state %+v", state)
	}
}
