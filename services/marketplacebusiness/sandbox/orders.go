package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Line is an item of a cart or of an order.
type Line struct {
	ASIN     string `json:"asin"`
	Title    string `json:"title"`
	Quantity int    `json:"quantity"`
	Price    Money  `json:"price"` // of one; of a line of a cart the list price
}

// Order is an order as the shop keeps it.
type Order struct {
	ID            string    `json:"orderId"`
	User          string    `json:"user"`
	Buyer         string    `json:"buyer"`
	Recipient     string    `json:"recipient"`
	Lines         []Line    `json:"lines"`
	Total         Money     `json:"total"`
	Address       string    `json:"address"`
	Payment       string    `json:"payment"`
	PurchaseOrder string    `json:"purchaseOrder"`
	Reference     string    `json:"reference"` // what the buyer wrote at checkout
	Status        string    `json:"status"`
	PlacedAt      time.Time `json:"placedAt"`
	Delivery      string    `json:"delivery"` // day, as 2006-01-02; expected or past
	Tracking      string    `json:"tracking"` // the carrier's number, once it is on its way
	Invoiced      bool      `json:"invoiced"`
}

// The words in which the shop tells how far an order has come.
const (
	Waiting       = "Waiting for approval"
	Preparing     = "Being prepared"
	PartlyShipped = "Partly shipped"
	Shipped       = "Shipped"
	Delivered     = "Delivered"
	Cancelled     = "Cancelled"
	Returned      = "Returned"
)

// AwaitsApproval says whether an approver must release the order first.
func (o Order) AwaitsApproval() bool { return o.Status == Waiting }

// Placed is the day of the order as the pages write it.
func (o Order) Placed() string { return o.PlacedAt.Format(dayForm) }

// DeliveryDay is the day of delivery as the pages write it.
func (o Order) DeliveryDay() string {
	day, err := time.Parse(time.DateOnly, o.Delivery)
	if err != nil {
		return o.Delivery
	}
	return day.Format(dayForm)
}

// dayForm is how the shop writes dates.
const dayForm = "Jan 2, 2006"

// Refusal is an order that the shop refused.
type Refusal struct {
	User   string `json:"user"`
	Reason string `json:"reason"`
}

// Why an order is refused, in the words that the customer reads.
const (
	noAddress    = "You have no default delivery address. Choose one in your account before you order."
	noCard       = "You have no default payment method. Choose one in your account before you order."
	otherAddress = "This is not one of your delivery addresses."
	otherCard    = "This is not one of your cards."
	declined     = "Your bank declined the payment. Nothing was ordered."
	emptyCart    = "Your cart is empty."
	tooMany      = "We cannot take more orders today. Nothing was ordered."
	longText     = "A reference or purchase order number has at most 64 characters."
)

// Limits and terms of the shop.
const (
	maxOrders    = 10_000
	maxReference = 64
	deliveryDays = 3
)

// wish is what a buyer wants to order.
type wish struct {
	lines         []Line
	address       string // id
	card          string // last four digits
	purchaseOrder string
	reference     string
}

// obstacle is why the account cannot order at all, or "".
func (a *account) obstacle() string {
	switch {
	case a.DefaultAddress == "":
		return noAddress
	case a.DefaultCard == "":
		return noCard
	}
	return ""
}

// place orders what is wished for, or returns why not. The caller holds s.mu.
func (s *Site) place(a *account, w wish) (Order, string) {
	refusal := s.refusalOf(a, w)
	if refusal != "" {
		if len(s.refusals) < maxOrders {
			s.refusals = append(s.refusals, Refusal{User: a.Email, Reason: refusal})
		}
		return Order{}, refusal
	}
	order := s.newOrder(a, w, s.now())
	order.Status = Preparing
	if a.Limit > 0 && order.Total > a.Limit {
		order.Status = Waiting
	}
	s.orders = append(s.orders, order)
	s.Effect("order")
	return order, ""
}

func (s *Site) refusalOf(a *account, w wish) string {
	to, known := a.address(w.address)
	paidWith, stored := a.card(w.card)
	switch {
	case a.obstacle() != "":
		return a.obstacle()
	case len(w.lines) == 0:
		return emptyCart
	case !known:
		return otherAddress
	case !stored:
		return otherCard
	case len(w.reference) > maxReference || len(w.purchaseOrder) > maxReference:
		return longText
	case len(s.orders) >= maxOrders:
		return tooMany
	}
	for _, l := range w.lines {
		if refusal := s.catalogue.byASIN[l.ASIN].refusal(l.Quantity, to.ZIP); refusal != "" {
			return refusal
		}
	}
	if paidWith.declined {
		return declined
	}
	return ""
}

// newOrder writes an order out. The caller holds s.mu.
func (s *Site) newOrder(a *account, w wish, at time.Time) Order {
	s.numbered++
	to, _ := a.address(w.address)
	paidWith, _ := a.card(w.card)
	order := Order{
		ID: orderNumber(s.numbered), User: a.Email, Buyer: a.Name, Recipient: to.Recipient,
		Address: to.String(), Payment: paidWith.String(),
		PurchaseOrder: strings.TrimSpace(w.purchaseOrder), Reference: strings.TrimSpace(w.reference),
		PlacedAt: at.UTC().Truncate(time.Second),
		Delivery: at.UTC().AddDate(0, 0, deliveryDays).Format(time.DateOnly),
	}
	for _, l := range w.lines {
		l.Price = s.catalogue.byASIN[l.ASIN].offer(to.ZIP).cents
		order.Lines = append(order.Lines, l)
		order.Total += l.Price * Money(l.Quantity)
	}
	return order
}

// orderNumber is unique within one shop, and looks as if it came from a larger
// one: 7919 has no factor in common with ten million, so that no two counts
// meet.
func orderNumber(n int) string {
	return fmt.Sprintf("302-%07d-%07d", (n*104_729+5_550_123)%10_000_000, (n*7919+1_234_567)%10_000_000)
}

// ordersOf returns the orders of the user's organisation, newest first.
func (s *Site) ordersOf(user string) []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	organisation := s.accounts[user].Organisation
	var all []Order
	for _, o := range slices.Backward(s.orders) {
		if s.accounts[o.User].Organisation == organisation {
			all = append(all, o)
		}
	}
	return append(all, s.past[organisation]...)
}

// order finds an order of the user's organisation.
func (s *Site) order(user, id string) (Order, bool) {
	all := s.ordersOf(user)
	i := slices.IndexFunc(all, func(o Order) bool { return o.ID == id })
	if i < 0 {
		return Order{}, false
	}
	return all[i], true
}

// lastOrder finds the user's own newest order of a product.
func (s *Site) lastOrder(user, asin string) (Order, bool) {
	for _, o := range s.ordersOf(user) {
		if o.User == user && slices.ContainsFunc(o.Lines, func(l Line) bool { return l.ASIN == asin }) {
			return o, true
		}
	}
	return Order{}, false
}
