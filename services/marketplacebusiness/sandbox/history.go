package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Span is how far back orders are listed, as the page of orders names it in its
// address.
type Span string

// The spans.
const (
	Month     Span = "30d"
	Quarter   Span = "3m"
	HalfYear  Span = "6m"
	Year      Span = "12m"
	Unlimited Span = "all"
)

// span is a choice of the page of orders.
type span struct {
	Value Span
	Label string
	since func(time.Time) time.Time
}

var spans = []span{
	{Month, "the last 30 days", func(t time.Time) time.Time { return t.AddDate(0, 0, -30) }},
	{Quarter, "the past 3 months", func(t time.Time) time.Time { return t.AddDate(0, -3, 0) }},
	{HalfYear, "the past 6 months", func(t time.Time) time.Time { return t.AddDate(0, -6, 0) }},
	{Year, "the past 12 months", func(t time.Time) time.Time { return t.AddDate(-1, 0, 0) }},
	{Unlimited, "all time", func(time.Time) time.Time { return time.Time{} }},
}

// OrdersOf returns the orders of the user's organisation in a span of time that
// ends today, newest first. Of a shop that has just been opened, these are the
// ones from before.
func (s *Site) OrdersOf(user string, length Span) []Order {
	i := slices.IndexFunc(spans, func(x span) bool { return x.Value == length })
	if i < 0 {
		return nil
	}
	first := spans[i].since(s.now().UTC()).Format(time.DateOnly)
	return slices.DeleteFunc(s.ordersOf(user), func(o Order) bool { return o.PlacedAt.Format(time.DateOnly) < first })
}

// find keeps the orders that a person may mean by a text: a number, a
// reference, or words of what was ordered.
func find(orders []Order, text string) []Order {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return orders
	}
	return slices.DeleteFunc(orders, func(o Order) bool {
		titled := slices.ContainsFunc(o.Lines, func(l Line) bool { return strings.Contains(strings.ToLower(l.Title), text) })
		return !titled && text != o.ID && !strings.EqualFold(text, o.PurchaseOrder) && !strings.Contains(strings.ToLower(o.Reference), text)
	})
}

// The past of Hillcrest Bakery.
const (
	pastOrders   = 48
	recentOrders = 14 // one every other day, the older ones every twelfth
)

// seedOrders writes out what was ordered before the shop was started, by
// organisation and newest first. It is no part of what happened here, so the
// state does not list it.
func (s *Site) seedOrders() map[string][]Order {
	dice := rand.New(rand.NewPCG(11, 7)) //nolint:gosec // the same past for every shop
	jane := *s.accounts[Jane.Username]
	colleague := jane
	colleague.Name, colleague.Email = jane.Approver, "martin.holt@example.com"
	var past []Order
	for i := range pastOrders {
		daysAgo := 2*i + 1
		if i >= recentOrders {
			daysAgo = 2*recentOrders + 12*(i-recentOrders) + 1 + dice.IntN(6)
		}
		buyer := &jane
		if dice.IntN(4) == 0 {
			buyer = &colleague
		}
		w := wish{
			lines: s.pastLines(dice), address: jane.Addresses[dice.IntN(2)].ID, card: "4242",
			purchaseOrder: fmt.Sprintf("PO-%d", 2230-i),
		}
		if dice.IntN(3) == 0 {
			w.purchaseOrder = ""
		}
		if i == 0 { // above the limit, and thus waiting
			desk := s.catalogue.byTitle["Desk, height adjustable, 60 cm"]
			buyer, w.lines = &jane, []Line{{ASIN: desk.ASIN, Title: desk.Title, Quantity: 2}}
		}
		order := s.newOrder(buyer, w, s.now().AddDate(0, 0, -daysAgo))
		settle(&order, i, dice)
		past = append(past, order)
	}
	return map[string][]Order{jane.Organisation: past}
}

// pastLines picks one to three products that a bakery may have bought.
func (s *Site) pastLines(dice *rand.Rand) []Line {
	var lines []Line
	for range 1 + dice.IntN(3) {
		p := s.catalogue.products[dice.IntN(len(s.catalogue.products))]
		if p.ListPrice > 200_00 || slices.ContainsFunc(lines, func(l Line) bool { return l.ASIN == p.ASIN }) {
			p = s.catalogue.byTitle["Copy paper A4, 80 g, 5 reams"]
		}
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.ASIN == p.ASIN }) {
			lines = append(lines, Line{ASIN: p.ASIN, Title: p.Title, Quantity: p.Minimum + dice.IntN(3)})
		}
	}
	return lines
}

// settle lets a past order have come as far as its age tells; n counts from the
// newest.
func settle(o *Order, n int, dice *rand.Rand) {
	switch {
	case n == 0:
		o.Status = Waiting
		return
	case n == 1:
		o.Status = Preparing
		return
	case n == 2:
		o.Status = PartlyShipped
	case n < 5:
		o.Status = Shipped
	case n%9 == 0:
		o.Status, o.Delivery = Cancelled, ""
		return
	case n%13 == 0:
		o.Status = Returned
	default:
		o.Status = Delivered
	}
	o.Tracking = fmt.Sprintf("BFX%012d", dice.Int64N(1_000_000_000_000))
	o.Invoiced = true
}

// purchase is a product that an organisation ordered before.
type purchase struct {
	product *product
	last    time.Time
	times   int
}

// purchases returns what the user's organisation ordered before, each product
// once, the last ordered first.
func (s *Site) purchases(user string) []*purchase {
	var list []*purchase
	byASIN := map[string]*purchase{}
	for _, o := range s.ordersOf(user) {
		for _, l := range o.Lines {
			if byASIN[l.ASIN] == nil {
				byASIN[l.ASIN] = &purchase{product: s.catalogue.byASIN[l.ASIN], last: o.PlacedAt}
				list = append(list, byASIN[l.ASIN])
			}
			byASIN[l.ASIN].times++
		}
	}
	return list
}
