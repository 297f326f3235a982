package sandbox

import "slices"

// Limits of carts.
const (
	maxQuantity = 30
	maxLines    = 50
	maxCarts    = 2000
)

// CartLine is one product in a cart.
type CartLine struct {
	ASIN     string `json:"asin"`
	Title    string `json:"title"`
	Quantity int    `json:"quantity"`
	Price    Money  `json:"price"` // of one
}

// Sum is what the line costs.
func (l CartLine) Sum() Money { return l.Price * Money(l.Quantity) }

// addToCart puts a product into the owner's cart, and returns what stands
// against it, or "". Owner is a user, or a guest who has not signed in.
func (s *Shop) addToCart(owner string, p *Product, quantity int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cart, known := s.carts[owner]
	if !known && len(s.carts) >= maxCarts {
		return "Our carts are all taken. Please come back later."
	}
	if !p.Available {
		return unavailable
	}
	at := slices.IndexFunc(cart, func(l CartLine) bool { return l.ASIN == p.ASIN })
	switch {
	case at < 0 && len(cart) >= maxLines:
		return "Your cart is full. Remove something first."
	case at < 0:
		cart = append(cart, CartLine{ASIN: p.ASIN, Title: p.Title, Quantity: quantity, Price: p.Price()})
	case cart[at].Quantity+quantity > maxQuantity:
		return "You can order at most 30 of an item."
	default:
		cart[at].Quantity += quantity
	}
	s.carts[owner] = cart
	s.kit.Effect("cart")
	return ""
}

func (s *Shop) removeFromCart(owner, asin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carts[owner] = slices.DeleteFunc(s.carts[owner], func(l CartLine) bool { return l.ASIN == asin })
	if len(s.carts[owner]) == 0 {
		delete(s.carts, owner)
	}
	s.kit.Effect("cart")
}

// takeCart empties the owner's cart and returns what was in it.
func (s *Shop) takeCart(owner string) []CartLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	cart := s.carts[owner]
	delete(s.carts, owner)
	return cart
}

// putBack makes lines the owner's cart again.
func (s *Shop) putBack(owner string, cart []CartLine) {
	if len(cart) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carts[owner] = append(cart, s.carts[owner]...)
}

// adopt moves a guest's cart to the user who has just signed in. What does
// not fit any more is left behind.
func (s *Shop) adopt(guest, user string) {
	for _, l := range s.takeCart(guest) {
		s.addToCart(user, s.catalogue.byASIN[l.ASIN], l.Quantity)
	}
}

func (s *Shop) cart(owner string) []CartLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.carts[owner])
}

// count and subtotal sum a cart up.
func count(cart []CartLine) (n int) {
	for _, l := range cart {
		n += l.Quantity
	}
	return n
}

func subtotal(cart []CartLine) (m Money) {
	for _, l := range cart {
		m += l.Sum()
	}
	return m
}
