package sandbox

import (
	"slices"
	"strings"

	"github.com/brianvoe/gofakeit/v7"
)

// timeZone is where all dealers of the group are.
const timeZone = "America/Chicago"

// Dealer is one of the group's places.
type Dealer struct {
	ID, Name, Number, Phone, Website string
	Street, City, ZIP                string
	Makes                            []string
}

// TimeZone names the dealer's time zone.
func (Dealer) TimeZone() string { return timeZone }

var dealers = []Dealer{
	{"D-011", "Crossroads Motors Peoria", "208091", "+1 309 555 0180", "https://peoria.crossroads.example/", "2200 War Memorial Drive", "Peoria", "61614", []string{"Arden", "Tolland"}},
	{"D-012", "Crossroads Motors Champaign", "208097", "+1 217 555 0181", "https://champaign.crossroads.example/", "815 Bloomington Road", "Champaign", "61820", []string{"Kestrel"}},
	{"D-013", "Crossroads Trucks Decatur", "208103", "+1 217 555 0182", "https://decatur.crossroads.example/", "41 Pershing Road", "Decatur", "62526", []string{"Tolland", "Morava", "Brightwell"}},
	{"D-014", "Crossroads Motors Springfield", "208114", "+1 217 555 0180", "https://springfield.crossroads.example/", "3000 Dirksen Parkway", "Springfield", "62703", []string{"Arden", "Kestrel", "Veyra"}},
}

func dealerOf(id string) (Dealer, bool) {
	i := slices.IndexFunc(dealers, func(d Dealer) bool { return d.ID == id })
	if i < 0 {
		return Dealer{}, false
	}
	return dealers[i], true
}

// User is somebody who works with the application.
type User struct {
	ID, FirstName, LastName, Email, Phone, Role string
	Dealers                                     []string
	Active                                      bool
}

// Name is the user's whole name.
func (u User) Name() string { return u.FirstName + " " + u.LastName }

// worksFor says whether the user can be given something to do at a dealer.
func (u User) worksFor(dealer string) bool { return u.Active && slices.Contains(u.Dealers, dealer) }

// me is the user that Jane is.
const me = "U-201"

// salesperson is the role of those who are given leads in turn.
const salesperson = "Salesperson"

const userCount = 25

// newUsers makes Jane, who works for all dealers, and the dealers' people. One
// of them has left.
func newUsers(fake *gofakeit.Faker) table[User] {
	users := newTable[User]("U", 201)
	var everywhere []string
	for _, d := range dealers {
		everywhere = append(everywhere, d.ID)
	}
	roles := []string{salesperson, salesperson, "Sales manager", salesperson, "Internet sales"}
	users.add(User{me, "Jane", "Roe", Jane.Username, "+1 217 555 0110", "Group sales manager", everywhere, true})
	for i := 1; i < userCount; i++ {
		u := User{
			ID: users.next(), FirstName: fake.FirstName(), LastName: fake.LastName(), Phone: "+1 217 555 01" + twoDigits(10+i),
			Role: roles[i%len(roles)], Dealers: []string{dealers[(i+3)%len(dealers)].ID}, Active: i != userCount-2,
		}
		if u.Role == "Internet sales" {
			u.Dealers = append(u.Dealers, dealers[(i+4)%len(dealers)].ID)
		}
		u.Email = strings.ToLower(u.FirstName+"."+u.LastName) + "@crossroads.example"
		users.add(u)
	}
	return users
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

// Choice is an entry of one of the lists that forms choose from.
type Choice struct {
	ID, Name, Category string
	Active             bool
	dealers            []string // that use it; none: all
}

func (c Choice) usedBy(dealer string) bool {
	return len(c.dealers) == 0 || slices.Contains(c.dealers, dealer)
}

func choiceOf(list []Choice, id string) (Choice, bool) {
	i := slices.IndexFunc(list, func(c Choice) bool { return c.ID == id && c.Active })
	if i < 0 {
		return Choice{}, false
	}
	return list[i], true
}

var leadSources = []Choice{
	{"LS-1", "Walk-in", "Showroom", true, nil},
	{"LS-2", "Telephone", "Phone", true, nil},
	{"LS-3", "Referral", "Showroom", true, nil},
	{"LS-4", "Repeat customer", "Showroom", true, nil},
	{"LS-5", "Service drive", "Showroom", true, nil},
	{"LS-6", "Manufacturer's website", "Internet", true, nil},
	{"LS-7", "Online classified", "Internet", true, nil},
	{"LS-8", "Dealer website", "Internet", true, nil},
	{"LS-9", "Social media", "Internet", true, nil},
	{"LS-10", "Chat", "Internet", true, nil},
	{"LS-11", "Fleet programme", "Commercial", true, []string{"D-013"}},
	{"LS-12", "County fair", "Event", true, []string{"D-011", "D-013"}},
	{"LS-13", "Newspaper insert", "Print", false, nil},
}

var leadTypes = []Choice{
	{"LT-1", "Showroom", "", true, nil},
	{"LT-2", "Internet", "", true, nil},
	{"LT-3", "Phone", "", true, nil},
	{"LT-4", "Lease end", "", true, nil},
	{"LT-5", "Commercial", "", true, nil},
	{"LT-6", "Fax", "", false, nil},
}

var companyTypes = []Choice{
	{"CT-1", "Sole proprietor", "", true, nil},
	{"CT-2", "Partnership", "", true, nil},
	{"CT-3", "Small business", "", true, nil},
	{"CT-4", "Corporation", "", true, nil},
	{"CT-5", "Government", "", true, nil},
	{"CT-6", "Non-profit", "", true, nil},
}
