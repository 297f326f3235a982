package sandbox

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// listing is a product that a seller offers.
type listing struct {
	Number string
	Title  string
	Price  money
	Stock  int
	Sold   int // in the last 30 days
}

// order is one that is to be shipped.
type order struct {
	Number   string
	Title    string
	Quantity int
	City     string
	Ordered  string // day
	ShipBy   string // day
}

// money is an amount in US cents.
type money int

// String writes the amount as a US shop does.
func (m money) String() string { return fmt.Sprintf("$%d.%02d", m/100, m%100) }

// day is how the site writes dates.
const day = "2 Jan 2006"

var titles = []string{
	"Beeswax candle, 8 inch", "Beeswax candle, 12 inch", "Linen tea towel, striped", "Linen tea towel, plain", "Oak serving board, small",
	"Oak serving board, large", "Stoneware mug, speckled", "Stoneware bowl, speckled", "Wool throw, moss", "Wool throw, clay",
	"Brass candle snuffer", "Olive wood spoon", "Cotton apron, indigo", "Cast iron trivet", "Glass storage jar, 1 l", "Glass storage jar, 2 l",
}

var cities = []string{"Springfield, IL", "Portland, OR", "Burlington, VT", "Duluth, MN", "Providence, RI", "Boise, ID", "Macon, GA"}

// listingsOf returns what a seller offers: the same at each call.
func listingsOf(user string) []listing {
	if user != Jane.Username {
		return nil
	}
	dice := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // the same listings for every stand-in
	var all []listing
	for i, title := range titles {
		all = append(all, listing{
			Number: fmt.Sprintf("ML-%05d", 20417+i*83), Title: title,
			Price: money(900 + dice.IntN(60)*100 + 99), Stock: dice.IntN(140), Sold: dice.IntN(90),
		})
	}
	return all
}

// ordersOf returns what a seller has to ship, the most urgent first.
func ordersOf(user string, now time.Time) []order {
	dice := rand.New(rand.NewPCG(8, 13)) //nolint:gosec // the same orders for every stand-in
	var all []order
	for i, l := range listingsOf(user) {
		if i%3 == 2 {
			continue
		}
		ordered := now.AddDate(0, 0, i/4-3)
		all = append(all, order{
			Number: fmt.Sprintf("MS-%06d", 704_118+i*1_309), Title: l.Title, Quantity: 1 + dice.IntN(3), City: cities[dice.IntN(len(cities))],
			Ordered: ordered.Format(day), ShipBy: ordered.AddDate(0, 0, 4).Format(day),
		})
	}
	return all
}

// figures sum up how a seller does.
type figures struct {
	Revenue  money // of the last 30 days
	Sold     int
	Listings int
	ToShip   int
	Low      []listing // of which little is left
}

func figuresOf(user string, now time.Time) figures {
	f := figures{ToShip: len(ordersOf(user, now))}
	for _, l := range listingsOf(user) {
		f.Listings++
		f.Sold += l.Sold
		f.Revenue += l.Price * money(l.Sold)
		if l.Stock < 20 {
			f.Low = append(f.Low, l)
		}
	}
	return f
}
