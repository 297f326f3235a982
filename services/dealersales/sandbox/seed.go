package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// How much there is when the stand-in is started.
const (
	customerCount = 900
	leadCount     = 800
	callCount     = 600
	firstDay      = -90 // of the appointments, counted from today
	lastDay       = 21
)

// The customer and the lead that the examples of documentation go by.
const (
	exampleCustomer = "C-88012"
	exampleLead     = "L-330871"
)

// seed fills the tables: always the same, but for the dates, which count from
// today.
func (s *Site) seed() {
	fake := gofakeit.New(20260309)
	now := s.now().In(s.zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, s.zone)
	s.users = newUsers(fake)
	s.vehicles = newVehicles(fake, today)
	s.seedCustomers(fake, today)
	s.seedLeads(fake, today)
	s.seedAppointments(fake, today)
	s.seedCalls(fake, today)
	s.seeded = seeded{len(s.customers.rows), len(s.leads.rows), len(s.calls.rows), len(s.appointments.rows)}
}

var (
	streets = []string{"Elm Street", "Oak Lane", "Prairie Avenue", "Mill Road", "Lincoln Street", "County Road 9", "Orchard Court", "Railroad Street"}
	cities  = []string{"Springfield", "Decatur", "Peoria", "Champaign", "Bloomington", "Pekin", "Urbana", "Jacksonville", "Lincoln", "Taylorville"}
)

// seedCustomers enters people and some companies. Each has an e-mail address
// and telephone numbers of its own.
func (s *Site) seedCustomers(fake *gofakeit.Faker, today time.Time) {
	s.customers = newTable[Customer]("C", 87201)
	areas := []string{"309", "312", "618", "630", "708", "773", "779", "815", "847", "872", "224", "331", "464", "447", "730", "861"}
	dialled := 0
	phone := func() string {
		dialled++
		return fmt.Sprintf("(%s) 555-01%02d", areas[dialled%len(areas)], dialled/len(areas))
	}
	for i := range customerCount {
		c := Customer{
			ID: s.customers.next(), DealerID: dealers[(s.customers.first+i+3)%len(dealers)].ID,
			FirstName: fake.FirstName(), LastName: fake.LastName(), Mobile: phone(),
			Preferred: fake.RandomString([]string{"", "Phone", "Text", "Email"}), DoNotContact: i%37 == 5,
			Line1: fmt.Sprintf("%d %s", fake.Number(10, 4200), fake.RandomString(streets)), City: fake.RandomString(cities), Region: "IL", PostalCode: fmt.Sprintf("6%04d", fake.Number(1000, 2999)), Country: "US",
			CreatedAt: today.AddDate(0, 0, i-customerCount).Add(time.Duration(fake.Number(9*60, 18*60)) * time.Minute),
		}
		c.Email = strings.ToLower(fmt.Sprintf("%s.%s%d@%s.example", c.FirstName, c.LastName, i, fake.RandomString([]string{"mail", "post", "prairie"})))
		if i%3 == 0 {
			c.Home = phone()
		}
		if i%9 == 0 {
			c.Company, c.CompanyTypeID, c.Work = c.LastName+" "+fake.RandomString([]string{"Landscaping", "Plumbing", "Logistics", "Farms"}), companyTypes[i%len(companyTypes)].ID, phone()
		}
		if i%27 == 0 { // the company itself
			c.FirstName, c.LastName, c.Preferred = "", "", ""
		}
		s.customers.add(c)
	}
}

func (s *Site) seedLeads(fake *gofakeit.Faker, today time.Time) {
	s.leads = newTable[Lead]("L", 330101)
	stock := map[string][]Vehicle{}
	for _, v := range s.vehicles.rows {
		if v.Status == inStock {
			stock[v.DealerID] = append(stock[v.DealerID], v)
		}
	}
	states := []string{"Working", leadNew, "Lost", "Working", "Sold", "Duplicate", "Working"}
	for i := range leadCount {
		customer := s.customers.rows[fake.Number(0, customerCount-1)]
		id := s.leads.next()
		if id == exampleLead {
			customer, _ = s.customers.find(exampleCustomer)
		}
		lead := Lead{
			ID: id, CustomerID: customer.ID, DealerID: customer.DealerID, Status: states[i%len(states)], SourceID: leadSources[i%10].ID,
			TypeID: leadTypes[i%5].ID, UserID: s.nextInTurn(customer.DealerID),
			CreatedAt: today.AddDate(0, 0, (i-leadCount)/8).Add(time.Duration(fake.Number(8*60, 20*60)) * time.Minute),
		}
		if i%2 == 0 {
			choice := stock[lead.DealerID]
			lead.VehicleID = choice[fake.Number(0, len(choice)-1)].ID
		} else {
			brand := makes[fake.Number(0, len(makes)-1)]
			lead.Interest = Wish{Condition: isUsed, Make: brand.name, Model: brand.models[0].name}
		}
		if i%4 == 0 {
			lead.Comments = fake.RandomString([]string{"Would like a test drive.", "Asks for the best price.", "Has a vehicle to trade in.", "Wants to be called after work."})
		}
		s.leads.add(lead)
	}
}

// seedAppointments books visits of the leads' customers, on working days and
// at full hours.
func (s *Site) seedAppointments(fake *gofakeit.Faker, today time.Time) {
	s.appointments = newTable[Appointment]("A", 71001)
	past := []string{showed, completed, noShow, completed, cancelled, showed, rescheduled}
	for day := firstDay; day <= lastDay; day++ {
		date := today.AddDate(0, 0, day)
		if date.Weekday() == time.Sunday {
			continue
		}
		for range fake.Number(2, 5) {
			lead := s.leads.rows[fake.Number(0, leadCount-1)]
			if lead.ID == exampleLead {
				continue
			}
			a := Appointment{
				ID: s.appointments.next(), LeadID: lead.ID, CustomerID: lead.CustomerID, DealerID: lead.DealerID, UserID: lead.UserID, VehicleID: lead.VehicleID,
				Subject: fake.RandomString([]string{"Test drive", "Talk about financing", "Look at the vehicle", "Appraisal of the trade-in", "Delivery"}),
				Start:   time.Date(date.Year(), date.Month(), date.Day(), fake.Number(9, 17), 0, 0, 0, s.zone), Status: past[len(s.appointments.rows)%len(past)],
				CreatedAt: date.AddDate(0, 0, -fake.Number(22, 30)).Add(11 * time.Hour),
			}
			a.End = a.Start.Add(time.Hour)
			if day > 0 {
				a.Status = []string{scheduled, confirmed}[len(s.appointments.rows)%2]
			}
			if len(s.appointments.where(a.overlaps)) == 0 {
				s.appointments.add(a)
			}
		}
	}
}

func (s *Site) seedCalls(fake *gofakeit.Faker, today time.Time) {
	s.calls = newTable[Call]("CL", 89501)
	for i := range callCount {
		lead := s.leads.rows[fake.Number(0, leadCount-1)]
		customer, _ := s.customers.find(lead.CustomerID)
		call := Call{
			ID: s.calls.next(), CustomerID: customer.ID, DealerID: customer.DealerID, LeadID: lead.ID, UserID: lead.UserID, Direction: "Outbound",
			Outcome: callOutcomes[1+i%5], Phone: customer.Mobile, Seconds: -1,
			StartTime: today.AddDate(0, 0, (i-callCount)/7).Add(time.Duration(fake.Number(9*60, 18*60)) * time.Minute),
		}
		if call.Outcome == "Connected" {
			call.Seconds = fake.Number(20, 900)
		}
		if i%3 == 0 {
			call.Direction = "Inbound"
		}
		s.calls.add(call)
	}
}

// nextInTurn is the salesperson of the dealer who gets the next lead. The
// caller holds Site.mu.
func (s *Site) nextInTurn(dealer string) string {
	people := s.users.where(func(u User) bool { return u.Role == salesperson && u.worksFor(dealer) })
	s.turns[dealer]++
	return people[s.turns[dealer]%len(people)].ID
}
