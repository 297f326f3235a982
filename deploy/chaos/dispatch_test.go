package chaos_test

import (
	"strings"

	"integration.gateway/contracts/dispatch"
	"integration.gateway/services/dispatch/sandbox"
)

// newDispatch opens the dispatch application, whose operations all write.
func newDispatch() *application {
	const edited = 60 // customers that trials take turns with
	site := sandbox.New()
	customers := site.CustomerIDs()
	create := &operation{Info: dispatch.CreateCustomer.Info(), opens: "GET /customers/new", sends: "POST /api/customers"}
	create.wish = func(n int) wish {
		return wish{mark: numbered(n), body: dispatch.CustomerBody{Customer: dispatch.Customer{
			FirstName: "Zoe", LastName: numbered(n), Type: dispatch.Residential, Notes: "Ring twice.",
		}}}
	}
	edit := &operation{
		Info: dispatch.EditCustomer.Info(), opens: "GET /customers/{id}/edit", sends: "PUT /api/customers/{id}",
	}
	edit.wish = func(n int) wish {
		id := customers[n%edited]
		return wish{
			mark: id, path: strings.Replace(edit.Path, "{customerId}", id, 1),
			body: dispatch.CustomerBody{Customer: dispatch.Customer{Notes: numbered(n)}},
		}
	}
	operations := []*operation{create, edit}
	return &application{
		name: "dispatch", site: site,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			for _, entry := range site.State().Activity {
				c := change{operation: edit.Name, about: entry.CustomerID + ", note " + entry.Note}
				if entry.What == "Customer entered" {
					c = change{operation: create.Name, about: entry.Customer, id: entry.CustomerID}
				}
				all = append(all, c)
			}
			return all
		},
	}
}
