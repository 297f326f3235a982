package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// Order is an order as the shop keeps it.
type Order struct {
	ID       string      `json:"orderId"`
	User     string      `json:"user"`
	Lines    []OrderLine `json:"lines"`
	Shipping Money       `json:"shipping"`
	Total    Money       `json:"total"`
	Address  string      `json:"address"`
	Payment  string      `json:"payment"`
	PlacedAt time.Time   `json:"placedAt"`
	Delivery string      `json:"delivery"` // expected day, as 2006-01-02
}

// OrderLine is one product of an order.
type OrderLine struct {
	ASIN     string `json:"asin"`
	Title    string `json:"title"`
	Quantity int    `json:"quantity"`
	Price    Money  `json:"price"` // of one
}

// Refusal is an order that the shop refused.
type Refusal struct {
	User   string `json:"user"`
	ASIN   string `json:"asin,omitempty"`
	Reason string `json:"reason"`
}

// DeliveryDay is the expected day of delivery as the pages write it.
func (o Order) DeliveryDay() string {
	day, err := time.Parse(time.DateOnly, o.Delivery)
	if err != nil {
		return o.Delivery
	}
	return day.Format("Monday, January 2")
}

// Why an order is refused, in the words that the customer reads.
const (
	noAddress   = "You have no default delivery address. Choose one in your account to order with Buy now."
	noPayment   = "You have no default payment method. Add one in your account to order with Buy now."
	declined    = "Your bank declined the payment. Nothing was ordered."
	unavailable = "Currently unavailable. We don't know when or if this item will be back in stock."
	emptyCart   = "Your cart is empty."
	tooMany     = "We cannot take more orders today. Nothing was ordered."
)

// Limits and terms of the shop.
const (
	maxOrders         = 10_000
	shippingFee       = Money(499)
	freeShippingFrom  = Money(3500)
	deliveryDays      = 4
	groceryDeliveries = 1 // days
)

// obstacle is why the account cannot order with one click, or "".
func (a *account) obstacle() string {
	if _, ok := a.address(); !ok {
		return noAddress
	}
	if _, ok := a.payment(); !ok {
		return noPayment
	}
	return ""
}

// place orders the lines at once, to the user's defaults, or returns why not.
func (s *Shop) place(user string, lines []OrderLine) (Order, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[user]
	refusal := a.obstacle()
	payment, _ := a.payment()
	switch {
	case refusal != "":
	case len(lines) == 0:
		refusal = emptyCart
	case payment.declined:
		refusal = declined
	case len(s.orders) >= maxOrders:
		refusal = tooMany
	}
	for _, l := range lines {
		if refusal == "" && !s.catalogue.byASIN[l.ASIN].Available {
			refusal = unavailable
		}
	}
	if refusal != "" {
		s.refuse(user, lines, refusal)
		return Order{}, refusal
	}
	order := s.newOrder(a, lines, s.now())
	s.orders = append(s.orders, order)
	s.kit.Effect("order")
	return order, ""
}

// refuse remembers a refusal. The caller holds s.mu.
func (s *Shop) refuse(user string, lines []OrderLine, reason string) {
	refusal := Refusal{User: user, Reason: reason}
	if len(lines) > 0 {
		refusal.ASIN = lines[0].ASIN
	}
	if len(s.refusals) < maxOrders {
		s.refusals = append(s.refusals, refusal)
	}
}

// newOrder writes an order out. The caller holds s.mu.
func (s *Shop) newOrder(a *account, lines []OrderLine, at time.Time) Order {
	s.numbered++
	address, _ := a.address()
	payment, _ := a.payment()
	order := Order{
		ID:       orderNumber(s.numbered, at),
		User:     a.Email,
		Lines:    lines,
		Address:  address.String(),
		Payment:  payment.String(),
		PlacedAt: at.UTC().Truncate(time.Second),
	}
	days := groceryDeliveries
	for _, l := range lines {
		order.Total += l.Price * Money(l.Quantity)
		if !s.catalogue.byASIN[l.ASIN].Dept.Grocery {
			days = deliveryDays
		}
	}
	if order.Total < freeShippingFrom {
		order.Shipping = shippingFee
	}
	order.Total += order.Shipping
	order.Delivery = at.UTC().AddDate(0, 0, days).Format(time.DateOnly)
	return order
}

// orderNumber is unique within one shop, and looks as if it came from a
// larger one: 7919 has no factor in common with ten million, so that no two
// counts meet.
func orderNumber(n int, at time.Time) string {
	return fmt.Sprintf("114-%07d-%07d", at.Unix()%10_000_000, (n*7919+1_234_567)%10_000_000)
}

// ordersOf returns the user's orders, newest first.
func (s *Shop) ordersOf(user string) []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	var mine []Order
	for _, o := range slices.Backward(s.orders) {
		if o.User == user {
			mine = append(mine, o)
		}
	}
	return append(mine, s.past[user]...)
}

// order finds one order of the user.
func (s *Shop) order(user, id string) (Order, bool) {
	for _, o := range s.ordersOf(user) {
		if o.ID == id {
			return o, true
		}
	}
	return Order{}, false
}

// seedPast writes the users' histories out, newest first. They are no part of
// what happened here, so the state does not list them.
func (s *Shop) seedPast() {
	byTitle := make(map[string]*Product, len(s.catalogue.products))
	for _, p := range s.catalogue.products {
		byTitle[p.Title] = p
	}
	for _, user := range Users {
		a := s.accounts[user.Username]
		for _, past := range a.history {
			var lines []OrderLine
			for _, title := range past.titles {
				lines = append(lines, orderLine(byTitle[title], 1))
			}
			at := s.now().AddDate(0, 0, -past.daysAgo)
			s.past[a.Email] = append(s.past[a.Email], s.newOrder(a, lines, at))
		}
	}
}

func orderLine(p *Product, quantity int) OrderLine {
	return OrderLine{ASIN: p.ASIN, Title: p.Title, Quantity: quantity, Price: p.Price()}
}

// purchase is a product that the user ordered before.
type purchase struct {
	Product *Product
	Order   string    // number of the newest order of it
	Last    time.Time // when that was
	Times   int       // how many orders of it
}

// purchases returns what the user ordered before, each product once, the
// last ordered first.
func (s *Shop) purchases(user string) []*purchase {
	var list []*purchase
	byASIN := map[string]*purchase{}
	for _, o := range s.ordersOf(user) {
		for _, l := range o.Lines {
			if byASIN[l.ASIN] == nil {
				byASIN[l.ASIN] = &purchase{Product: s.catalogue.byASIN[l.ASIN], Order: o.ID, Last: o.PlacedAt}
				list = append(list, byASIN[l.ASIN])
			}
			byASIN[l.ASIN].Times++
		}
	}
	return list
}
