package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// Client is a person whom the business treats.
type Client struct {
	ID         int64     `json:"id"`
	GivenName  string    `json:"givenName"`
	FamilyName string    `json:"familyName"`
	GoesBy     string    `json:"goesBy,omitempty"`
	Email      string    `json:"email,omitempty"`
	Mobile     string    `json:"mobile,omitempty"`
	Home       string    `json:"home,omitempty"`
	Born       string    `json:"born,omitempty"` // as 2006-01-02
	Gender     string    `json:"gender,omitempty"`
	Address    *Address  `json:"address,omitempty"`
	State      string    `json:"state"` // Active, or Archived
	Clinic     int64     `json:"clinic"`
	Provider   int64     `json:"provider,omitempty"`
	Membership string    `json:"membership,omitempty"`
	Referral   string    `json:"referredBy,omitempty"`
	Marketing  bool      `json:"marketing"`
	Balance    string    `json:"balance"` // what the client owes
	Allergies  []string  `json:"allergies"`
	Alerts     []string  `json:"alerts"`
	Notes      string    `json:"notes,omitempty"`
	Tags       []string  `json:"tags"`
	LastVisit  string    `json:"lastVisit,omitempty"` // as 2006-01-02
	Created    time.Time `json:"created"`

	onHold bool // cannot be booked until the front desk has had a word
}

// Name is the client as the application shows them.
func (c *Client) Name() string { return c.GivenName + " " + c.FamilyName }

// The clients that the site opens with.
const (
	clientsAtStart = 500
	FirstClient    = 50_001
	// ClientOnHold cannot be booked; the application tells only when one tries.
	ClientOnHold = 50_013
)

func (s *Site) newClients() []*Client {
	fake := gofakeit.New(20417)
	pick := func(rarely int, of ...string) []string {
		if fake.IntRange(1, rarely) > 1 {
			return []string{}
		}
		return []string{fake.RandomString(of)}
	}
	sometimes := func(text string) string { return fake.RandomString([]string{text, text, ""}) }
	phone := func() string { return fmt.Sprintf("+1 %d 555 %04d", fake.IntRange(212, 979), fake.IntRange(100, 199)) }
	clients := make([]*Client, clientsAtStart)
	for i := range clients {
		c := &Client{ID: int64(FirstClient + i), GivenName: fake.FirstName(), FamilyName: fake.LastName(), State: "Active"}
		c.onHold = c.ID == ClientOnHold
		c.GoesBy = fake.RandomString([]string{"", "", "", fake.FirstName()})
		c.Email = sometimes(strings.ToLower(c.GivenName+"."+c.FamilyName) + strconv.Itoa(i) + "@mail.example")
		c.Mobile, c.Home = phone(), fake.RandomString([]string{"", "", phone()})
		c.Born = fake.DateRange(time.Date(1948, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2004, 1, 1, 0, 0, 0, 0, time.UTC)).Format(time.DateOnly)
		c.Gender = fake.RandomString([]string{"Female", "Female", "Female", "Male", "Non-binary"})
		clinic := s.clinics[fake.IntRange(0, len(s.clinics)-1)]
		c.Clinic = clinic.ID
		if i%5 > 0 {
			c.Address = &Address{fake.Street(), sometimes("Apt " + strconv.Itoa(fake.IntRange(1, 40))), fake.City(), clinic.Address.State, fake.Zip(), "US"}
		}
		here := slices.DeleteFunc(slices.Clone(s.providers), func(p Provider) bool { return !slices.Contains(p.Clinics, clinic.ID) })
		c.Provider = here[fake.IntRange(0, len(here)-1)].ID
		c.Membership = fake.RandomString([]string{"", "", "Glow monthly", "Glow yearly", "Skin circle"})
		c.Referral = fake.RandomString([]string{"", "Friend", "Web search", "Walk-in", "Social media"})
		c.Marketing = fake.Bool()
		c.Balance = dollars(fake.RandomInt([]int{0, 0, 0, 0, -5000, 12_550, 34_000}))
		c.Allergies = pick(4, "Lidocaine", "Latex", "Penicillin", "Aspirin", "Beeswax")
		c.Alerts = pick(6, "Takes anticoagulants", "Pregnant", "Pacemaker", "Faints at needles")
		c.Tags = pick(5, "VIP", "Staff family", "Late payer")
		c.Notes = fake.RandomString([]string{"", "", "", "Prefers mornings.", "Calls before coming.", "Likes room 2."})
		if i%17 == 16 {
			c.State = "Archived"
		}
		days := fake.IntRange(140, 1500)
		c.Created = s.today(clinic.location).AddDate(0, 0, -days).Add(time.Duration(fake.IntRange(9*60, 17*60)) * time.Minute)
		clients[i] = c
	}
	return clients
}

// today is midnight of the present day at a place.
func (s *Site) today(at *time.Location) time.Time {
	year, month, day := s.now().In(at).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, at)
}

// Clients returns the clients that the site opens with, in its order.
func (s *Site) Clients() []Client {
	list := make([]Client, len(s.clients))
	for i, c := range s.clients {
		list[i] = *c
	}
	return list
}

func (s *Site) client(id int64) (*Client, *refusal) {
	if i := id - FirstClient; i >= 0 && i < int64(len(s.clients)) {
		return s.clients[i], nil
	}
	return nil, notFound("client", id)
}

// getClients lists clients, all or those whom a search by name or number finds.
func (s *Site) getClients(r *http.Request) (any, *refusal) {
	wanted := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("q")))
	if wanted == "" {
		return paged(r, s.clients)
	}
	return paged(r, slices.DeleteFunc(slices.Clone(s.clients), func(c *Client) bool {
		return !strings.Contains(strings.ToLower(c.Name()+" "+c.GoesBy), wanted) && strconv.FormatInt(c.ID, 10) != wanted
	}))
}

func (s *Site) getClient(r *http.Request) (any, *refusal) {
	client, no := s.client(number(r.PathValue("id")))
	return client, no
}
