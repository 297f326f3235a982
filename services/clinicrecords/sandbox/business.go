package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the clinics' time zones are known on every machine
	_ "time/tzdata" // the clinics' time zones, wherever the site runs
)

// Address is a postal address.
type Address struct {
	Street  string `json:"street"`
	Suite   string `json:"suite,omitempty"`
	City    string `json:"city"`
	State   string `json:"state"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

// Account is a contract of the business with the application.
type Account struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Legal    string    `json:"legalName"`
	Plan     string    `json:"plan"`
	State    string    `json:"state"`
	Owner    string    `json:"owner"`
	Email    string    `json:"email"`
	Phone    string    `json:"phone"`
	Address  Address   `json:"address"`
	TimeZone string    `json:"timeZone"`
	Currency string    `json:"currency"`
	Clinics  []int64   `json:"clinics"`
	Opened   time.Time `json:"opened"`
}

// Clinic is a place at which clients are treated.
type Clinic struct {
	ID       int64   `json:"id"`
	Name     string  `json:"name"`
	Phone    string  `json:"phone"`
	Email    string  `json:"email"`
	Website  string  `json:"website"`
	Address  Address `json:"address"`
	TimeZone string  `json:"timeZone"`
	Hours    []Hours `json:"hours"`
	Bookable bool    `json:"bookable"`

	location *time.Location
	rooms    int
	lacks    string // the category of services that it does not offer
}

// Hours are the hours of one day of the week, in the clinic's time zone.
type Hours struct {
	Day  time.Weekday `json:"-"`
	Name string       `json:"day"`
	From string       `json:"from"`
	To   string       `json:"to"`
}

// Provider is a person who treats clients.
type Provider struct {
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	GivenName   string   `json:"givenName"`
	FamilyName  string   `json:"familyName"`
	Credentials string   `json:"credentials"`
	Email       string   `json:"email"`
	Phone       string   `json:"phone"`
	License     string   `json:"license"`
	Specialties []string `json:"specialties"`
	Clinics     []int64  `json:"clinics"`
	Online      bool     `json:"onlineBooking"`
	Active      bool     `json:"active"`
}

// Numbers of the clinics.
const (
	Lakeside  = 11 // in Chicago
	OldTown   = 12 // in Chicago, too
	Foothills = 13 // in Denver
)

func weekHours(weekdays, saturday [2]string) []Hours {
	var week []Hours
	for day := time.Monday; day <= time.Saturday; day++ {
		hours := weekdays
		if day == time.Saturday {
			hours = saturday
		}
		if hours[0] != "" {
			week = append(week, Hours{day, day.String(), hours[0], hours[1]})
		}
	}
	return week
}

func newClinics() []Clinic {
	clinics := []Clinic{
		{
			ID: Lakeside, Name: "Juniper Aesthetics Lakeside", Phone: "+1 312 555 0110", TimeZone: "America/Chicago", rooms: 6, Bookable: true,
			Address: Address{"840 Shoreline Avenue", "Suite 210", "Chicago", "IL", "60611", "US"}, Hours: weekHours([2]string{"09:00", "18:00"}, [2]string{"09:00", "14:00"}),
		},
		{
			ID: OldTown, Name: "Juniper Aesthetics Old Town", Phone: "+1 312 555 0120", TimeZone: "America/Chicago", rooms: 4, lacks: "Laser", Bookable: true,
			Address: Address{"1512 Cobbler Street", "", "Chicago", "IL", "60614", "US"}, Hours: weekHours([2]string{"10:00", "19:00"}, [2]string{}),
		},
		{
			ID: Foothills, Name: "Juniper Skin Foothills", Phone: "+1 303 555 0130", TimeZone: "America/Denver", rooms: 5, lacks: "Wellness", Bookable: true,
			Address: Address{"77 Aspen Court", "Floor 2", "Denver", "CO", "80206", "US"}, Hours: weekHours([2]string{"08:00", "17:00"}, [2]string{"10:00", "14:00"}),
		},
	}
	for i := range clinics {
		c := &clinics[i]
		host := strings.ToLower(strings.ReplaceAll(c.Name, " ", "-")) + ".example"
		c.Website, c.Email = "https://"+host, "hello@"+host
		location, err := time.LoadLocation(c.TimeZone)
		if err != nil {
			panic(err)
		}
		c.location = location
	}
	return clinics
}

func newAccounts() []Account {
	opened := time.Date(2021, time.March, 1, 15, 0, 0, 0, time.UTC)
	return []Account{
		{
			"ACC-20417", "Juniper Aesthetics", "Juniper Aesthetics LLC", "Professional", "Active", "Amelia Hart", "owner@juniper-aesthetics.example",
			"+1 312 555 0100",
			Address{"840 Shoreline Avenue", "Suite 200", "Chicago", "IL", "60611", "US"},
			"America/Chicago", "USD",
			[]int64{Lakeside, OldTown},
			opened,
		},
		{
			"ACC-31960", "Juniper Skin Colorado", "Juniper Skin Colorado Inc.", "Starter", "Active", "Rowan Pike", "office@juniper-skin.example",
			"+1 303 555 0100",
			Address{"77 Aspen Court", "", "Denver", "CO", "80206", "US"},
			"America/Denver", "USD",
			[]int64{Foothills},
			opened.AddDate(2, 4, 11),
		},
	}
}

func newProviders() []Provider {
	both, denver := []int64{Lakeside, OldTown}, []int64{Foothills}
	seeds := []struct {
		given, family, title string
		clinics              []int64
		specialties          []string
	}{
		{"Amelia", "Hart", "MD", []int64{Lakeside}, []string{"Injectables", "Laser"}},
		{"Tomas", "Varga", "NP", []int64{Lakeside}, []string{"Injectables", "Skin"}},
		{"Priya", "Raman", "RN", both, []string{"Injectables", "Wellness"}},
		{"Noor", "Haddad", "LE", []int64{Lakeside}, []string{"Facials", "Skin"}},
		{"Grace", "Okafor", "PA", both, []string{"Laser", "Skin"}},
		{"Felix", "Lindqvist", "LE", []int64{OldTown}, []string{"Facials", "Skin"}},
		{"Maren", "Solberg", "RN", []int64{OldTown}, []string{"Injectables", "Facials"}},
		{"Diego", "Fuentes", "NP", []int64{OldTown}, []string{"Wellness", "Skin"}},
		{"Ivy", "Castellano", "LE", both, []string{"Facials", "Wellness"}},
		{"Rowan", "Pike", "MD", denver, []string{"Injectables", "Laser"}},
		{"Hana", "Sato", "RN", denver, []string{"Injectables", "Skin"}},
		{"Lucas", "Meyer", "LE", denver, []string{"Facials", "Laser"}},
	}
	var providers []Provider
	for i, p := range seeds {
		id := int64(i + 1)
		display := p.given + " " + p.family + ", " + p.title
		if p.title == "MD" {
			display = "Dr. " + p.given + " " + p.family
		}
		providers = append(providers, Provider{
			ID: id, Name: display, GivenName: p.given, FamilyName: p.family, Credentials: p.title,
			Email: strings.ToLower(p.given+"."+p.family) + "@juniper-aesthetics.example", Phone: fmt.Sprintf("+1 312 555 01%02d", 40+id),
			License: fmt.Sprintf("%s-%03d-%06d", p.title, 30+id, 118_000+911*id), Specialties: p.specialties, Clinics: p.clinics,
			Online: p.title != "MD", Active: id != 8,
		})
	}
	return providers
}

func (s *Site) clinic(id int64) (*Clinic, *refusal) {
	if i := slices.IndexFunc(s.clinics, func(c Clinic) bool { return c.ID == id }); i >= 0 {
		return &s.clinics[i], nil
	}
	return nil, notFound("clinic", id)
}

func (s *Site) provider(id int64) (*Provider, *refusal) {
	if i := slices.IndexFunc(s.providers, func(p Provider) bool { return p.ID == id }); i >= 0 {
		return &s.providers[i], nil
	}
	return nil, notFound("provider", id)
}

func (s *Site) getAccounts(*http.Request) (any, *refusal)  { return all(s.accounts), nil }
func (s *Site) getClinics(*http.Request) (any, *refusal)   { return all(s.clinics), nil }
func (s *Site) getProviders(*http.Request) (any, *refusal) { return all(s.providers), nil }

func (s *Site) getClinic(r *http.Request) (any, *refusal) {
	clinic, no := s.clinic(number(r.PathValue("id")))
	return clinic, no
}

func (s *Site) getProvider(r *http.Request) (any, *refusal) {
	provider, no := s.provider(number(r.PathValue("id")))
	return provider, no
}
