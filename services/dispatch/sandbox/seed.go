package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// What the application starts with.
const (
	seededCustomers = 300
	daysAround      = 14 // before and after today, on which there are jobs
)

// firstID is the customer that was entered last before the start.
const firstID = "cus_7f81d2"

// seed fills the application, always with the same customers.
func (s *Site) seed() {
	fake := gofakeit.New(7)
	for i := range seededCustomers {
		c := seededCustomer(fake, i)
		c.UpdatedAt = s.instant().Add(-time.Duration(24*i+fake.Number(30, 90)) * time.Hour)
		s.customers[c.ID] = &c
		s.order = append(s.order, c.ID)
	}
	today := s.now().UTC().Truncate(24 * time.Hour)
	for day := -daysAround; day <= daysAround; day++ {
		for _, crew := range crews {
			for _, hour := range []int{8, 13} {
				if fake.Number(1, 10) <= 7 {
					s.jobs = append(s.jobs, s.seededJob(fake, crew, today.AddDate(0, 0, day).Add(time.Duration(hour)*time.Hour)))
				}
			}
		}
	}
}

func seededCustomer(fake *gofakeit.Faker, i int) Customer {
	c := Customer{
		ID: firstID, Revision: fake.Number(1, 9), Kind: "RES", FirstName: fake.FirstName(), LastName: fake.LastName(),
		Source:       fake.RandomString([]string{"", "Referral", "Web search", "Neighborhood flyer", "Truck lettering", "Home show"}),
		Terms:        "Due on receipt",
		Labels:       []string{},
		TaxExemption: i%23 == 5,
	}
	if i > 0 {
		c.ID = fmt.Sprintf("cus_%06x", 0x100000+i*0x93d1+fake.Number(0, 0x1000))
	}
	c.Email = fmt.Sprintf("%s.%s%d@mail.example", strings.ToLower(c.FirstName), strings.ToLower(c.LastName), i)
	if i%4 == 1 {
		c.Kind, c.Terms = "COM", fake.RandomString(paymentTerms)
		c.Company = c.LastName + " " + fake.RandomString([]string{"Property Management", "Bakery", "Dental", "Logistics", "Foods", "Lofts"})
		c.Addresses = append(c.Addresses, seededAddress(fake, "BIL"))
	}
	for range 1 + i%3 {
		c.Addresses = append(c.Addresses, seededAddress(fake, "SVC"))
	}
	c.Phones = append(c.Phones, Phone{Number: fmt.Sprintf("(217) 555-%04d", 2000+i), Kind: "Cell"})
	if i%3 != 1 {
		c.Phones = append(c.Phones, Phone{Number: fmt.Sprintf("(217) 556-%04d", 2000+i), Kind: fake.RandomString(phoneKinds[1:])})
	}
	if i%2 == 0 {
		c.Labels = append(c.Labels, fake.RandomString([]string{"maintenance plan", "VIP", "pets", "gate code"}), fake.RandomString([]string{"senior", "new build", "well water"}))
		c.Notes = fake.RandomString([]string{"Call ahead.", "Gate code 4471; the dog is friendly.", "Furnace is in the crawl space.\nBring the short ladder."})
	}
	return c
}

func seededAddress(fake *gofakeit.Faker, kind string) Address {
	return Address{
		Kind: kind, Street: fake.Street(),
		Unit: fake.RandomString([]string{"", "", "", "Suite 4", "Apt 12", "Rear building"}),
		City: fake.RandomString([]string{"Springfield", "Decatur", "Lincoln", "Jacksonville", "Taylorville"}), State: "IL",
		ZIP: fmt.Sprintf("62%03d", fake.Number(500, 799)), Country: "US",
	}
}

func (s *Site) seededJob(fake *gofakeit.Faker, crew string, start time.Time) Job {
	c := s.customers[s.order[fake.Number(0, len(s.order)-1)]]
	place := c.Addresses[len(c.Addresses)-1]
	return Job{
		Number: 4100 + len(s.jobs), CustomerID: c.ID, Customer: c.Name(), Crew: crew, Place: place.Street + ", " + place.City,
		What:  fake.RandomString([]string{"Furnace tune-up", "Water heater", "Leak under sink", "Thermostat", "Drain", "Boiler inspection", "Mini split"}),
		Start: start, Hours: fake.Number(1, 4),
	}
}
