package sandbox

import (
	"net/http"
	"strconv"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// refusal is an answer that says no.
type refusal struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func notFound(what string, id int64) *refusal {
	return &refusal{http.StatusNotFound, "not-found", "There is no " + what + " " + strconv.FormatInt(id, 10) + "."}
}

func invalid(message string) *refusal {
	return &refusal{http.StatusUnprocessableEntity, "invalid", message}
}

func refused(message string) *refusal {
	return &refusal{http.StatusConflict, "refused", message}
}

func (r *refusal) write(w http.ResponseWriter) {
	kit.WriteJSON(w, r.status, map[string]any{"errors": []*refusal{r}})
}

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	(&refusal{http.StatusUnauthorized, "signed-out", "Sign in first."}).write(w)
}

// api serves an answer as JSON to those who are signed in.
func (s *Site) api(answer func(*http.Request) (any, *refusal)) http.HandlerFunc {
	return s.SignedIn(func(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
		value, no := answer(r)
		if no != nil {
			no.write(w)
			return
		}
		kit.WriteJSON(w, http.StatusOK, value)
	}, unauthorized)
}

// number reads a number of a request's path or query; 0 stands for none.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// numbers reads a list such as 7,9.
func numbers(text string) []int64 {
	var list []int64
	for part := range strings.SplitSeq(text, ",") {
		if n := number(strings.TrimSpace(part)); n > 0 {
			list = append(list, n)
		}
	}
	return list
}

// listing is a page of a list.
type listing[Row any] struct {
	Items   []Row `json:"items"`
	Page    int64 `json:"page"`
	PerPage int64 `json:"perPage"`
	Total   int   `json:"total"`
}

// Bounds of a page.
const (
	rowsPerPage    = 25
	maxRowsPerPage = 200
	maxPage        = 1_000_000
)

// paged cuts the page that a request asks for out of a list. A page past the
// end is empty.
func paged[Row any](r *http.Request, rows []Row) (any, *refusal) {
	query := r.URL.Query()
	page, perPage := int64(1), int64(rowsPerPage)
	if text := query.Get("page"); text != "" {
		page = number(text)
	}
	if text := query.Get("perPage"); text != "" {
		perPage = number(text)
	}
	if page < 1 || page > maxPage || perPage < 1 || perPage > maxRowsPerPage {
		return nil, invalid("A page has 1 to 200 rows, and pages are counted from 1.")
	}
	from := min((page-1)*perPage, int64(len(rows)))
	to := min(from+perPage, int64(len(rows)))
	return listing[Row]{Items: append([]Row{}, rows[from:to]...), Page: page, PerPage: perPage, Total: len(rows)}, nil
}

// all is a list that has no pages.
func all[Row any](rows []Row) any { return map[string]any{"items": rows} }
