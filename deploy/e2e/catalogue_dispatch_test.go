package e2e_test

import (
	"net/http"
	"slices"

	"integration.gateway/contracts"
	"integration.gateway/contracts/dispatch"
	dispatchsandbox "integration.gateway/services/dispatch/sandbox"
)

// fieldCustomer is whom the catalogue's cases edit.
const fieldCustomer = "cus_7f81d2"

var (
	yes         = true
	reyesPhones = []dispatch.Phone{{Number: "+1 217 555 0143", Type: dispatch.Mobile}, {Number: "+1 217 555 0144", Type: dispatch.Fax}}
	reyes       = dispatch.Customer{
		FirstName: "Omar", LastName: "Reyes", CompanyName: "Reyes Property Management", Type: dispatch.Commercial, Email: "omar@reyes.example",
		Phones: reyesPhones,
		Addresses: []dispatch.CustomerAddress{
			{Type: dispatch.ServiceAddress, Address: contracts.Address{Line1: "12 Elm Street", Line2: "Suite 4", City: "Springfield", Region: "IL", PostalCode: "62704", Country: "US"}},
			{Type: dispatch.BillingAddress, Address: contracts.Address{Line1: "3 Rue du Lac", City: "Annecy", PostalCode: "74000", Country: "FR"}},
		},
		Notes: "Gate code 4471;\nthe dog is friendly.", Tags: []string{"maintenance plan", "keys, at desk"}, LeadSource: "Referral", TaxExempt: &yes, PaymentTerms: "Net 30",
	}
)

// refusedData is what the application takes of no customer, new or old.
func refusedData(path string) []refusalCase {
	refused := func(name, says string, events []string, c dispatch.Customer) refusalCase {
		return refusalCase{name: name, path: path, body: dispatch.CustomerBody{Customer: c}, status: http.StatusBadRequest, says: says, events: events}
	}
	badAddress := []dispatch.CustomerAddress{{Address: contracts.Address{Line1: "12 Elm Street", City: "Springfield", PostalCode: "6270", Country: "US"}}}
	return []refusalCase{
		refused("commercial without company", "need one", notAppliedEvents, dispatch.Customer{FirstName: "Ada", Type: dispatch.Commercial}),
		refused("bad postal code", "postal code", notAppliedEvents, dispatch.Customer{FirstName: "Ada", Addresses: badAddress}),
		refused("a customer's e-mail address", "e-mail", notAppliedEvents, dispatch.Customer{FirstName: "Ada", Email: "omar@reyes.example"}),
		refused("a customer's phone", "phone", notAppliedEvents, dispatch.Customer{FirstName: "Ada", Phones: []dispatch.Phone{{Number: "(217) 555-0143"}}}),
		refused("unknown payment terms", "paymentTerms", rejectedEvents, dispatch.Customer{FirstName: "Ada", PaymentTerms: "Net 31"}),
		refused("unknown type", "type", nil, dispatch.Customer{FirstName: "Ada", Type: "industrial"}),
	}
}

var dispatchCases = []operationCase{
	{
		op: dispatch.CreateSession, check: checkSession,
	},
	{
		op: dispatch.CreateCustomer, body: dispatch.CustomerBody{Customer: reyes},
		check: checked(func(g *gateway, record dispatch.CustomerRecord) {
			made := stateOf[dispatchsandbox.State](g).Changed
			if len(made) != 1 || made[0].Company != reyes.CompanyName || len(made[0].Phones) != 2 || len(made[0].Addresses) != 2 {
				g.Fatalf("the application has %+v", made)
			}
			expectEqual(g, recordOf(g, made[0], reyes), record)
		}),
		refuses: append(refusedData(""),
			refusalCase{name: "no name", body: dispatch.CustomerBody{Customer: dispatch.Customer{Email: "ada@mail.example"}}, status: http.StatusBadRequest, says: "firstName"}),
	},
	{
		op: dispatch.EditCustomer, path: "/v1/dispatch/customers/" + fieldCustomer,
		body: dispatch.CustomerBody{Customer: dispatch.Customer{
			LastName: "Okafor", Phones: []dispatch.Phone{{Number: "217 555 0199", Type: dispatch.Work}}, Tags: []string{"VIP"}, Notes: "Ring twice.",
		}},
		check: checked(func(g *gateway, record dispatch.CustomerRecord) {
			all := stateOf[dispatchsandbox.State](g).Changed
			at := slices.IndexFunc(all, func(c dispatchsandbox.Customer) bool { return c.ID == fieldCustomer })
			if at < 0 {
				g.Fatalf("the application has changed %+v", all)
			}
			// What is not given stays as a fresh application has it.
			before, _ := dispatchsandbox.New().Customer(fieldCustomer)
			stay := !before.TaxExemption && before.Company == "" && before.Source == ""
			want := dispatch.Customer{
				FirstName: before.FirstName, LastName: "Okafor", Type: dispatch.Residential, Email: before.Email, PaymentTerms: before.Terms,
				Phones: []dispatch.Phone{{Number: "217 555 0199", Type: dispatch.Work}}, Tags: []string{"VIP"}, Notes: "Ring twice.", TaxExempt: new(bool),
			}
			for _, a := range before.Addresses {
				want.Addresses = append(want.Addresses, dispatch.CustomerAddress{Type: dispatch.ServiceAddress, Address: contracts.Address{
					Line1: a.Street, Line2: a.Unit, City: a.City, Region: a.State, PostalCode: a.ZIP, Country: a.Country,
				}})
			}
			if all[at].LastName != "Okafor" || !stay {
				g.Errorf("the application has %+v, a fresh one %+v", all[at], before)
			}
			expectEqual(g, recordOf(g, all[at], want), record)
		}),
		refuses: append(refusedData("/v1/dispatch/customers/"+fieldCustomer),
			refusalCase{name: "unknown customer", path: "/v1/dispatch/customers/cus_none", status: http.StatusNotFound, says: "no such customer", events: rejectedEvents}),
	},
}

// recordOf is the result for a customer whom the application has.
func recordOf(g *gateway, c dispatchsandbox.Customer, data dispatch.Customer) dispatch.CustomerRecord {
	return dispatch.CustomerRecord{
		CustomerID: c.ID, Customer: data, CustomerURL: g.env.SandboxURLs[g.about()] + "/customers/" + c.ID, UpdatedAt: &c.UpdatedAt,
	}
}
