package sandbox

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html")

// frame is what every view is given: what stands around its own content.
type frame struct {
	Title       string
	Query       string // in the search box
	ZIP         string // where goods are delivered to
	Departments []department
	Account     *account // nil while signed out
	CartCount   int
	Content     any

	session *kit.Session
}

// Token returns a fresh anti-forgery token.
func (f *frame) Token() string { return f.session.Token() }

func (s *Site) newFrame(r *http.Request, session *kit.Session, title string, content any) *frame {
	f := &frame{Title: title, Query: r.URL.Query().Get("q"), Departments: departments, Content: content, session: session}
	if user := session.User(); user != "" {
		f.Account = s.account(user)
		f.ZIP = f.Account.ZIP()
		f.CartCount = s.view(s.cart(user), f.ZIP).Count
	}
	return f
}

func (s *Site) show(w http.ResponseWriter, status int, view string, f *frame) {
	views.Show(w, status, view, f)
}

// message shows a page that says one thing.
func (s *Site) message(w http.ResponseWriter, r *http.Request, session *kit.Session, status int, title, text string) {
	s.show(w, status, "message", s.newFrame(r, session, title, text))
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.message(w, r, session, http.StatusNotFound, "Page not found", "There is no such page in this shop.")
}

func (s *Site) showHome(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "home", s.newFrame(r, session, "Supplies for your organisation", nil))
}

// results is what the page of results shows.
type results struct {
	Source         string // of its items
	Refusal        string // why there are none, or ""
	Page           int
	Earlier, Later string // addresses of the pages before and after, or ""
}

func noZIP(zip string) string {
	return fmt.Sprintf("“%s” is no ZIP code. Enter five digits.", zip)
}

func (s *Site) showSearch(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	f := s.newFrame(r, session, "Results for “"+query.Get("q")+"”", nil)
	if query.Has("zip") {
		f.ZIP = query.Get("zip")
	}
	content := results{Page: max(1, number(query.Get("page")))}
	if !zipCode.MatchString(f.ZIP) {
		content.Refusal = noZIP(f.ZIP)
	}
	address := func(path string, page int) string {
		return path + "?" + url.Values{"q": {f.Query}, "zip": {f.ZIP}, "page": {strconv.Itoa(page)}}.Encode()
	}
	content.Source = address("/api/items", content.Page)
	if content.Page > 1 {
		content.Earlier = address("/search", content.Page-1)
	}
	if content.Page*searchPage < len(s.catalogue.search(f.Query)) {
		content.Later = address("/search", content.Page+1)
	}
	f.Content = content
	s.show(w, http.StatusOK, "search", f)
}

// productPage is what the page of a product shows.
type productPage struct {
	offer

	Department string
	InCart     int    // how many of it the cart holds
	LastOrder  *Order // the user's newest order of it, or nil
	Obstacle   string // why it cannot be bought at all, or ""
	Blocked    string // why it cannot be bought with one click, or ""
	Address    string // that it goes to then
	Payment    string // that it is paid with then
}

func (s *Site) showProduct(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	p := s.catalogue.byASIN[r.PathValue("asin")]
	if p == nil {
		s.message(w, r, session, http.StatusNotFound, "Item not found", "We do not carry an item of this number.")
		return
	}
	f := s.newFrame(r, session, p.Title, nil)
	content := productPage{offer: p.offer(f.ZIP), Department: p.Dept.Name, Blocked: f.Account.obstacle()}
	content.Obstacle = content.offer.Obstacle
	if content.Blocked == "" {
		to, _ := f.Account.address(f.Account.DefaultAddress)
		paidWith, _ := f.Account.card(f.Account.DefaultCard)
		content.Address, content.Payment = to.String(), paidWith.String()
	}
	for _, l := range s.cart(session.User()) {
		if l.ASIN == p.ASIN {
			content.InCart = l.Quantity
		}
	}
	if order, ok := s.lastOrder(session.User(), p.ASIN); ok {
		content.LastOrder = &order
	}
	f.Content = content
	s.show(w, http.StatusOK, "product", f)
}

func (s *Site) showBuyAgain(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "buy-again", s.newFrame(r, session, "Buy again", nil))
}

func (s *Site) showCart(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "cart", s.newFrame(r, session, "Your cart", nil))
}

func (s *Site) showCheckout(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "checkout", s.newFrame(r, session, "Checkout", nil))
}

// orderList is what the page of orders shows.
type orderList struct {
	Source string
	Span   Span
	Spans  []span
	Find   string
}

func (s *Site) showOrders(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	content := orderList{Span: Span(query.Get("span")), Spans: spans, Find: query.Get("find")}
	if content.Span == "" {
		content.Span = Month
	}
	content.Source = "/api/orders?" + url.Values{"span": {string(content.Span)}, "find": {content.Find}}.Encode()
	s.show(w, http.StatusOK, "orders", s.newFrame(r, session, "Orders", content))
}

// orderPage is what the page of one order shows.
type orderPage struct {
	Order

	JustPlaced bool
}

func (s *Site) showOrder(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.showOrderAs(w, r, session, "order")
}

func (s *Site) showInvoice(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.showOrderAs(w, r, session, "invoice")
}

func (s *Site) showOrderAs(w http.ResponseWriter, r *http.Request, session *kit.Session, view string) {
	order, ok := s.order(session.User(), r.PathValue("id"))
	if !ok || view == "invoice" && !order.Invoiced {
		s.notFound(w, r, session)
		return
	}
	content := orderPage{Order: order, JustPlaced: r.URL.Path == "/orders/"+order.ID+"/placed"}
	s.show(w, http.StatusOK, view, s.newFrame(r, session, "Order "+order.ID, content))
}

func (s *Site) showAccount(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "account", s.newFrame(r, session, "Your account", nil))
}

func (s *Site) showAddresses(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "addresses", s.newFrame(r, session, "Delivery addresses", nil))
}
