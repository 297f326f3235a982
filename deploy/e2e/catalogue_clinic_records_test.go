package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/clinicrecords"
	clinicsandbox "integration.gateway/services/clinicrecords/sandbox"
)

var clinicRecordsCases = newClinicRecordsCases()

// Dr. Rowan Pike works in Denver, where injectables are offered.
const (
	pike          = 10
	relaxer       = 301 // a service that takes 30 minutes
	lipFiller     = 303 // 60 minutes
	facial        = 306 // which Dr. Pike does not do
	inventory     = "/v1/clinic-records/products/inventory"
	unknownNumber = 999_999
)

// newClinicRecordsCases chooses days and times at a stand-in of its own: all
// that open on one day start out the same.
func newClinicRecordsCases() []operationCase {
	seed := clinicsandbox.New()
	client := seed.Clients()[1]
	slots := seed.FreeSlots(pike, clinicsandbox.Foothills, clinicsandbox.InPerson, []int64{relaxer, lipFiller}, time.Now().AddDate(0, 0, 7), 12)
	wanted := clinicrecords.NewAppointment{
		ClientID: client.ID, ClinicID: clinicsandbox.Foothills, ProviderID: pike, ServiceIDs: []int64{relaxer, lipFiller}, Modality: clinicrecords.InPerson,
		StartTime: slots[0].Start.UTC(), Notes: "Prefers <b>topical</b> anaesthetic.", NotifyClient: true,
	}
	return slices.Concat(
		[]operationCase{
			{op: clinicrecords.CreateSession, check: checkSession},
			bookingCase(wanted, client, slots),
			calendarCase(seed, slots[0].Start),
			availabilityCase(seed, slots[0].Start),
		},
		peopleCases(seed, client),
		businessCases(),
		productCases(seed),
	)
}

// bookingCase books the first of some free times.
func bookingCase(wanted clinicrecords.NewAppointment, client clinicsandbox.Client, slots []clinicsandbox.Slot) operationCase {
	other := func(name string, status int, says string, events []string, change func(*clinicrecords.NewAppointment)) refusalCase {
		body := wanted
		change(&body)
		return refusalCase{name: name, body: body, status: status, says: says, events: events}
	}
	refused := func(name, says string, change func(*clinicrecords.NewAppointment)) refusalCase {
		return other(name, http.StatusBadRequest, says, rejectedEvents, change)
	}
	unknown := func(name string, change func(*clinicrecords.NewAppointment)) refusalCase {
		return other("unknown "+name, http.StatusNotFound, "There is no "+name, rejectedEvents, change)
	}
	at := func(t time.Time) func(*clinicrecords.NewAppointment) {
		return func(a *clinicrecords.NewAppointment) { a.StartTime = t }
	}
	start := slots[0].Start
	return operationCase{
		op: clinicrecords.CreateAppointment, body: wanted,
		check: checked(func(g *gateway, a clinicrecords.Appointment) {
			state := stateOf[clinicsandbox.State](g)
			if len(state.Booked) != 1 || !slices.Equal(state.Told, []int64{a.AppointmentID}) {
				g.Fatalf("the application has %+v", state)
			}
			expectEqual(g, appointmentOf(state.Booked[0]), a)
			if a.ClientID != client.ID || !a.StartTime.Equal(start) || a.Notes != wanted.Notes || a.DurationMinutes != 90 {
				g.Errorf("booked %+v, want %+v", a, wanted)
			}
		}),
		refuses: []refusalCase{
			refused("taken", "no longer free", func(a *clinicrecords.NewAppointment) { a.ClientID++ }),
			refused("outside of hours", "outside of the provider's hours", at(start.Add(time.Duration(3-start.Hour())*time.Hour))),
			refused("off the grid", "outside of the provider's hours", at(start.Add(7*time.Minute))),
			refused("closed day", "closed", at(start.AddDate(0, 0, int(7-start.Weekday())))),
			refused("past", "passed", at(start.AddDate(0, 0, -90))),
			refused("too far ahead", "cannot be booked yet", at(start.AddDate(2, 0, 0))),
			refused("service not offered", "does not offer the service 306", func(a *clinicrecords.NewAppointment) { a.ServiceIDs = []int64{relaxer, facial} }),
			refused("provider of another clinic", "cannot be booked at this clinic", func(a *clinicrecords.NewAppointment) { a.ProviderID = 1 }),
			refused("too long", "8 hours", func(a *clinicrecords.NewAppointment) { a.Duration = 481 }),
			unknown("client", func(a *clinicrecords.NewAppointment) { a.ClientID = unknownNumber }),
			unknown("clinic", func(a *clinicrecords.NewAppointment) { a.ClinicID = unknownNumber }),
			unknown("provider", func(a *clinicrecords.NewAppointment) { a.ProviderID = unknownNumber }),
			other("client on hold", http.StatusBadRequest, "on hold", notAppliedEvents, func(a *clinicrecords.NewAppointment) {
				a.ClientID, a.StartTime = clinicsandbox.ClientOnHold, slots[len(slots)-1].Start
			}),
			other("modality", http.StatusBadRequest, "modality", nil, func(a *clinicrecords.NewAppointment) { a.Modality = "letter" }),
			other("no services", http.StatusBadRequest, "serviceIds", nil, func(a *clinicrecords.NewAppointment) { a.ServiceIDs = []int64{} }),
			{name: "no start", body: map[string]any{"clientId": 1, "clinicId": 1, "providerId": 1, "serviceIds": []int{1}, "modality": "phone"}, status: http.StatusBadRequest, says: "startTime"},
		},
	}
}

// calendarCase reads three weeks around what was booked, of two providers.
func calendarCase(seed *clinicsandbox.Site, around time.Time) operationCase {
	const path = "/v1/clinic-records/appointments?"
	from, to := around.AddDate(0, 0, -14).Format(time.DateOnly), around.AddDate(0, 0, 7).Format(time.DateOnly)
	bad := func(name, query, says string) refusalCase {
		return refusalCase{name: name, path: path + query, status: http.StatusBadRequest, says: says}
	}
	return operationCase{
		op: clinicrecords.GetAppointments, path: path + "clinicId=13&providerIds=10&providerIds=12&providerIds=1&startDate=" + from + "&endDate=" + to,
		check: checked(func(g *gateway, c clinicrecords.Calendar) {
			all := append(seed.Calendar(), stateOf[clinicsandbox.State](g).Booked...)
			slices.SortStableFunc(all, func(a, b clinicsandbox.Appointment) int { return a.Start.Compare(b.Start) })
			if len(c.Providers) != 2 || c.TimeZone != "America/Denver" || c.StartDate != from || c.EndDate != to {
				g.Fatalf("got %+v", c)
			}
			for i, provider := range []int64{pike, 12} {
				want := []clinicrecords.Appointment{}
				for _, a := range all {
					if day := a.Start.Format(time.DateOnly); a.Provider == provider && day >= from && day <= to {
						want = append(want, appointmentOf(a))
					}
				}
				expectEqual(g, want, c.Providers[i].Appointments)
				blocked := []clinicrecords.BlockedPeriod{}
				for _, b := range seed.Blocked(provider, clinicsandbox.Foothills) {
					if day := b.Start.Format(time.DateOnly); day >= from && day <= to {
						blocked = append(blocked, clinicrecords.BlockedPeriod{StartTime: b.Start, EndTime: b.End, Reason: b.Reason})
					}
				}
				expectEqual(g, blocked, c.Providers[i].BlockedTimes)
				if len(want) < 10 || len(blocked) < 10 {
					g.Errorf("%d appointments and %d blocked times of %d", len(want), len(blocked), provider)
				}
			}
		}),
		refuses: []refusalCase{
			bad("end before start", "clinicId=13&providerIds=10&startDate=2026-03-02&endDate=2026-03-01", "endDate"),
			bad("no such day", "clinicId=13&providerIds=10&startDate=2026-02-30&endDate=2026-03-01", "startDate"),
			bad("no providers", "clinicId=13&startDate=2026-03-01&endDate=2026-03-01", "providerIds"),
			{name: "unknown clinic", path: path + "clinicId=999&providerIds=10&startDate=2026-03-01&endDate=2026-03-01", status: http.StatusNotFound, says: "clinic 999"},
		},
	}
}

// availabilityCase looks at the day on which something was booked, for a visit
// of another length than its services take.
func availabilityCase(seed *clinicsandbox.Site, around time.Time) operationCase {
	const path = "/v1/clinic-records/availability?"
	day := around.Format(time.DateOnly)
	query := path + "clinicId=13&providerIds=10&providerIds=11&providerIds=12&serviceIds=301&appointmentType=in-person&startDate=" + day
	bad := func(name, query, says string) refusalCase {
		return refusalCase{name: name, path: path + query, status: http.StatusBadRequest, says: says}
	}
	return operationCase{
		op: clinicrecords.GetAvailability, path: query,
		check: checked(func(g *gateway, all clinicrecords.Availability) {
			booked := stateOf[clinicsandbox.State](g).Booked[0]
			if all.DurationMinutes != 30 || all.TimeZone != "America/Denver" || len(all.Providers) != 3 || len(all.Providers[2].Slots) != 0 {
				g.Fatalf("got %+v", all)
			}
			before := seed.FreeSlots(pike, clinicsandbox.Foothills, clinicsandbox.InPerson, []int64{relaxer}, around, 1)
			want := []clinicrecords.Slot{}
			for _, slot := range before {
				if slot.End.Add(10*time.Minute).After(booked.Start) && slot.Start.Before(booked.End.Add(15*time.Minute)) {
					continue // it would not leave the buffers free
				}
				want = append(want, clinicrecords.Slot{StartTime: slot.Start, EndTime: &slot.End, RoomName: slot.Room})
			}
			expectEqual(g, want, all.Providers[0].Slots)
			longer := result[clinicrecords.Availability](g, g.send(http.MethodGet, query+"&duration=120", g.demonstration(), nil))
			if longer.DurationMinutes != 120 || len(longer.Providers[0].Slots) >= len(want) {
				g.Errorf("for two hours: %+v", longer)
			}
		}),
		refuses: []refusalCase{
			bad("no services", "clinicId=13&providerIds=10&appointmentType=phone&startDate="+day, "serviceIds"),
			bad("no providers", "clinicId=13&serviceIds=301&appointmentType=phone&startDate="+day, "providerIds"),
			bad("modality", "clinicId=13&providerIds=10&serviceIds=301&appointmentType=letter&startDate="+day, "appointmentType"),
			bad("day", "clinicId=13&providerIds=10&serviceIds=301&appointmentType=phone&startDate=tomorrow", "startDate"),
			bad("unknown service", "clinicId=13&providerIds=10&serviceIds=999&appointmentType=phone&startDate="+day, "There is no service 999"),
			{name: "unknown clinic", path: path + "clinicId=999&providerIds=10&serviceIds=301&appointmentType=phone&startDate=" + day, status: http.StatusNotFound, says: "clinic 999"},
		},
	}
}

// badPages are what no list takes.
func badPages(path string) []refusalCase {
	return []refusalCase{
		{name: "page 0", path: path + "page=0", status: http.StatusBadRequest, says: "page"},
		{name: "too large a page", path: path + "pageSize=201", status: http.StatusBadRequest, says: "pageSize"},
	}
}

func peopleCases(seed *clinicsandbox.Site, client clinicsandbox.Client) []operationCase {
	clientPath := "/v1/clinic-records/clients/" + strconv.FormatInt(client.ID, 10)
	return []operationCase{
		{
			op: clinicrecords.GetClients, path: "/v1/clinic-records/clients?page=3&pageSize=150",
			check: checked(func(g *gateway, list clinicrecords.ClientList) {
				want := []clinicrecords.Client{}
				for _, c := range seed.Clients()[300:450] {
					want = append(want, clientOf(c))
				}
				expectEqual(g, want, list.Clients)
				if *list.Total != 500 {
					g.Errorf("%d in all, want 500", *list.Total)
				}
				past := result[clinicrecords.ClientList](g, g.send(http.MethodGet, "/v1/clinic-records/clients?page=5&pageSize=150", g.demonstration(), nil))
				first := result[clinicrecords.ClientList](g, g.send(http.MethodGet, "/v1/clinic-records/clients", g.demonstration(), nil))
				if len(past.Clients) != 0 || *past.Total != 500 || len(first.Clients) != contracts.DefaultPageSize {
					g.Errorf("past the end %+v, %d on the first page", past, len(first.Clients))
				}
			}),
			refuses: badPages("/v1/clinic-records/clients?"),
		},
		{
			op: clinicrecords.GetClient, path: clientPath,
			check: checked(func(g *gateway, c clinicrecords.Client) { expectEqual(g, clientOf(client), c) }),
			refuses: []refusalCase{
				{name: "unknown client", path: "/v1/clinic-records/clients/999999", status: http.StatusNotFound, says: "There is no client 999999."},
				{name: "no number", path: "/v1/clinic-records/clients/jane", status: http.StatusBadRequest, says: "clientId"},
			},
		},
		{
			op: clinicrecords.GetClientAppointments, path: clientPath + "/appointments?pageSize=200",
			check: checked(func(g *gateway, list clinicrecords.AppointmentList) {
				all := append(seed.Calendar(), stateOf[clinicsandbox.State](g).Booked...)
				slices.SortStableFunc(all, func(a, b clinicsandbox.Appointment) int { return b.Start.Compare(a.Start) })
				want := []clinicrecords.Appointment{}
				for _, a := range all {
					if a.Client == client.ID {
						want = append(want, appointmentOf(a))
					}
				}
				expectEqual(g, want, list.Appointments)
				if *list.Total != len(want) || len(want) < 2 {
					g.Errorf("%d in all, want %d", *list.Total, len(want))
				}
			}),
			refuses: append(badPages(clientPath+"/appointments?"),
				refusalCase{name: "unknown client", path: "/v1/clinic-records/clients/999999/appointments", status: http.StatusNotFound, says: "There is no client 999999."}),
		},
	}
}

func businessCases() []operationCase {
	const types = "/v1/clinic-records/appointment-types?"
	return []operationCase{
		{
			op: clinicrecords.GetClinics,
			check: checked(func(g *gateway, list clinicrecords.ClinicList) {
				if len(list.Clinics) != 3 || len(list.Clinics[1].OpeningHours) != 5 {
					g.Fatalf("got %+v", list)
				}
				list.Clinics[2].OpeningHours = list.Clinics[2].OpeningHours[4:]
				expectEqual(g, clinicrecords.Clinic{
					ClinicID: clinicsandbox.Foothills, Name: "Juniper Skin Foothills", Phone: "+1 303 555 0130", Email: "hello@juniper-skin-foothills.example",
					Website: "https://juniper-skin-foothills.example/", TimeZone: "America/Denver", Active: true,
					Address:      &contracts.Address{Line1: "77 Aspen Court", Line2: "Floor 2", City: "Denver", Region: "CO", PostalCode: "80206", Country: "US"},
					OpeningHours: []clinicrecords.OpeningHours{{Day: clinicrecords.Friday, Opens: "08:00", Closes: "17:00"}, {Day: clinicrecords.Saturday, Opens: "10:00", Closes: "14:00"}},
				}, list.Clinics[2])
			}),
		},
		{
			op: clinicrecords.GetProviders,
			check: checked(func(g *gateway, list clinicrecords.ProviderList) {
				if len(list.Providers) != 12 || list.Providers[7].Active {
					g.Fatalf("got %+v", list)
				}
				expectEqual(g, clinicrecords.Provider{
					ProviderID: 3, DisplayName: "Priya Raman, RN", FirstName: "Priya", LastName: "Raman", Title: "RN", Email: "priya.raman@juniper-aesthetics.example",
					Phone: "+1 312 555 0143", LicenseNumber: "RN-033-120733", Specialties: []string{"Injectables", "Wellness"}, ClinicIDs: []int64{clinicsandbox.Lakeside, clinicsandbox.OldTown},
					OnlineBookable: true, Active: true,
				}, list.Providers[2])
			}),
		},
		{
			op: clinicrecords.GetAccount,
			check: checked(func(g *gateway, data clinicrecords.AccountData) {
				if len(data.Accounts) != 2 {
					g.Fatalf("got %+v", data)
				}
				opened := time.Date(2021, time.March, 1, 15, 0, 0, 0, time.UTC)
				expectEqual(g, clinicrecords.BusinessAccount{
					AccountID: "ACC-20417", Name: "Juniper Aesthetics", LegalName: "Juniper Aesthetics LLC", Plan: "Professional", Active: true, OwnerName: "Amelia Hart",
					Email: "owner@juniper-aesthetics.example", Phone: "+1 312 555 0100", TimeZone: "America/Chicago", Currency: "USD",
					Address:   &contracts.Address{Line1: "840 Shoreline Avenue", Line2: "Suite 200", City: "Chicago", Region: "IL", PostalCode: "60611", Country: "US"},
					ClinicIDs: []int64{clinicsandbox.Lakeside, clinicsandbox.OldTown}, CreatedAt: &opened,
				}, data.Accounts[0])
			}),
		},
		{
			op: clinicrecords.GetAppointmentTypes, path: types + "providerId=10&clinicId=13&modality=in-person",
			check: checked(func(g *gateway, list clinicrecords.AppointmentTypeList) {
				if len(list.AppointmentTypes) != 9 {
					g.Fatalf("got %+v", list)
				}
				expectEqual(g, clinicrecords.AppointmentType{
					ServiceID: lipFiller, Name: "Lip filler, 1 ml", Category: "Injectables", Description: "Lip filler, 1 ml at the clinic, by a licensed provider.",
					Modality: clinicrecords.InPerson, DurationMinutes: 60, BufferMinutes: 15, Price: dollarsOf("680.00"), Deposit: dollarsOf("68.00"),
				}, list.AppointmentTypes[2])
			}),
			refuses: []refusalCase{
				{name: "unknown provider", path: types + "providerId=999&clinicId=13&modality=phone", status: http.StatusNotFound, says: "provider 999"},
				{name: "unknown clinic", path: types + "providerId=10&clinicId=999&modality=phone", status: http.StatusNotFound, says: "clinic 999"},
				{name: "modality", path: types + "providerId=10&clinicId=13&modality=letter", status: http.StatusBadRequest, says: "modality"},
				{name: "no provider", path: types + "clinicId=13&modality=phone", status: http.StatusBadRequest, says: "providerId"},
			},
		},
	}
}

func productCases(seed *clinicsandbox.Site) []operationCase {
	const prices = "/v1/clinic-records/products/price-list?"
	return []operationCase{
		{
			op: clinicrecords.GetProductInventory,
			check: checked(func(g *gateway, first clinicrecords.ProductInventory) {
				if len(first.Items) != contracts.DefaultPageSize || *first.Total != len(seed.Stock()) {
					g.Fatalf("%d rows of %d", len(first.Items), *first.Total)
				}
				expectEqual(g, stockOf(seed), wholeInventory(g))
			}),
			refuses: badPages(inventory + "?"),
		},
		{
			op: clinicrecords.GetPriceList, path: prices + "clinicId=13&page=4&pageSize=200",
			check: checked(func(g *gateway, list clinicrecords.PriceList) {
				want := []clinicrecords.PricedProduct{}
				for _, row := range seed.Prices(clinicsandbox.Foothills)[600:] {
					want = append(want, clinicrecords.PricedProduct{
						ProductID: row.Product, Name: row.Name, SKU: row.SKU, Category: row.Category, Unit: row.Unit, Price: *dollarsOf(row.Price), MemberPrice: dollarsOf(row.Member),
						TaxIncluded: row.Taxed, Active: row.Sold,
					})
				}
				expectEqual(g, clinicrecords.PriceList{ClinicID: clinicsandbox.Foothills, Items: want, Total: new(800)}, list)
			}),
			refuses: append(badPages(prices+"clinicId=13&"),
				refusalCase{name: "unknown clinic", path: prices + "clinicId=999", status: http.StatusNotFound, says: "clinic 999"},
				refusalCase{name: "no clinic", path: prices + "page=1", status: http.StatusBadRequest, says: "clinicId"}),
		},
		{
			op: clinicrecords.GetProduct, path: "/v1/clinic-records/products/4004",
			check: checked(func(g *gateway, p clinicrecords.Product) {
				row := seed.Products()[3]
				expectEqual(g, clinicrecords.Product{
					ProductID: row.ID, Name: row.Name, SKU: row.SKU, Barcode: row.Barcode, Brand: row.Brand, Category: row.Category, Description: row.Description, Unit: row.Unit,
					Price: dollarsOf(row.Price), UnitCost: dollarsOf(row.Cost), Taxable: row.Taxable, ForRetail: row.Retail, QuantityOnHand: new(float64(row.OnHand)),
					ReorderLevel: new(float64(row.Reorder)), SupplierName: row.Supplier, Active: row.Active,
				}, p)
			}),
			refuses: []refusalCase{
				{name: "unknown product", path: "/v1/clinic-records/products/1", status: http.StatusNotFound, says: "There is no product 1."},
				{name: "no number", path: "/v1/clinic-records/products/cream", status: http.StatusBadRequest, says: "productId"},
			},
		},
	}
}

// wholeInventory pages through to the page after the last.
func wholeInventory(g *gateway) []clinicrecords.StockItem {
	g.Helper()
	var all []clinicrecords.StockItem
	for page := 1; ; page++ {
		path := fmt.Sprintf("%s?pageSize=200&page=%d", inventory, page)
		list := result[clinicrecords.ProductInventory](g, g.send(http.MethodGet, path, g.demonstration(), nil))
		if len(list.Items) == 0 {
			return all
		}
		all = append(all, list.Items...)
	}
}
