package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/services/dispatch/sandbox"
)

// first is the customer that was entered last before the start.
const first = "cus_7f81d2"

func omar() sandbox.Customer {
	return sandbox.Customer{
		Kind: "COM", FirstName: "Omar", Company: "Reyes Lofts", Email: "omar@reyes.example", Terms: "Net 30", TaxExemption: true,
		Phones:    []sandbox.Phone{{Number: "+1 217 555 0143", Kind: "Cell"}},
		Addresses: []sandbox.Address{{Kind: "SVC", Street: "12 Elm Street", City: "Springfield", ZIP: "62704", Country: "US"}},
		Notes:     "Two\nlines", Labels: []string{"VIP"},
	}
}

func TestGuestsSeeNothing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{"/me", "/board", "/customers", "/customers/" + first, "/activity"} {
		if a := v.ask(http.MethodGet, path, nil); a.Status != http.StatusUnauthorized {
			t.Errorf("%s: %+v", path, a)
		}
	}
	if a := v.ask(http.MethodPost, "/customers", omar()); a.Status != http.StatusUnauthorized {
		t.Errorf("got %+v", a)
	}
	bad := v.ask(http.MethodPost, "/session", map[string]string{"email": sandbox.Jane.Username, "password": "x"})
	if bad.Status != http.StatusUnprocessableEntity || len(bad.Errors) != 1 {
		t.Errorf("a wrong password: %+v", bad)
	}
	v.signIn(sandbox.Jane)
	if v.ask(http.MethodDelete, "/session", nil); v.ask(http.MethodGet, "/me", nil).Status != http.StatusUnauthorized {
		t.Error("still signed in")
	}
}

func TestNewCustomerIsKept(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	body := map[string]any{"kind": "RES", "firstName": " Ada ", "logNote": "by phone"}
	saved := v.ask(http.MethodPost, "/customers", body)
	again := v.ask(http.MethodPost, "/customers", body) // sent twice, entered twice
	if saved.Status != http.StatusCreated || again.ID == saved.ID {
		t.Fatalf("saved %+v, again %+v", saved, again)
	}
	state := v.State()
	if len(state.Changed) != 2 || state.Changed[0].FirstName != "Ada" || state.Effects["customer"] != 2 {
		t.Errorf("state %+v", state)
	}
	shown := v.ask(http.MethodGet, "/customers/"+saved.ID, nil)
	if shown.Customer.ID != saved.ID || len(shown.Activity) != 1 || shown.Activity[0].Note != "by phone" || shown.Activity[0].User != "Jane Roe" {
		t.Errorf("shown %+v", shown)
	}
	if found := v.ask(http.MethodGet, "/activity?q=BY+phone", nil); len(found.Activity) != 2 {
		t.Errorf("found %+v", found)
	}
}

func TestEditReplacesAndCountsRevisions(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Amir)
	edited := omar()
	if a := v.ask(http.MethodPut, "/customers/"+first, edited); a.Status != http.StatusConflict {
		t.Fatalf("an outdated form: %+v", a)
	}
	before, _ := v.Customer(first)
	edited.Revision = before.Revision
	if a := v.ask(http.MethodPut, "/customers/"+first, edited); a.Status != http.StatusOK {
		t.Fatalf("got %+v", a)
	}
	after, _ := v.Customer(first)
	edited.ID, edited.Revision, edited.UpdatedAt = first, before.Revision+1, after.UpdatedAt
	if diff := cmp.Diff(edited, after); diff != "" || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("after %v (-want +got):\n%s", after.UpdatedAt, diff)
	}
	if a := v.ask(http.MethodPut, "/customers/cus_none", edited); a.Status != http.StatusNotFound {
		t.Errorf("an unknown customer: %+v", a)
	}
}

func TestFaultsAreToldAndChangeNothing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	other, _ := v.Customer(first)
	for name, c := range map[string]struct {
		spoil func(*sandbox.Customer)
		says  string
	}{
		"no kind":             {func(c *sandbox.Customer) { c.Kind = "" }, "kind of customer"},
		"no name":             {func(c *sandbox.Customer) { c.Kind, c.FirstName, c.Company = "RES", " ", "" }, "Enter a name"},
		"no company":          {func(c *sandbox.Customer) { c.Company = "" }, "commercial customers need one"},
		"e-mail":              {func(c *sandbox.Customer) { c.Email = "omar" }, "not complete"},
		"duplicate e-mail":    {func(c *sandbox.Customer) { c.Email = strings.ToUpper(other.Email) }, "this e-mail address: " + other.Name()},
		"duplicate phone":     {func(c *sandbox.Customer) { c.Phones[0].Number = "+1 " + other.Phones[0].Number }, "this phone: " + other.Name()},
		"terms":               {func(c *sandbox.Customer) { c.Terms = "Net 31" }, "payment terms"},
		"long notes":          {func(c *sandbox.Customer) { c.Notes = strings.Repeat("é", 4001) }, "4000"},
		"long label":          {func(c *sandbox.Customer) { c.Labels[0] = strings.Repeat("x", 255) }, "too long"},
		"phone kind":          {func(c *sandbox.Customer) { c.Phones[0].Kind = "Pager" }, "phone 1 is for"},
		"phone without digit": {func(c *sandbox.Customer) { c.Phones[0].Number = "   " }, "too few digits"},
		"address kind":        {func(c *sandbox.Customer) { c.Addresses[0].Kind = "" }, "address 1 is for"},
		"no street":           {func(c *sandbox.Customer) { c.Addresses[0].Street = "" }, "a street and a city"},
		"country":             {func(c *sandbox.Customer) { c.Addresses[0].Country = "us" }, "two capital letters"},
		"postal code":         {func(c *sandbox.Customer) { c.Addresses[0].ZIP = "6270" }, "no postal code of US"},
		"too many phones":     {func(c *sandbox.Customer) { c.Phones = make([]sandbox.Phone, 51) }, "up to 50"},
	} {
		spoilt := omar()
		c.spoil(&spoilt)
		if a := v.ask(http.MethodPost, "/customers", spoilt); a.Status != http.StatusUnprocessableEntity || !strings.Contains(strings.Join(a.Errors, " "), c.says) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if state := v.State(); len(state.Changed) != 0 || state.Effects["customer"] != 0 {
		t.Errorf("state %+v", state)
	}
}

func TestListBoardAndPages(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.signIn(sandbox.Jane)
	if all := v.ask(http.MethodGet, "/customers?from=290", nil); all.Total != 300 {
		t.Errorf("got %+v", all)
	}
	c, _ := v.Customer(v.CustomerIDs()[299])
	if found := v.ask(http.MethodGet, "/customers?q="+c.Email, nil); found.Total != 1 {
		t.Errorf("found %+v", found)
	}
	if board := v.ask(http.MethodGet, "/board", nil); len(board.Jobs) == 0 {
		t.Errorf("board %+v", board)
	}
	for path, want := range map[string]int{"/customers/new": http.StatusOK, "/nowhere": http.StatusNotFound} {
		v.Open(path)
		v.Answered(want, `name="csrf-token"`)
	}
}
