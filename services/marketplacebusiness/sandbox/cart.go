package sandbox

import (
	"fmt"
	"net/http"
	"slices"

	kit "integration.gateway/pkg/sandbox"
)

// Limits of carts.
const (
	maxQuantity = 999
	maxLines    = 50
)

// Why the cart stays as it is, in the words that the customer reads.
const (
	noSuchItem  = "Choose an item and a quantity from 1 to 999."
	fullCart    = "Your cart is full. Remove something first."
	tooManyOfIt = "You can order at most 999 of an item."
)

// seedCarts fills the carts that are not empty when the shop starts.
func (s *Site) seedCarts() map[string][]Line {
	line := func(title string, quantity int) Line {
		p := s.catalogue.byTitle[title]
		return Line{ASIN: p.ASIN, Title: p.Title, Quantity: quantity, Price: p.ListPrice}
	}
	paper := func() []Line { return []Line{line("Copy paper A4, 80 g, 5 reams", 2)} }
	gone := s.catalogue.products[slices.IndexFunc(s.catalogue.products, func(p *product) bool { return p.soldOut && p.Minimum == 1 })]
	return map[string][]Line{
		Sam.Username: paper(), Ines.Username: paper(), Viktor.Username: paper(),
		Rosa.Username: append(paper(), line(hazardousTitle, 1)),
		Nora.Username: append(paper(), line(gone.Title, 1)),
	}
}

// hazardousTitle is a product that does not go to Alaska and Hawaii.
const hazardousTitle = "Oven cleaner spray, pack of 10"

// cartLine is a line of a cart as its page shows it.
type cartLine struct {
	offer

	Quantity int    `json:"quantity"`
	Sum      string `json:"sum"`
	Refusal  string `json:"refusal"` // why it cannot be ordered, or ""
}

// cartView is a cart as its page shows it: with the prices of a place of
// delivery.
type cartView struct {
	Lines    []cartLine `json:"lines"`
	Count    int        `json:"count"`
	Subtotal string     `json:"subtotal"`
}

// view prices a cart for a postal code. What cannot be had there adds nothing
// to the subtotal.
func (s *Site) view(lines []Line, zip string) cartView {
	v := cartView{Lines: []cartLine{}}
	var subtotal Money
	for _, l := range lines {
		p := s.catalogue.byASIN[l.ASIN]
		shown := cartLine{offer: p.offer(zip), Quantity: l.Quantity, Refusal: p.refusal(l.Quantity, zip)}
		v.Count += l.Quantity
		if shown.Refusal == "" {
			sum := shown.cents * Money(l.Quantity)
			shown.Sum = sum.String()
			subtotal += sum
		}
		v.Lines = append(v.Lines, shown)
	}
	v.Subtotal = subtotal.String()
	return v
}

// cart returns a copy of the user's cart.
func (s *Site) cart(user string) []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.carts[user])
}

func (s *Site) getCart(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	user := session.User()
	kit.WriteJSON(w, http.StatusOK, s.view(s.cart(user), s.account(user).ZIP()))
}

// choice is an item that a page asks for.
type choice struct {
	ASIN     string `json:"asin"`
	Quantity int    `json:"quantity"`
}

// addToCart puts an item into the cart, and answers what the page tells then.
func (s *Site) addToCart(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	wanted, ok := decode[choice](w, r)
	if !ok {
		return
	}
	user := session.User()
	p := s.catalogue.byASIN[wanted.ASIN]
	if p == nil || wanted.Quantity < 1 || wanted.Quantity > maxQuantity {
		refuse(w, http.StatusUnprocessableEntity, noSuchItem)
		return
	}
	zip := s.account(user).ZIP()
	if refusal := s.putIn(user, p, wanted.Quantity, zip); refusal != "" {
		refuse(w, http.StatusConflict, refusal)
		return
	}
	v := s.view(s.cart(user), zip)
	kit.WriteJSON(w, http.StatusOK, map[string]any{
		"added": p.offer(zip), "quantity": wanted.Quantity, "count": v.Count, "subtotal": v.Subtotal,
	})
}

// putIn adds to the user's cart, and returns what stands against it, or "".
func (s *Site) putIn(user string, p *product, quantity int, zip string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cart := slices.Clone(s.carts[user])
	at := slices.IndexFunc(cart, func(l Line) bool { return l.ASIN == p.ASIN })
	if at < 0 {
		at, cart = len(cart), append(cart, Line{ASIN: p.ASIN, Title: p.Title, Price: p.ListPrice})
	}
	cart[at].Quantity += quantity
	switch refusal := p.refusal(cart[at].Quantity, zip); {
	case refusal != "":
		return refusal
	case len(cart) > maxLines:
		return fullCart
	case cart[at].Quantity > maxQuantity:
		return tooManyOfIt
	}
	s.carts[user] = cart
	s.Effect("cart")
	return ""
}

// changeCart sets how many of an item the cart holds; 0 removes it.
func (s *Site) changeCart(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	wanted, ok := decode[choice](w, r)
	if !ok {
		return
	}
	if wanted.Quantity < 0 || wanted.Quantity > maxQuantity {
		refuse(w, http.StatusUnprocessableEntity, noSuchItem)
		return
	}
	if !s.setQuantity(session.User(), wanted) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("%s is not in your cart.", wanted.ASIN))
		return
	}
	s.getCart(w, r, session)
}

func (s *Site) setQuantity(user string, wanted choice) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	cart := slices.Clone(s.carts[user])
	at := slices.IndexFunc(cart, func(l Line) bool { return l.ASIN == wanted.ASIN })
	if at < 0 {
		return false
	}
	cart[at].Quantity = wanted.Quantity
	s.carts[user] = slices.DeleteFunc(cart, func(l Line) bool { return l.Quantity == 0 })
	s.Effect("cart")
	return true
}
