package sandbox

import (
	"net/http"
	"net/url"
	"strconv"

	kit "integration.gateway/pkg/sandbox"
)

// cartPage is what the page of the cart shows.
type cartPage struct {
	Lines    []CartLine
	Added    *Product // what was just put into it, or nil
	Quantity int      // how many of that
	Refusal  string   // why the last change or order was refused, or ""
}

// Count and Subtotal sum the cart up.
func (c cartPage) Count() int      { return count(c.Lines) }
func (c cartPage) Subtotal() Money { return subtotal(c.Lines) }

func (s *Shop) showCart(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var content cartPage
	if n, ok := quantity(query.Get("quantity")); ok {
		content.Added, content.Quantity = s.catalogue.byASIN[query.Get("added")], n
	}
	s.cartPage(w, r, http.StatusOK, content)
}

func (s *Shop) cartPage(w http.ResponseWriter, r *http.Request, status int, content cartPage) {
	content.Lines = s.cart(owner(s.kit.Session(w, r)))
	s.show(w, status, "cart", s.newPage(w, r, "Shopping cart", content))
}

func (s *Shop) postCart(w http.ResponseWriter, r *http.Request) {
	product := s.catalogue.byASIN[r.PostFormValue("asin")]
	n, ok := quantity(r.PostFormValue("quantity"))
	if product == nil || !ok {
		s.message(w, r, http.StatusBadRequest, "Shopping cart", "Choose a product and a quantity from 1 to 30.")
		return
	}
	if refusal := s.addToCart(owner(s.kit.Session(w, r)), product, n); refusal != "" {
		s.cartPage(w, r, http.StatusConflict, cartPage{Refusal: refusal})
		return
	}
	query := url.Values{"added": {product.ASIN}, "quantity": {strconv.Itoa(n)}}
	http.Redirect(w, r, "/cart?"+query.Encode(), http.StatusSeeOther)
}

// quantity reads how many are wanted; nothing given is one.
func quantity(text string) (n int, ok bool) {
	if text == "" {
		return 1, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= maxQuantity
}

func (s *Shop) postRemove(w http.ResponseWriter, r *http.Request) {
	s.removeFromCart(owner(s.kit.Session(w, r)), r.PostFormValue("asin"))
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

// postBuyNow orders one of a product at once.
func (s *Shop) postBuyNow(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	product := s.catalogue.byASIN[r.PostFormValue("asin")]
	if product == nil {
		s.message(w, r, http.StatusBadRequest, "Buy now", "Choose a product first.")
		return
	}
	order, refusal := s.place(session.User(), []OrderLine{orderLine(product, 1)})
	if refusal != "" {
		s.showProduct(w, r, product.ASIN, refusal)
		return
	}
	http.Redirect(w, r, "/orders/"+order.ID+"/thank-you", http.StatusSeeOther)
}

// postCheckout orders what is in the cart.
func (s *Shop) postCheckout(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	cart := s.takeCart(session.User())
	var lines []OrderLine
	for _, l := range cart {
		lines = append(lines, OrderLine(l))
	}
	order, refusal := s.place(session.User(), lines)
	if refusal != "" {
		s.putBack(session.User(), cart)
		s.cartPage(w, r, http.StatusConflict, cartPage{Refusal: refusal})
		return
	}
	http.Redirect(w, r, "/orders/"+order.ID+"/thank-you", http.StatusSeeOther)
}

// ordersPerPage is how many orders a page of the history shows.
const ordersPerPage = 10

// history is one page of the user's orders.
type history struct {
	Orders []Order
	Total  int
	Older  int // number of the page with older ones, or 0
	Newer  int
}

func (s *Shop) showOrders(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	all := s.ordersOf(session.User())
	number := 1
	if text := r.URL.Query().Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || (n-1)*ordersPerPage >= max(1, len(all)) {
			s.notFound(w, r)
			return
		}
		number = n
	}
	first := (number - 1) * ordersPerPage
	last := min(first+ordersPerPage, len(all))
	content := history{Orders: all[first:last], Total: len(all), Newer: number - 1}
	if last < len(all) {
		content.Older = number + 1
	}
	s.show(w, http.StatusOK, "orders", s.newPage(w, r, "Your orders", content))
}

// orderPage is what the page of one order shows.
type orderPage struct {
	Order
	JustPlaced bool
}

func (s *Shop) showOrder(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	order, ok := s.order(session.User(), r.PathValue("id"))
	if !ok {
		s.notFound(w, r)
		return
	}
	content := orderPage{Order: order, JustPlaced: r.URL.Path != "/orders/"+order.ID}
	title := "Order " + order.ID
	if content.JustPlaced {
		title = "Thank you"
	}
	s.show(w, http.StatusOK, "order", s.newPage(w, r, title, content))
}

func (s *Shop) showBuyAgain(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "buy-again", s.newPage(w, r, "Buy it again", s.purchases(session.User())))
}
