// Package sites_test plays the flows of the dispatch integration's sandbox site
// on a real browser at the real stand-in.
package sites_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	contracts "integration.gateway/contracts/dispatch"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/dispatch/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// first is a customer whom the stand-in starts with.
const first = "cus_7f81d2"

// office is a user of an application of its own.
type office struct {
	*sandbox.Site
	*flowtest.Player
}

func TestFlows(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	for name, test := range map[string]func(*testing.T, office){
		"a lost answer is found in the log":             lostAnswer,
		"a lost request is told from an equal one":      lostRequest,
		"signed out in the middle":                      signedOut,
		"signed out by the save":                        signedOutBySave,
		"what is empty is not given":                    emptyIsNotGiven,
		"odd input arrives as it is":                    oddInput,
		"a form that does not come is no customer's":    noForm,
		"the log cannot be read, so nothing is settled": noLog,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := sandbox.New()
			test(t, office{app, flowtest.Visit(t, pool, site, app, sandbox.Jane.Username, sandbox.Jane.Password)})
		})
	}
}

func failing(method, path string, when kit.When) kit.Faults {
	return kit.Faults{Failing: []kit.Failing{{Rule: kit.Rule{Method: method, Path: path, When: when}, Status: 502}}}
}

func newCustomer() map[string]any {
	return map[string]any{"customer": map[string]any{"firstName": "Omar", "phones": []any{map[string]any{"number": "217 555 0143"}}}}
}

func edit(fields map[string]any) map[string]any {
	return map[string]any{"customerId": first, "customer": fields}
}

// decoded reads a record.
func decoded(t *testing.T, raw json.RawMessage) contracts.CustomerRecord {
	t.Helper()
	var r contracts.CustomerRecord
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return r
}

func lostAnswer(t *testing.T, o office) {
	o.SetFaults(failing("POST", "/api/customers", kit.After))
	a := o.InDoubt(t, "create-customer", newCustomer())
	o.SetFaults(kit.Faults{})
	record := decoded(t, o.FindsItsOwn(t, a))
	made := o.State().Changed
	if len(made) != 1 || record.CustomerID != made[0].ID || !record.UpdatedAt.Equal(made[0].UpdatedAt) ||
		record.Customer.FirstName != "Omar" || record.Customer.Phones[0].Type != contracts.Mobile || !strings.HasSuffix(record.CustomerURL, "/customers/"+made[0].ID) {
		t.Errorf("made %+v, the evidence is %+v", made, record)
	}
}

// The same edit was made before, by an earlier command.
func lostRequest(t *testing.T, o office) {
	request := edit(map[string]any{"leadSource": "Radio"})
	o.Gives(t, "edit-customer", request)
	o.SetFaults(failing("PUT", "/api/customers/*", kit.Before))
	a := o.InDoubt(t, "edit-customer", request)
	o.SetFaults(kit.Faults{})
	if o.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func signedOut(t *testing.T, o office) {
	o.Gives(t, "edit-customer", edit(map[string]any{"firstName": "Omar"}))
	o.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "GET", Path: "/api/customers/*", Times: 1}}})
	o.Gives(t, "edit-customer", edit(map[string]any{"lastName": "Reyes"}))
	if state := o.State(); len(state.Activity) != 2 || o.SignIns != 2 {
		t.Errorf("%d edits, %d sign-ins", len(state.Activity), o.SignIns)
	}
}

func signedOutBySave(t *testing.T, o office) {
	o.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "POST", Path: "/api/customers"}}})
	a := o.InDoubt(t, "create-customer", newCustomer())
	o.SetFaults(kit.Faults{})
	if o.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func emptyIsNotGiven(t *testing.T, o office) {
	want, _ := o.Customer(first)
	record := decoded(t, o.Gives(t, "edit-customer", edit(map[string]any{
		"firstName": "", "notes": "", "type": "", "paymentTerms": "", "phones": []any{}, "addresses": []any{}, "tags": []any{}, "taxExempt": true,
	})))
	got := record.Customer
	if got.FirstName != want.FirstName || got.Notes != want.Notes || got.PaymentTerms != want.Terms || got.Type != contracts.Residential ||
		len(got.Phones) != len(want.Phones) || len(got.Addresses) != len(want.Addresses) || len(got.Tags) != len(want.Labels) || !*got.TaxExempt {
		t.Errorf("before %+v, after %+v", want, got)
	}
	record = decoded(t, o.Gives(t, "edit-customer", edit(map[string]any{"taxExempt": false})))
	if *record.Customer.TaxExempt {
		t.Error("still exempt")
	}
}

func oddInput(t *testing.T, o office) {
	notes := strings.Repeat("Line \"one\"\n\t'two' <b>&amp; {{ baseUrl }} 🚚\n", 90)
	odd := `O'Hara "x" */ [id=1] {{ command.id }}`
	record := decoded(t, o.Gives(t, "edit-customer", edit(map[string]any{
		"lastName": odd, "notes": notes,
		"tags":      []any{odd, "a, b", "VIP", "vip", " "},
		"phones":    []any{map[string]any{"number": "(217) 555-0143 x 22", "type": "other"}},
		"addresses": []any{map[string]any{"address": map[string]any{"line1": odd, "city": "Łódź", "country": "PL"}, "type": "billing"}},
	})))
	got := record.Customer
	if got.LastName != odd || got.Notes != strings.TrimSpace(notes) || strings.Join(got.Tags, "|") != odd+"|a, b|VIP" ||
		len(got.Phones) != 1 || got.Phones[0] != (contracts.Phone{Number: "(217) 555-0143 x 22", Type: contracts.OtherPhone}) ||
		len(got.Addresses) != 1 || got.Addresses[0].Address.Line1 != odd || got.Addresses[0].Address.City != "Łódź" || got.Addresses[0].Type != contracts.BillingAddress {
		t.Errorf("got %+v", got)
	}
}

func noForm(t *testing.T, o office) {
	o.SetFaults(failing("GET", "/api/customers/*", kit.Before))
	o.Refuses(t, "edit-customer", edit(map[string]any{"lastName": "Reyes"}), flow.Unavailable, "Crewdeck does not answer as it should. Please try again in a minute.")
}

func noLog(t *testing.T, o office) {
	o.SetFaults(failing("POST", "/api/customers", kit.After))
	a := o.InDoubt(t, "create-customer", newCustomer())
	o.SetFaults(failing("GET", "/api/activity", kit.Before))
	if verdict, _, err := o.Player.Site.Reconcile(t.Context(), o.Page.Rod(), a.Job); err == nil {
		t.Errorf("settled without the log: %+v", verdict)
	}
}
