package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// seededDeals is how many deals the network has.
const seededDeals = 150

// offer is a kind of deal.
type offer struct{ category, thing, description string }

var offers = []offer{
	{"Infrastructure", "cloud credits", "Credits for compute and storage, valid for 24 months."},
	{"Infrastructure", "database hosting", "A managed database with daily backups and two replicas."},
	{"Banking", "business account", "A business account without fees, with cards for the whole team."},
	{"Legal", "incorporation package", "Papers, filing and an agent for the first year of your company."},
	{"Marketing", "email campaigns", "Send newsletters and see who reads them, to 20,000 contacts."},
	{"Analytics", "product analytics", "Funnels, cohorts and session replays for your product."},
	{"Support", "help desk seats", "A shared inbox and a help centre for the people you serve."},
	{"Hiring", "applicant tracking", "Job pages, interviews and offers in one place."},
	{"Design", "design tool licences", "Draw, prototype and hand over with your whole team."},
	{"Security", "compliance automation", "Collects the evidence for your first audit in the cloud."},
}

var (
	savings     = []string{"Up to 5,000 USD", "50% off for 12 months", "6 months free", "Saves about 1,200 EUR a year", "2,500 USD in credits"}
	eligibility = []string{"New customers only", "Companies younger than five years", "New customers with less than 10 million USD raised", "Open to all members"}
	endings     = []string{"Works", "Labs", "Cloud", "Base", "Loop", "Yard"}
)

// seed fills the network. Dates are seen from the day of the start.
func (s *Site) seed() {
	f := gofakeit.New(150)
	today := s.now().UTC().Truncate(24 * time.Hour)
	for n := range seededDeals {
		s.deals = append(s.deals, newDeal(f, today, n))
	}
	s.uses = []Use{{Jane.Username, s.deals[4].ID, today.AddDate(0, 0, -40), 1}}
}

// newDeal makes up the nth deal: every ninth needs a higher plan, every
// fifteenth has run out, and some have no end or no code.
func newDeal(f *gofakeit.Faker, today time.Time, n int) Deal {
	o := offers[n%len(offers)]
	partner := f.LastName() + " " + endings[f.Number(0, len(endings)-1)]
	d := Deal{
		Partner: partner, Category: o.category, Description: o.description,
		Title:   fmt.Sprintf("%s: %s for founders", partner, o.thing),
		Savings: savings[f.Number(0, len(savings)-1)], Eligibility: eligibility[f.Number(0, len(eligibility)-1)],
		RunOut: n%15 == 14, Link: link(partner),
	}
	d.ID = fmt.Sprintf("%s-%d", strings.ReplaceAll(strings.ToLower(partner+" "+o.thing), " ", "-"), n+1)
	if n%3 != 0 {
		d.LastDay = today.AddDate(0, 0, f.Number(10, 400))
	}
	if n%9 == 8 {
		d.Plan = 1
	}
	if n%4 != 3 {
		d.Code = fmt.Sprintf("KINDLING-%s-%02d", strings.ToUpper(f.LetterN(4)), n)
	}
	return d
}
