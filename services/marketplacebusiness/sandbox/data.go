package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	kit "integration.gateway/pkg/sandbox"
)

// How many rows come at a time while a page is scrolled, and how many results a
// page of a search has.
const (
	itemBatch  = 16
	searchPage = 48
	orderBatch = 10
)

// data lets only requests of a signed-in user pass to what the pages' scripts
// ask for; others are answered 401.
func (s *Site) data(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "Sign in first.")
	})
}

// refuse answers a script that something is not done.
func refuse(w http.ResponseWriter, status int, reason string) {
	kit.WriteJSON(w, status, map[string]string{"error": reason})
}

func decode[T any](w http.ResponseWriter, r *http.Request) (value T, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&value); err != nil {
		refuse(w, http.StatusBadRequest, "This request cannot be read.")
		return value, false
	}
	return value, true
}

// batch is a part of a list, and where the next one is.
type batch[Row any] struct {
	Rows  []Row  `json:"rows"`
	Total int    `json:"total"`
	Next  string `json:"next"` // "" at the end
}

// cut takes a batch out of the rows from a number on. The next one is asked for
// at the same address with another number.
func cut[Row any](r *http.Request, rows []Row, size int) batch[Row] {
	query := r.URL.Query()
	from, err := strconv.Atoi(query.Get("from"))
	if err != nil || from < 0 {
		from = 0
	}
	from = min(from, len(rows))
	to := min(from+size, len(rows))
	b := batch[Row]{Rows: append([]Row{}, rows[from:to]...), Total: len(rows)}
	if to < len(rows) {
		query.Set("from", strconv.Itoa(to))
		b.Next = (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	return b
}

// listItems answers a part of a page of results.
func (s *Site) listItems(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	query := r.URL.Query()
	zip := query.Get("zip")
	if !zipCode.MatchString(zip) {
		refuse(w, http.StatusUnprocessableEntity, noZIP(zip))
		return
	}
	found := s.catalogue.search(query.Get("q"))
	page := max(1, number(query.Get("page")))
	first := min((page-1)*searchPage, len(found))
	var rows []offer
	for _, p := range found[first:min(first+searchPage, len(found))] {
		rows = append(rows, p.offer(zip))
	}
	kit.WriteJSON(w, http.StatusOK, cut(r, rows, itemBatch))
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 10_000 {
		return 0
	}
	return n
}

func (s *Site) listBuyAgain(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	zip := s.account(session.User()).ZIP()
	var rows []offer
	for _, p := range s.purchases(session.User()) {
		o := p.product.offer(zip)
		o.Note = fmt.Sprintf("Last ordered %s, %d times in all", p.last.Format(dayForm), p.times)
		rows = append(rows, o)
	}
	kit.WriteJSON(w, http.StatusOK, cut(r, rows, itemBatch))
}

// orderRow is an order as the list of orders shows it.
type orderRow struct {
	Order

	Day      string    `json:"day"`
	Arrives  string    `json:"arrives"`
	Sum      string    `json:"sum"`
	Contents []rowLine `json:"contents"`
}

type rowLine struct {
	Line

	Each string `json:"each"` // price of one
}

// listOrders answers a part of the organisation's orders. The parts are counted
// from an order, not from the top: one that is placed meanwhile shifts nothing.
func (s *Site) listOrders(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	orders := find(s.OrdersOf(session.User(), Span(query.Get("span"))), query.Get("find"))
	b := batch[orderRow]{Rows: []orderRow{}, Total: len(orders)}
	if after := query.Get("after"); after != "" {
		orders = orders[slices.IndexFunc(orders, func(o Order) bool { return o.ID == after })+1:]
	}
	for _, o := range orders[:min(orderBatch, len(orders))] {
		row := orderRow{Order: o, Day: o.Placed(), Arrives: o.DeliveryDay(), Sum: o.Total.String()}
		for _, l := range o.Lines {
			row.Contents = append(row.Contents, rowLine{l, l.Price.String()})
		}
		b.Rows = append(b.Rows, row)
	}
	if len(orders) > orderBatch {
		query.Set("after", orders[orderBatch-1].ID)
		b.Next = (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	kit.WriteJSON(w, http.StatusOK, b)
}
