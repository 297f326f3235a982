package sandbox

import (
	"net/http"

	kit "integration.gateway/pkg/sandbox"
)

// quote is what the checkout shows: the cart at the prices of an address, and
// what the buyer can choose.
type quote struct {
	cartView

	Address       string       `json:"address"`   // id of the one that the prices are of
	Addresses     []addressRow `json:"addresses"` // to choose from
	Cards         []cardRow    `json:"cards"`
	PurchaseOrder string       `json:"purchaseOrder"`
	Approval      string       `json:"approval"` // that the order will wait for an approver, or ""
	Obstacle      string       `json:"obstacle"` // why the cart cannot be ordered, or ""
}

type addressRow struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

type cardRow struct {
	LastFour string `json:"lastFour"`
	Label    string `json:"label"`
	Chosen   bool   `json:"chosen"`
}

// getCheckout prices the cart for the address that the page has chosen, the
// default one at first.
func (s *Site) getCheckout(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	a := s.account(session.User())
	id := r.URL.Query().Get("address")
	if id == "" {
		id = a.DefaultAddress
	}
	to, known := a.address(id)
	if id != "" && !known {
		refuse(w, http.StatusNotFound, otherAddress)
		return
	}
	if !known {
		to.ZIP = a.ZIP()
	}
	kit.WriteJSON(w, http.StatusOK, s.quote(a, to))
}

func (s *Site) quote(a *account, to address) quote {
	q := quote{
		cartView: s.view(s.cart(a.Email), to.ZIP), Address: to.ID, PurchaseOrder: a.PurchaseOrder,
		Addresses: []addressRow{}, Cards: []cardRow{}, Obstacle: a.obstacle(),
	}
	for _, x := range a.Addresses {
		q.Addresses = append(q.Addresses, addressRow{x.ID, x.String()})
	}
	for _, c := range a.Cards {
		q.Cards = append(q.Cards, cardRow{c.LastFour, c.String() + ", expires " + c.Expires, c.LastFour == a.DefaultCard})
	}
	var total Money
	for _, l := range q.Lines {
		total += l.cents * Money(l.Quantity)
		if q.Obstacle == "" {
			q.Obstacle = l.Refusal
		}
	}
	if a.Limit > 0 && total > a.Limit {
		q.Approval = "Orders above " + a.Limit.String() + " wait for " + a.Approver + " to approve them."
	}
	return q
}

// checkOut orders what is in the cart, and empties it.
func (s *Site) checkOut(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	form, ok := decode[struct {
		Address       string `json:"address"`
		Card          string `json:"card"`
		PurchaseOrder string `json:"purchaseOrder"`
		Reference     string `json:"reference"`
	}](w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	user := session.User()
	order, refusal := s.place(s.accounts[user], wish{
		lines: s.carts[user], address: form.Address, card: form.Card,
		purchaseOrder: form.PurchaseOrder, reference: form.Reference,
	})
	if refusal == "" {
		delete(s.carts, user)
	}
	placed(w, order, refusal)
}

// buyNow orders one of an item at once, with the user's defaults. The cart
// stays as it is.
func (s *Site) buyNow(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	form, ok := decode[choice](w, r)
	if !ok {
		return
	}
	p := s.catalogue.byASIN[form.ASIN]
	if p == nil {
		refuse(w, http.StatusUnprocessableEntity, noSuchItem)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[session.User()]
	order, refusal := s.place(a, wish{
		lines:   []Line{{ASIN: p.ASIN, Title: p.Title, Quantity: 1}},
		address: a.DefaultAddress, card: a.DefaultCard, purchaseOrder: a.PurchaseOrder,
	})
	placed(w, order, refusal)
}

// placed tells the page where the order is, or why there is none.
func placed(w http.ResponseWriter, order Order, refusal string) {
	if refusal != "" {
		refuse(w, http.StatusConflict, refusal)
		return
	}
	kit.WriteJSON(w, http.StatusOK, map[string]string{"page": "/orders/" + order.ID + "/placed"})
}
