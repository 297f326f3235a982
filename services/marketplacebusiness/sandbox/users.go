package sandbox

import (
	"fmt"
	"slices"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// The users of the shop. Each signs in with an e-mail address.
var (
	// Jane buys for Hillcrest Bakery. She has three addresses and two cards, a
	// default of each, and a limit above which her orders wait for an approver.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir has all that an order needs, and an empty cart. His organisation
	// never ordered anything.
	Amir = kit.User{Username: "amir.khan@print-works.example", Password: "maple-harbor-5"}
	// Sam has an address, but none that is the default, and something in his cart.
	Sam = kit.User{Username: "sam.porter@print-works.example", Password: "birch-Ladder-83"}
	// Ines has a card, but none that is the default, and something in her cart.
	Ines = kit.User{Username: "ines.costa@print-works.example", Password: "birch-ladder-2"}
	// Viktor has all that an order needs, and something in his cart; his bank
	// declines every payment.
	Viktor = kit.User{Username: "viktor.lind@print-works.example", Password: "aspen-Bridge-19"}
	// Rosa has all that an order needs, and a second address to which not
	// everything in her cart can go.
	Rosa = kit.User{Username: "rosa.weber@print-works.example", Password: "aspen-bridge-6"}
	// Nora has all that an order needs, but something in her cart has sold out.
	Nora = kit.User{Username: "nora.hale@print-works.example", Password: "maple-Harbor-41"}
)

// Users are all users of the shop.
var Users = []kit.User{Jane, Amir, Sam, Ines, Viktor, Rosa, Nora}

// account is what the shop knows of a user. Site.mu guards it.
type account struct {
	Name           string
	Email          string
	Organisation   string
	Addresses      []address
	Cards          []card
	DefaultAddress string // id of an address, or ""
	DefaultCard    string // last four digits of a card, or ""
	Limit          Money  // orders above it wait for the approver; 0 for no limit
	Approver       string
	PurchaseOrder  string // the organisation's standing number for this buyer's orders, or ""
}

type address struct {
	ID, Recipient, Phone, Line1, Line2, City, State, ZIP string
}

// Country is where all addresses are: the shop delivers to one country.
func (a address) Country() string { return "United States" }

// String writes the address on one line.
func (a address) String() string {
	street := a.Line1
	if a.Line2 != "" {
		street += ", " + a.Line2
	}
	return fmt.Sprintf("%s, %s, %s, %s %s", a.Recipient, street, a.City, a.State, a.ZIP)
}

type card struct {
	Brand, LastFour, Expires string

	declined bool
}

// String names the card as the shop shows it.
func (c card) String() string { return c.Brand + " ending in " + c.LastFour }

// FirstName is how the shop greets the user.
func (a *account) FirstName() string {
	first, _, _ := strings.Cut(a.Name, " ")
	return first
}

// address finds one of the user's addresses.
func (a *account) address(id string) (address, bool) {
	i := slices.IndexFunc(a.Addresses, func(x address) bool { return x.ID == id })
	if i < 0 {
		return address{}, false
	}
	return a.Addresses[i], true
}

// card finds one of the user's cards.
func (a *account) card(lastFour string) (card, bool) {
	i := slices.IndexFunc(a.Cards, func(x card) bool { return x.LastFour == lastFour })
	if i < 0 {
		return card{}, false
	}
	return a.Cards[i], true
}

// ZIP is where goods are delivered to unless another postal code is given.
func (a *account) ZIP() string {
	if home, ok := a.address(a.DefaultAddress); ok {
		return home.ZIP
	}
	if len(a.Addresses) > 0 {
		return a.Addresses[0].ZIP
	}
	return "62704"
}

// newAccounts returns the users' accounts as they are when the shop starts.
func newAccounts() map[string]*account {
	const printWorks = "Orchard Print Works"
	works := address{"adr-51007", printWorks, "+1 503 555 0144", "88 Orchard Lane", "", "Portland", "OR", "97205"}
	all := []*account{
		{
			Name: "Jane Roe", Email: Jane.Username, Organisation: "Hillcrest Bakery",
			Addresses: []address{
				{"adr-88213", "Hillcrest Bakery", "+1 217 555 0190", "40 Mill Road", "", "Springfield", "IL", "62704"},
				{"adr-88301", "Hillcrest Bakery Downtown", "+1 312 555 0127", "215 Station Street", "Suite 4", "Chicago", "IL", "60611"},
				{"adr-90417", "Hillcrest Bakery North", "", "9 Harbor Lane", "", "Anchorage", "AK", "99501"},
			},
			Cards:          []card{{Brand: "Visa", LastFour: "4242", Expires: "08/29"}, {Brand: "Mastercard", LastFour: "5100", Expires: "01/28"}},
			DefaultAddress: "adr-88213", DefaultCard: "4242",
			Limit: 500_00, Approver: "Martin Holt", PurchaseOrder: "PO-2231",
		},
		{
			Name: "Amir Khan", Email: Amir.Username, Organisation: printWorks, Addresses: []address{works},
			Cards: []card{{Brand: "Mastercard", LastFour: "5454", Expires: "11/28"}}, DefaultAddress: works.ID, DefaultCard: "5454",
		},
		{
			Name: "Sam Porter", Email: Sam.Username, Organisation: printWorks, Addresses: []address{works},
			Cards: []card{{Brand: "Visa", LastFour: "1881", Expires: "03/28"}}, DefaultCard: "1881",
		},
		{
			Name: "Ines Costa", Email: Ines.Username, Organisation: printWorks, Addresses: []address{works},
			Cards: []card{{Brand: "Mastercard", LastFour: "2020", Expires: "09/28"}}, DefaultAddress: works.ID,
		},
		{
			Name: "Viktor Lind", Email: Viktor.Username, Organisation: printWorks, Addresses: []address{works},
			Cards: []card{{Brand: "Discover", LastFour: "1117", Expires: "06/27", declined: true}}, DefaultAddress: works.ID, DefaultCard: "1117",
		},
		{
			Name: "Rosa Weber", Email: Rosa.Username, Organisation: printWorks,
			Addresses: []address{
				works,
				{"adr-51032", printWorks + " Juneau", "+1 907 555 0110", "3 Glacier Street", "", "Juneau", "AK", "99801"},
			},
			Cards: []card{{Brand: "Visa", LastFour: "0077", Expires: "10/29"}}, DefaultAddress: works.ID, DefaultCard: "0077",
		},
		{
			Name: "Nora Hale", Email: Nora.Username, Organisation: printWorks, Addresses: []address{works},
			Cards: []card{{Brand: "Visa", LastFour: "3030", Expires: "02/30"}}, DefaultAddress: works.ID, DefaultCard: "3030",
		},
	}
	accounts := make(map[string]*account, len(all))
	for _, a := range all {
		accounts[a.Email] = a
	}
	return accounts
}

// account returns a copy of the user's account.
func (s *Site) account(user string) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := *s.accounts[user]
	return &a
}
