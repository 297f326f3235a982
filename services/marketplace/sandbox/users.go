package sandbox

import (
	"fmt"
	"slices"

	kit "integration.gateway/pkg/sandbox"
)

// The users of the shop. Each signs in with an e-mail address.
var (
	// Jane has a default address, a default payment method and a long
	// history of orders.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "maple-Harbor-41"}
	// Amir has a default address and a default payment method, and never
	// ordered anything.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "cedar-Window-27"} //nolint:gosec // a demonstration account
	// Sam has an address, but none that is the default.
	Sam = kit.User{Username: "sam.porter@example.com", Password: "birch-Ladder-83"}
	// Ines has a default address, but no payment method.
	Ines = kit.User{Username: "ines.costa@example.com", Password: "olive-Candle-56"} //nolint:gosec // a demonstration account
	// Viktor has both, but his bank declines every payment.
	Viktor = kit.User{Username: "viktor.lind@example.com", Password: "aspen-Bridge-19"}
)

// Users are all users of the shop.
var Users = []kit.User{Jane, Amir, Sam, Ines, Viktor}

// account is what the shop knows of a user. Shop.mu guards it.
type account struct {
	Name           string
	Email          string
	Addresses      []address
	Payments       []payment
	DefaultAddress string // id of an address, or ""
	DefaultPayment string // id of a payment method, or ""

	history []pastOrder
}

type address struct {
	ID, Name, Street, City, State, ZIP string
}

// String writes the address on one line.
func (a address) String() string {
	return fmt.Sprintf("%s, %s, %s, %s %s", a.Name, a.Street, a.City, a.State, a.ZIP)
}

type payment struct {
	ID, Brand, LastFour string
	declined            bool
}

// String names the payment method as the shop shows it.
func (p payment) String() string { return p.Brand + " ending in " + p.LastFour }

// pastOrder is an order from before the shop was started.
type pastOrder struct {
	daysAgo int
	titles  []string
}

// address returns the default address.
func (a *account) address() (address, bool) {
	i := slices.IndexFunc(a.Addresses, func(x address) bool { return x.ID == a.DefaultAddress })
	if i < 0 {
		return address{}, false
	}
	return a.Addresses[i], true
}

// payment returns the default payment method.
func (a *account) payment() (payment, bool) {
	i := slices.IndexFunc(a.Payments, func(x payment) bool { return x.ID == a.DefaultPayment })
	if i < 0 {
		return payment{}, false
	}
	return a.Payments[i], true
}

// newAccounts returns the users' accounts as they are when the shop starts.
func newAccounts() map[string]*account {
	all := []*account{
		{
			Name:  "Jane Roe",
			Email: Jane.Username,
			Addresses: []address{
				{"home", "Jane Roe", "12 Elm Street", "Springfield", "IL", "62704"},
				{"work", "Jane Roe", "400 Harbor Avenue, Floor 3", "Chicago", "IL", "60611"},
			},
			Payments:       []payment{{ID: "visa", Brand: "Visa", LastFour: "4242"}, {ID: "amex", Brand: "American Express", LastFour: "0005"}},
			DefaultAddress: "home",
			DefaultPayment: "visa",
			history: []pastOrder{
				{6, []string{"Whole milk, gallon", "Organic bananas, bunch of 5", "Free-range eggs, dozen"}},
				{13, []string{"Ceramic pour-over coffee dripper, size 01"}},
				{20, []string{"Whole bean coffee, medium roast, 2 lb"}},
				{34, []string{"Dot grid notebook A5, navy", "Gel pens 0.5 mm, pack of 12, black"}},
				{48, []string{"Whole bean coffee, medium roast, 2 lb", "Oat milk, barista, 6 x 32 oz"}},
				{61, []string{"Insulated water bottle, 24 oz"}},
				{75, []string{"Bread in Five Steps, paperback"}},
				{90, []string{"Whole bean coffee, medium roast, 2 lb"}},
				{118, []string{"Grain-free dry cat food, 12 lb", "Clumping cat litter, 28 lb"}},
				{147, []string{"Linen duvet cover, queen, natural"}},
				{180, []string{"LED light bulbs, pack of 4, soft white"}},
				{230, []string{"Cast iron skillet, 10.25 inch"}},
				{301, []string{"Braided USB-C cable, 6 ft", "USB-C charger, 65 W, 2 ports"}},
			},
		},
		{
			Name:           "Amir Khan",
			Email:          Amir.Username,
			Addresses:      []address{{"home", "Amir Khan", "88 Orchard Lane", "Portland", "OR", "97205"}},
			Payments:       []payment{{ID: "mastercard", Brand: "Mastercard", LastFour: "5100"}},
			DefaultAddress: "home",
			DefaultPayment: "mastercard",
		},
		{
			Name:           "Sam Porter",
			Email:          Sam.Username,
			Addresses:      []address{{"home", "Sam Porter", "7 Mill Road", "Burlington", "VT", "05401"}},
			Payments:       []payment{{ID: "visa", Brand: "Visa", LastFour: "1881"}},
			DefaultPayment: "visa",
			history:        []pastOrder{{52, []string{"Two-person backpacking tent, three season"}}},
		},
		{
			Name:           "Ines Costa",
			Email:          Ines.Username,
			Addresses:      []address{{"home", "Ines Costa", "31 Bay Street", "Providence", "RI", "02903"}},
			DefaultAddress: "home",
		},
		{
			Name:           "Viktor Lind",
			Email:          Viktor.Username,
			Addresses:      []address{{"home", "Viktor Lind", "5 Ridge Court", "Duluth", "MN", "55802"}},
			Payments:       []payment{{ID: "discover", Brand: "Discover", LastFour: "1117", declined: true}},
			DefaultAddress: "home",
			DefaultPayment: "discover",
		},
	}
	accounts := make(map[string]*account, len(all))
	for _, a := range all {
		accounts[a.Email] = a
	}
	return accounts
}
