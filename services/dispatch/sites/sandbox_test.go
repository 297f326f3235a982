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

// TestFlows shares one office: its tests come one after the other, each where the
// last one has left the user.
func TestFlows(t *testing.T) {
	t.Parallel()
	o := visit(t)
	t.Run("what is empty is not given", o.emptyIsNotGiven)
	t.Run("odd input arrives as it is", o.oddInput)
	t.Run("signed out in the middle", o.signedOut)
	t.Run("a form that does not come is no customer's", o.noForm)
	t.Run("signed out by the save", o.signedOutBySave)
	t.Run("a lost request is told from an equal one", o.lostRequest)
	t.Run("a lost answer is found in the log", o.lostAnswer)
}

// visit gives Jane an office of her own.
func visit(t *testing.T) office {
	t.Helper()
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	app := sandbox.New()
	return office{app, flowtest.Visit(t, flowtest.OpenPool(t), site, app, sandbox.Jane.Username, sandbox.Jane.Password)}
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

func (o office) lostAnswer(t *testing.T) {
	before := len(o.State().Changed)
	o.SetFaults(kit.Losing("POST", "/api/customers", kit.After))
	a := o.InDoubt(t, "create-customer", newCustomer())
	o.SetFaults(kit.Faults{})
	record := decoded(t, o.FindsItsOwn(t, a))
	made := o.State().Changed[before:]
	if len(made) != 1 || record.CustomerID != made[0].ID || !record.UpdatedAt.Equal(made[0].UpdatedAt) ||
		record.Customer.FirstName != "Omar" || record.Customer.Phones[0].Type != contracts.Mobile || !strings.HasSuffix(record.CustomerURL, "/customers/"+made[0].ID) {
		t.Errorf("made %+v, the evidence is %+v", made, record)
	}
	// Where the log cannot be read, nothing is settled.
	o.SetFaults(kit.Losing("GET", "/api/activity", kit.Before))
	if verdict, _, err := o.Player.Site.Reconcile(t.Context(), o.Page.Rod(), a.Job); err == nil {
		t.Errorf("settled without the log: %+v", verdict)
	}
}

// The same edit was made before, by an earlier command.
func (o office) lostRequest(t *testing.T) {
	request := edit(map[string]any{"leadSource": "Radio"})
	o.Gives(t, "edit-customer", request)
	o.SetFaults(kit.Losing("PUT", "/api/customers/*", kit.Before))
	a := o.InDoubt(t, "edit-customer", request)
	o.SetFaults(kit.Faults{})
	if o.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func (o office) signedOut(t *testing.T) {
	o.Gives(t, "edit-customer", edit(map[string]any{"firstName": "Omar"}))
	edits, signIns := len(o.State().Activity), o.SignIns
	o.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "GET", Path: "/api/customers/*", Times: 1}}})
	o.Gives(t, "edit-customer", edit(map[string]any{"lastName": "Reyes"}))
	if edits, signIns = len(o.State().Activity)-edits, o.SignIns-signIns; edits != 1 || signIns != 1 {
		t.Errorf("%d edits, signed in %d times; want 1, once more", edits, signIns)
	}
}

func (o office) signedOutBySave(t *testing.T) {
	o.SetFaults(kit.Faults{SignedOut: []kit.Rule{{Method: "POST", Path: "/api/customers"}}})
	a := o.InDoubt(t, "create-customer", newCustomer())
	o.SetFaults(kit.Faults{})
	if o.Reconcile(t, a).Applied {
		t.Error("applied, want not applied")
	}
}

func (o office) emptyIsNotGiven(t *testing.T) {
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

func (o office) oddInput(t *testing.T) {
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

func (o office) noForm(t *testing.T) {
	o.SetFaults(kit.Losing("GET", "/api/customers/*", kit.Before))
	o.Refuses(t, "edit-customer", edit(map[string]any{"lastName": "Reyes"}), flow.Unavailable, "Crewdeck does not answer as it should. Please try again in a minute.")
	o.SetFaults(kit.Faults{})
}
