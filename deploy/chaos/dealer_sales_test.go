package chaos_test

import (
	"time"

	"integration.gateway/contracts/dealersales"
	"integration.gateway/services/dealersales/sandbox"
)

// newDealerSales opens the dealers' application.
func newDealerSales() *application {
	const dealer, customer, lead, seller = "D-014", "C-88012", "L-330871", "U-205"
	site := sandbox.New()
	nextYear := time.Now().UTC().Truncate(24*time.Hour).AddDate(1, 0, 0) // where nothing else is booked

	enter := &operation{Info: dealersales.CreateCustomer.Info(), opens: "GET /customers", sends: "POST /customers"}
	enter.wish = func(n int) wish {
		return wish{mark: numbered(n), body: dealersales.NewCustomer{
			DealerID: dealer, FirstName: "Zoe", LastName: numbered(n),
		}}
	}
	open := &operation{Info: dealersales.CreateLead.Info(), opens: "GET /leads/new", sends: "POST /leads"}
	open.wish = func(n int) wish {
		return wish{mark: numbered(n), body: dealersales.NewLead{
			CustomerID: customer, DealerID: dealer, LeadSourceID: "LS-8", LeadTypeID: "LT-2", Comments: numbered(n),
		}}
	}
	call := &operation{
		Info: dealersales.CreateCall.Info(), opens: "GET /customers/{id}", sends: "POST /customers/{id}/calls",
	}
	call.wish = func(n int) wish {
		return wish{mark: numbered(n), body: dealersales.NewCall{
			CustomerID: customer, DealerID: dealer, LeadID: lead,
			Direction: dealersales.Inbound, Outcome: dealersales.CallConnected,
			StartTime: time.Date(2026, 3, 20, 15, 30, 5, 0, time.UTC), Notes: numbered(n),
		}}
	}
	visit := &operation{
		Info: dealersales.CreateSalesAppointment.Info(), opens: "GET /calendar", sends: "POST /calendar/frame",
	}
	visit.wish = func(n int) wish {
		start := nextYear.Add(time.Duration(n) * 2 * time.Hour)
		return wish{mark: numbered(n), body: dealersales.NewSalesAppointment{
			LeadID: lead, CustomerID: customer, DealerID: dealer, AssignedUserID: seller, Description: numbered(n),
			StartDate: start.Format(time.RFC3339), EndDate: start.Add(time.Hour).Format(time.RFC3339),
		}}
	}
	read := &operation{Info: dealersales.GetDealers.Info(), wish: nothing}

	operations := []*operation{enter, enter, open, open, call, call, visit, visit, read}
	return &application{
		name: "dealer-sales", site: site, read: read,
		lanes: []lane{{sandbox.Jane, operations}, {sandbox.Amir, operations}, {sandbox.Jane, operations}},
		changes: func() (all []change) {
			state := site.State()
			for _, c := range state.Customers {
				all = append(all, change{operation: enter.Name, about: c.LastName, id: c.ID})
			}
			for _, l := range state.Leads {
				all = append(all, change{operation: open.Name, about: l.Comments, id: l.ID})
			}
			for _, c := range state.Calls {
				all = append(all, change{operation: call.Name, about: c.Notes, id: c.ID})
			}
			for _, a := range state.Appointments {
				all = append(all, change{operation: visit.Name, about: a.Subject, id: a.ID})
			}
			return all
		},
	}
}
