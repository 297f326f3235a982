package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/dealersales"
	"integration.gateway/services/dealersales/sandbox"
)

const dealerSales = "/v1/dealer-sales/"

// What the dealers' application has when it is started.
const (
	springfield       = "D-014"
	peoria            = "D-011"
	springfieldBuyer  = "C-88012"
	springfieldLead   = "L-330871" // of that customer
	springfieldSeller = "U-205"
	peoriaSeller      = "U-206"
	dealerWebsite     = "LS-8"
)

var (
	newSalesCustomer = dealersales.NewCustomer{
		DealerID: springfield, FirstName: "Dana", LastName: "O'Whit-Field", CompanyName: `"Whit" & <Field>`, CompanyTypeID: "CT-3",
		Email: "dana@whitfield.example", MobilePhone: "+1 217 555 0155", HomePhone: "+1 217 555 0156", WorkPhone: "+1 217 555 0157",
		PreferredContact: dealersales.ByText,
		Address:          &contracts.Address{Line1: "12 Elm Street", Line2: "Suite 4", City: "Springfield", Region: "IL", PostalCode: "62704", Country: "US"},
	}
	newSalesLead = dealersales.NewLead{
		CustomerID: springfieldBuyer, DealerID: springfield, LeadSourceID: dealerWebsite, LeadTypeID: "LT-2",
		Interest: &dealersales.VehicleInterest{Condition: dealersales.Certified, Year: 2025, Make: "Arden", Model: "Ridgeway", Trim: "Touring"},
		TradeIn:  &dealersales.TradeIn{VIN: "1HGCV1F34LA098765", Year: 2020, Make: "Kestrel", Model: "Dart", Mileage: new(61200)},
		Comments: "Would like a test drive\non Saturday morning.",
	}
	newSalesCall = dealersales.NewCall{
		CustomerID: springfieldBuyer, DealerID: springfield, LeadID: springfieldLead, Direction: dealersales.Inbound, Outcome: dealersales.CallConnected,
		PhoneNumber: "+1 217 555 0155", StartTime: time.Date(2026, 3, 20, 15, 30, 5, 0, time.UTC), DurationSeconds: new(0), Notes: "Confirmed Saturday.",
	}
	newSalesVisit = dealersales.NewSalesAppointment{
		LeadID: springfieldLead, CustomerID: springfieldBuyer, DealerID: springfield, AssignedUserID: springfieldSeller,
		Description: "Test drive of the 2025 Ridgeway", StartDate: "2024-11-28T10:00:00", EndDate: "2024-11-28T11:00",
	}
)

// but is a value with something changed.
func but[V any](v V, change func(*V)) V {
	change(&v)
	return v
}

var dealerSalesCases = []operationCase{
	{op: dealersales.CreateSession, check: checkSession},
	{op: dealersales.GetDealers, check: checked(checkDealers)},
	{
		op: dealersales.GetUsers, path: dealerSales + "users?dealerId=" + springfield + "&page=2&pageSize=3", check: checked(checkSalesUsers),
		refuses: []refusalCase{
			{name: "too many rows", path: dealerSales + "users?pageSize=201", status: http.StatusBadRequest, says: "pageSize"},
		},
	},
	{
		op: dealersales.GetLeadSources, path: dealerSales + "lead-sources?dealerId=" + springfield,
		check: checked(func(g *gateway, list dealersales.LeadSourceList) {
			expectEqual(g, 11, len(list.LeadSources))
			expectEqual(g, dealersales.LeadSource{LeadSourceID: dealerWebsite, Name: "Dealer website", Category: "Internet", Active: true}, list.LeadSources[7])
			expectEqual(g, dealersales.LeadSource{LeadSourceID: "LS-13", Name: "Newspaper insert", Category: "Print"}, list.LeadSources[10])
		}),
	},
	{
		op: dealersales.GetLeadTypes,
		check: checked(func(g *gateway, list dealersales.LeadTypeList) {
			expectEqual(g, 6, len(list.LeadTypes))
			expectEqual(g, dealersales.LeadType{LeadTypeID: "LT-2", Name: "Internet", Active: true}, list.LeadTypes[1])
			expectEqual(g, dealersales.LeadType{LeadTypeID: "LT-6", Name: "Fax"}, list.LeadTypes[5])
		}),
	},
	{
		op: dealersales.GetCompanyTypes,
		check: checked(func(g *gateway, list dealersales.CompanyTypeList) {
			expectEqual(g, 6, len(list.CompanyTypes))
			expectEqual(g, dealersales.CompanyType{CompanyTypeID: "CT-3", Name: "Small business"}, list.CompanyTypes[2])
		}),
	},
	{
		op: dealersales.GetVehicles, path: dealerSales + "vehicles?pageSize=200&page=10", check: checked(checkVehicles),
		refuses: []refusalCase{
			{name: "yearTo before yearFrom", path: dealerSales + "vehicles?yearFrom=2025&yearTo=2024", status: http.StatusBadRequest, says: "yearTo"},
			{name: "malformed VIN", path: dealerSales + "vehicles?vin=5FPYK3F78SB01234I", status: http.StatusBadRequest, says: "vin"},
			{name: "unknown condition", path: dealerSales + "vehicles?condition=mint", status: http.StatusBadRequest, says: "condition"},
		},
	},
	{
		op: dealersales.CreateCustomer, body: newSalesCustomer, check: checked(checkNewCustomer),
		refuses: []refusalCase{
			{name: "no name", body: dealersales.NewCustomer{DealerID: springfield}, status: http.StatusBadRequest, says: "firstName, lastName or companyName"},
			{name: "malformed email", body: but(newSalesCustomer, func(c *dealersales.NewCustomer) { c.Email = "dana" }), status: http.StatusBadRequest, says: "email"},
			{name: "unknown dealer", body: but(newSalesCustomer, func(c *dealersales.NewCustomer) { c.DealerID = `D-"1'` }), status: http.StatusBadRequest, says: "no dealer D-", events: rejectedEvents},
			{name: "unknown company type", body: but(newSalesCustomer, func(c *dealersales.NewCustomer) { c.CompanyTypeID = "CT-99" }), status: http.StatusBadRequest, says: "no company type CT-99", events: rejectedEvents},
			{
				name: "address without a city", status: http.StatusBadRequest, says: "needs a street and a city", events: notAppliedEvents,
				body: dealersales.NewCustomer{DealerID: springfield, LastName: "Other", Address: &contracts.Address{Line1: "12 Elm Street"}},
			},
			{name: "known e-mail address", body: newSalesCustomer, status: http.StatusBadRequest, says: "has this e-mail address already", events: notAppliedEvents},
			{
				name: "known telephone number", status: http.StatusBadRequest, says: "has this telephone number already", events: notAppliedEvents,
				body: dealersales.NewCustomer{DealerID: peoria, LastName: "Other", WorkPhone: "(217) 555-0155"},
			},
		},
	},
	{
		op: dealersales.SearchCustomers, path: dealerSales + "customers?query=o%27whit-field&dealerId=" + springfield, check: checked(checkFoundCustomers),
		refuses: []refusalCase{
			{name: "no query", path: dealerSales + "customers", status: http.StatusBadRequest, says: "query"},
		},
	},
	{
		op: dealersales.CreateLead, body: newSalesLead, check: checked(checkNewLead),
		refuses: []refusalCase{
			{name: "unknown customer", body: but(newSalesLead, func(l *dealersales.NewLead) { l.CustomerID = "C-1" }), status: http.StatusBadRequest, says: "no customer", events: rejectedEvents},
			{name: "customer of another dealer", body: but(newSalesLead, func(l *dealersales.NewLead) { l.DealerID = peoria }), status: http.StatusBadRequest, says: "no customer of dealer D-011", events: rejectedEvents},
			{name: "unknown source", body: but(newSalesLead, func(l *dealersales.NewLead) { l.LeadSourceID = "LS-99" }), status: http.StatusBadRequest, says: "LS-99", events: rejectedEvents},
			{name: "source of another dealer", body: but(newSalesLead, func(l *dealersales.NewLead) { l.LeadSourceID = "LS-11" }), status: http.StatusBadRequest, says: "LS-11", events: notAppliedEvents},
			{name: "type that is not used any more", body: but(newSalesLead, func(l *dealersales.NewLead) { l.LeadTypeID = "LT-6" }), status: http.StatusBadRequest, says: "LT-6", events: rejectedEvents},
			{name: "unknown user", body: but(newSalesLead, func(l *dealersales.NewLead) { l.AssignedUserID = "U-1" }), status: http.StatusBadRequest, says: "U-1", events: rejectedEvents},
			{name: "user of another dealer", body: but(newSalesLead, func(l *dealersales.NewLead) { l.AssignedUserID = peoriaSeller }), status: http.StatusBadRequest, says: peoriaSeller, events: notAppliedEvents},
			{name: "vehicle of another dealer", body: but(newSalesLead, func(l *dealersales.NewLead) { l.VehicleID = "V-54001" }), status: http.StatusBadRequest, says: "no vehicle V-54001", events: notAppliedEvents},
			{
				name: "trade-in without a make", body: map[string]any{"customerId": springfieldBuyer, "dealerId": springfield, "leadSourceId": dealerWebsite, "leadTypeId": "LT-2", "tradeIn": map[string]any{"year": 2020, "model": "Dart"}},
				status: http.StatusBadRequest, says: "make",
			},
		},
	},
	{
		op: dealersales.CreateCall, body: newSalesCall, check: checked(checkNewCall),
		refuses: []refusalCase{
			{name: "unknown customer", body: but(newSalesCall, func(c *dealersales.NewCall) { c.CustomerID = "C-1" }), status: http.StatusBadRequest, says: "no customer", events: rejectedEvents},
			{name: "customer of another dealer", body: but(newSalesCall, func(c *dealersales.NewCall) { c.DealerID = peoria }), status: http.StatusBadRequest, says: "no customer of dealer D-011", events: rejectedEvents},
			{name: "lead of another customer", body: but(newSalesCall, func(c *dealersales.NewCall) { c.LeadID = "L-330101" }), status: http.StatusBadRequest, says: "has no lead L-330101", events: rejectedEvents},
			{name: "unknown user", body: but(newSalesCall, func(c *dealersales.NewCall) { c.UserID = "U-1" }), status: http.StatusBadRequest, says: "no user U-1", events: rejectedEvents},
			{name: "user of another dealer", body: but(newSalesCall, func(c *dealersales.NewCall) { c.UserID = peoriaSeller }), status: http.StatusBadRequest, says: "does not work at", events: notAppliedEvents},
			{name: "connected tomorrow", body: but(newSalesCall, func(c *dealersales.NewCall) { c.StartTime = time.Now().Add(24 * time.Hour) }), status: http.StatusBadRequest, says: "Choose Scheduled", events: notAppliedEvents},
			{name: "malformed telephone number", body: but(newSalesCall, func(c *dealersales.NewCall) { c.PhoneNumber = "none" }), status: http.StatusBadRequest, says: "phoneNumber"},
		},
	},
	{
		op: dealersales.CreateSalesAppointment, body: newSalesVisit, check: checked(checkNewVisit),
		refuses: []refusalCase{
			{name: "time that is taken", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.StartDate = "2024-11-28 10:30" }), status: http.StatusOK, says: "another appointment", events: notAppliedEvents},
			{name: "unreadable time", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.StartDate = "Saturday morning" }), status: http.StatusOK, says: "no date and time", events: notAppliedEvents},
			{name: "end before start", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.EndDate = "2024-11-28T09:00" }), status: http.StatusOK, says: "ends after it starts", events: notAppliedEvents},
			{name: "no description", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.Description = "" }), status: http.StatusOK, says: "what the appointment is about", events: notAppliedEvents},
			{name: "unknown lead", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.LeadID = "L-1" }), status: http.StatusOK, says: "no lead", events: rejectedEvents},
			{name: "lead of another customer", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.CustomerID = "C-87201" }), status: http.StatusOK, says: "is not of customer", events: rejectedEvents},
			{name: "another dealer", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.DealerID = peoria }), status: http.StatusOK, says: "and dealer", events: rejectedEvents},
			{name: "user of another dealer", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.AssignedUserID = peoriaSeller }), status: http.StatusOK, says: "does not receive", events: rejectedEvents},
			{name: "no start", body: but(newSalesVisit, func(a *dealersales.NewSalesAppointment) { a.StartDate = "" }), status: http.StatusBadRequest, says: "startDate"},
		},
	},
	{
		op: dealersales.GetSalesAppointments, check: checked(checkVisits),
		path: dealerSales + "sales/appointments?dealerId=" + springfield + "&assignedUserId=" + springfieldSeller + "&customerId=" + springfieldBuyer +
			"&leadId=" + springfieldLead + "&status=scheduled&startDate=2024-11-28&endDate=2024-11-28",
		refuses: []refusalCase{
			{name: "endDate before startDate", path: dealerSales + "sales/appointments?startDate=2026-11-29&endDate=2026-11-28", status: http.StatusBadRequest, says: "endDate"},
			{name: "unknown status", path: dealerSales + "sales/appointments?status=late", status: http.StatusBadRequest, says: "status"},
		},
	},
	{
		op: dealersales.GetSalesAppointment, path: dealerSales + "sales/appointments/A-71001",
		check: checked(func(g *gateway, _ dealersales.SalesAppointment) {
			booked := stateOf[sandbox.State](g).Appointments[0]
			got := result[dealersales.SalesAppointment](g, g.send(http.MethodGet, dealerSales+"sales/appointments/"+booked.ID, g.demonstration(), nil))
			expectEqual(g, visitOf(got, booked), got)
		}),
		refuses: []refusalCase{
			{name: "unknown appointment", path: dealerSales + "sales/appointments/A-1", status: http.StatusNotFound, says: "no appointment", events: rejectedEvents},
		},
	},
}

// salesGroup is the application as every one is when it is started.
var salesGroup = sandbox.New()

func checkDealers(g *gateway, list dealersales.DealerList) {
	expectEqual(g, 4, len(list.Dealers))
	expectEqual(g, dealersales.Dealer{
		DealerID: springfield, Name: "Crossroads Motors Springfield", DealerNumber: "208114", Makes: []string{"Arden", "Kestrel", "Veyra"},
		Phone: "+1 217 555 0180", Website: "https://springfield.crossroads.example/", TimeZone: "America/Chicago",
		Address: &contracts.Address{Line1: "3000 Dirksen Parkway", City: "Springfield", Region: "IL", PostalCode: "62703", Country: "US"},
	}, list.Dealers[3])
}

func checkSalesUsers(g *gateway, list dealersales.UserList) {
	users := slices.DeleteFunc(salesGroup.Users(), func(u sandbox.User) bool { return !slices.Contains(u.Dealers, springfield) })
	want := dealersales.UserList{Total: new(len(users))}
	for _, u := range users[3:6] {
		want.Users = append(want.Users, dealersales.User{
			UserID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Email: u.Email, Phone: u.Phone, Role: u.Role, DealerIDs: u.Dealers, Active: u.Active,
		})
	}
	expectEqual(g, want, list)
}

// The application's words, as the contract has them.
var (
	conditionWords = map[string]dealersales.VehicleCondition{
		"New": "new", "Used": "used", "Certified pre-owned": "certified", "Demonstrator": "demo",
	}
	statusWords = map[string]dealersales.VehicleStatus{
		"In stock": "in-stock", "In transit": "in-transit", "On hold": "on-hold", "Sold": "sold", "In preparation": "unknown",
	}
)

// checkVehicles looks at the last page of all vehicles, and then for one by
// each of the filters.
func checkVehicles(g *gateway, list dealersales.VehicleList) {
	vehicles := salesGroup.Vehicles()
	expectEqual(g, len(vehicles), *list.Total)
	expectEqual(g, 200, len(list.Vehicles))
	wanted := vehicles[len(vehicles)-1]
	got := list.Vehicles[199]
	arrived := ""
	if !wanted.ArrivedAt.IsZero() {
		arrived = wanted.ArrivedAt.Format(time.DateOnly)
	}
	expectEqual(g, dealersales.Vehicle{
		VehicleID: wanted.ID, VIN: wanted.VIN, StockNumber: wanted.Stock, DealerID: wanted.DealerID, Condition: conditionWords[wanted.Condition], Status: statusWords[wanted.Status],
		Year: wanted.Year, Make: wanted.Make, Model: wanted.Model, Trim: wanted.Trim, BodyStyle: wanted.Body, ExteriorColor: wanted.Exterior,
		InteriorColor: wanted.Interior, Engine: wanted.Engine, Transmission: wanted.Transmission, Drivetrain: wanted.Drivetrain, FuelType: wanted.Fuel,
		Mileage: &wanted.Mileage, ListPrice: dollars(wanted.ListPrice), SalePrice: dollars(wanted.SalePrice),
		ImageURL: g.env.SandboxURLs[g.about()] + "/pictures/" + wanted.ID + ".svg", InStockDate: arrived,
	}, got)
	alike := slices.DeleteFunc(vehicles, func(v sandbox.Vehicle) bool {
		return v.DealerID != wanted.DealerID || v.Condition != wanted.Condition || v.Make != wanted.Make || v.Model != wanted.Model || v.Year < wanted.Year || v.Year > wanted.Year+1
	})
	for filters, total := range map[string]int{
		fmt.Sprintf("dealerId=%s&condition=%s&make=%s&model=%s&yearFrom=%d&yearTo=%d&pageSize=1", wanted.DealerID, conditionWords[wanted.Condition], wanted.Make, wanted.Model, wanted.Year, wanted.Year+1): len(alike),
		"vin=" + wanted.VIN:           1,
		"stockNumber=" + wanted.Stock: 1,
		"dealerId=D-1":                0,
	} {
		found := result[dealersales.VehicleList](g, g.send(http.MethodGet, dealerSales+"vehicles?"+filters, g.demonstration(), nil))
		if *found.Total != total || len(found.Vehicles) != min(total, 1) {
			g.Errorf("%s: %d of %d vehicles, want %d", filters, len(found.Vehicles), *found.Total, total)
		}
	}
}

func dollars(n int) *contracts.Money {
	if n == 0 {
		return nil
	}
	return &contracts.Money{Amount: fmt.Sprint(n), Currency: "USD"}
}

func checkNewCustomer(g *gateway, customer dealersales.Customer) {
	entered := stateOf[sandbox.State](g).Customers
	expectEqual(g, 1, len(entered))
	expectEqual(g, customerOf(customer, entered[0]), customer)
	expectEqual(g, newSalesCustomer.CompanyName, entered[0].Company)
}

// customerOf is a customer of the application as the contract has it.
func customerOf(got dealersales.Customer, c sandbox.Customer) dealersales.Customer {
	want := dealersales.Customer{
		CustomerID: c.ID, DealerID: c.DealerID, FirstName: c.FirstName, LastName: c.LastName, CompanyName: c.Company, CompanyTypeID: c.CompanyTypeID,
		Email: c.Email, MobilePhone: c.Mobile, HomePhone: c.Home, WorkPhone: c.Work, PreferredContact: newSalesCustomer.PreferredContact,
		DoNotContact: c.DoNotContact, CreatedAt: got.CreatedAt,
		Address: &contracts.Address{Line1: c.Line1, Line2: c.Line2, City: c.City, Region: c.Region, PostalCode: c.PostalCode, Country: c.Country},
	}
	if got.CreatedAt == nil || !got.CreatedAt.Equal(c.CreatedAt.Truncate(time.Second)) {
		want.CreatedAt = &c.CreatedAt
	}
	return want
}

// checkFoundCustomers looks at the customer just entered, and for others by
// what can be looked for.
func checkFoundCustomers(g *gateway, list dealersales.CustomerList) {
	if len(list.Customers) != 1 || *list.Total != 1 {
		g.Fatalf("found %+v", list)
	}
	expectEqual(g, customerOf(list.Customers[0], stateOf[sandbox.State](g).Customers[0]), list.Customers[0])
	for query, total := range map[string]int{
		"query=DANA%40WHITFIELD": 1, "query=217+555+0157": 1, "query=nobody+at+all": 0, "query=o%27whit-field&dealerId=" + peoria: 0,
		"query=.example&pageSize=7": len(salesGroup.Customers()) + 1,
	} {
		found := result[dealersales.CustomerList](g, g.send(http.MethodGet, dealerSales+"customers?"+query, g.demonstration(), nil))
		if *found.Total != total || len(found.Customers) != min(total, 7) {
			g.Errorf("%s: %d of %d customers, want %d", query, len(found.Customers), *found.Total, total)
		}
	}
}

func checkNewLead(g *gateway, lead dealersales.Lead) {
	leads := stateOf[sandbox.State](g).Leads
	expectEqual(g, 1, len(leads))
	l := leads[0]
	expectEqual(g, dealersales.Lead{
		LeadID: l.ID, CustomerID: springfieldBuyer, DealerID: springfield, Status: dealersales.LeadNew, LeadSourceID: dealerWebsite, LeadTypeID: "LT-2",
		AssignedUserID: l.UserID, Comments: newSalesLead.Comments, CreatedAt: lead.CreatedAt,
	}, lead)
	expectEqual(g, sandbox.Wish{Condition: "Certified pre-owned", Year: "2025", Make: "Arden", Model: "Ridgeway", Trim: "Touring"}, l.Interest)
	expectEqual(g, sandbox.TradeIn{Year: "2020", Make: "Kestrel", Model: "Dart", VIN: "1HGCV1F34LA098765", Mileage: "61200"}, l.TradeIn)
	if l.UserID == "" || l.Comments != newSalesLead.Comments || lead.CreatedAt == nil || !lead.CreatedAt.Equal(l.CreatedAt.Truncate(time.Second)) {
		g.Errorf("the application has %+v, the answer is %+v", l, lead)
	}
}

func checkNewCall(g *gateway, call dealersales.CallRecord) {
	calls := stateOf[sandbox.State](g).Calls
	expectEqual(g, 1, len(calls))
	c := calls[0]
	expectEqual(g, sandbox.Call{
		ID: call.CallID, CustomerID: call.CustomerID, DealerID: springfield, LeadID: call.LeadID, UserID: "U-201", Direction: "Inbound", Outcome: "Connected",
		Phone: newSalesCall.PhoneNumber, StartTime: c.StartTime, Seconds: 0, Notes: newSalesCall.Notes,
	}, c)
	if !c.StartTime.Equal(newSalesCall.StartTime) || call.StartTime == nil || !call.StartTime.Equal(newSalesCall.StartTime) ||
		call.Direction != newSalesCall.Direction || call.Outcome != newSalesCall.Outcome {
		g.Errorf("the application has %+v, the answer is %+v", c, call)
	}
}

func checkNewVisit(g *gateway, booked contracts.StatusResult) {
	expectEqual(g, contracts.StatusOK, booked.Status)
	appointments := stateOf[sandbox.State](g).Appointments
	expectEqual(g, 1, len(appointments))
	a := appointments[0]
	expectEqual(g, sandbox.Appointment{
		ID: a.ID, LeadID: springfieldLead, CustomerID: springfieldBuyer, DealerID: springfield, UserID: springfieldSeller, VehicleID: a.VehicleID,
		Subject: newSalesVisit.Description, Start: a.Start, End: a.Start.Add(time.Hour), Status: "Scheduled", CreatedAt: a.CreatedAt,
	}, a)
	if want := time.Date(2024, 11, 28, 16, 0, 0, 0, time.UTC); !a.Start.Equal(want) {
		g.Errorf("it starts at %v, want %v", a.Start, want)
	}
}

// visitOf is an appointment of the application as the contract has it, with
// the words and the offset of got.
func visitOf(got dealersales.SalesAppointment, a sandbox.Appointment) dealersales.SalesAppointment {
	want := got
	want.AppointmentID, want.LeadID, want.CustomerID, want.DealerID, want.AssignedUserID = a.ID, a.LeadID, a.CustomerID, a.DealerID, a.UserID
	want.Description, want.Status, want.VehicleID = a.Subject, dealersales.Scheduled, a.VehicleID
	user := salesGroup.Users()[4]
	customers := salesGroup.Customers()
	customer := customers[slices.IndexFunc(customers, func(c sandbox.Customer) bool { return c.ID == a.CustomerID })]
	want.AssignedUserName, want.CustomerName = user.Name(), customer.Name()
	if !got.StartTime.Equal(a.Start) {
		want.StartTime = a.Start
	}
	if got.EndTime == nil || !got.EndTime.Equal(a.End) {
		want.EndTime = &a.End
	}
	if got.CreatedAt == nil || !got.CreatedAt.Equal(a.CreatedAt.Truncate(time.Second)) {
		want.CreatedAt = &a.CreatedAt
	}
	return want
}

// checkVisits looks at the appointment just booked, and at the order of all.
func checkVisits(g *gateway, list dealersales.SalesAppointmentList) {
	if len(list.Appointments) != 1 || *list.Total != 1 {
		g.Fatalf("found %+v", list)
	}
	expectEqual(g, visitOf(list.Appointments[0], stateOf[sandbox.State](g).Appointments[0]), list.Appointments[0])
	all := result[dealersales.SalesAppointmentList](g, g.send(http.MethodGet, dealerSales+"sales/appointments?pageSize=200", g.demonstration(), nil))
	if len(all.Appointments) != 200 || *all.Total != len(salesGroup.Appointments())+1 ||
		!slices.IsSortedFunc(all.Appointments, func(a, b dealersales.SalesAppointment) int { return a.StartTime.Compare(b.StartTime) }) {
		g.Errorf("%d of %d appointments, or not the earliest first", len(all.Appointments), *all.Total)
	}
	none := result[dealersales.SalesAppointmentList](g, g.send(http.MethodGet, dealerSales+"sales/appointments?status=unknown", g.demonstration(), nil))
	expectEqual(g, 0, len(none.Appointments))
}
