package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// listing is one page of a table's rows.
type listing[R any] struct {
	Rows    []R
	Total   int
	Number  int // of the page, from 1
	PerPage int
	Filters url.Values

	path string
}

// The numbers of rows on a page.
const (
	usualRows = 50
	mostRows  = 200
)

// list cuts the page that a request asks for out of all rows that fit. Past the
// end there are none.
func list[R any](r *http.Request, fitting []R) listing[R] {
	query := r.URL.Query()
	l := listing[R]{Total: len(fitting), Filters: query, path: r.URL.Path}
	l.Number = max(1, atoi(query.Get("page")))
	if l.PerPage = atoi(query.Get("rows")); l.PerPage < 1 || l.PerPage > mostRows {
		l.PerPage = usualRows
	}
	from := min((l.Number-1)*l.PerPage, len(fitting))
	l.Rows = fitting[from:min(from+l.PerPage, len(fitting))]
	return l
}

// atoi reads a number of a page or of rows; what is none counts as not given.
func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n > 1_000_000 {
		return 0
	}
	return n
}

// Filter is what a filter of the list is set to.
func (l listing[R]) Filter(name string) string { return l.Filters.Get(name) }

// Choices are the usual numbers of rows.
func (listing[R]) Choices() []string { return []string{"25", "50", "100", "200"} }

// Range tells which rows are shown.
func (l listing[R]) Range() string {
	if len(l.Rows) == 0 {
		return "None"
	}
	first := (l.Number-1)*l.PerPage + 1
	return fmt.Sprintf("%s–%s", thousands(first), thousands(first+len(l.Rows)-1))
}

// All is how many rows there are on all pages.
func (l listing[R]) All() string { return thousands(l.Total) }

// Previous and Next are the addresses of the pages beside this one, or "".
func (l listing[R]) Previous() string {
	if l.Number == 1 {
		return ""
	}
	return l.page(l.Number - 1)
}

// Next: see Previous.
func (l listing[R]) Next() string {
	if l.Number*l.PerPage >= l.Total {
		return ""
	}
	return l.page(l.Number + 1)
}

func (l listing[R]) page(number int) string {
	query := url.Values{}
	for name, values := range l.Filters {
		query[name] = values
	}
	query.Set("page", strconv.Itoa(number))
	return l.path + "?" + query.Encode()
}

// fits says whether a filter lets a value pass: it is not set, or to this.
func fits(filter, value string) bool {
	return filter == "" || strings.EqualFold(strings.TrimSpace(filter), value)
}
