package sandbox

import (
	"embed"
	"net/http"
	"net/url"
	"strconv"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html", "parts.html")

// page is what every view is given: the frame around its own content.
type page struct {
	Title    string
	Section  string // of the menu
	SignedIn bool
	Content  any

	session *kit.Session
}

// Token returns a fresh anti-forgery token for one form.
func (p *page) Token() string { return p.session.Token() }

// Agency is the name of the agency.
func (p *page) Agency() string { return AgencyName }

func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, view, section, title string, content any) {
	session := s.Session(w, r)
	views.Show(w, status, view, &page{
		Title: title, Section: section, SignedIn: session.User() != "", Content: content, session: session,
	})
}

func (s *Site) showHome(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	counts := map[string]int{"Policies": len(s.policies), "Invoices": len(s.invoices)}
	for _, e := range s.Employees() {
		counts[e.Status]++
	}
	s.show(w, r, http.StatusOK, "home", "home", "Overview", counts)
}

func (s *Site) showAgency(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusOK, "agency", "agency", "Agency profile", map[string]string{"ID": AccountID, "Name": AgencyName})
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.show(w, r, http.StatusNotFound, "missing", "", "Not found", "There is no such page in Quillbrook.")
}

// part is a page of a list, with the way to its neighbours.
type part[Row any] struct {
	Rows           []Row
	First, Last    int // numbers of the first and the last row, from 1
	Total          int
	Previous, Next string // addresses; empty where there is none
}

// maxRows is the most rows that a page of a list shows.
const maxRows = 100

// paged cuts the page of a list out that the request asks for.
func paged[Row any](r *http.Request, all []Row) part[Row] {
	query := r.URL.Query()
	rows, _ := strconv.Atoi(query.Get("rows"))
	if rows < 1 || rows > maxRows {
		rows = 25
	}
	number, _ := strconv.Atoi(query.Get("page"))
	number = max(1, min(number, (len(all)+rows-1)/rows))
	first := (number - 1) * rows
	last := min(first+rows, len(all))
	p := part[Row]{Rows: all[first:last], First: first + 1, Last: last, Total: len(all)}
	if number > 1 {
		p.Previous = neighbour(r.URL, number-1)
	}
	if last < len(all) {
		p.Next = neighbour(r.URL, number+1)
	}
	return p
}

func neighbour(here *url.URL, number int) string {
	query := here.Query()
	query.Set("page", strconv.Itoa(number))
	return here.Path + "?" + query.Encode()
}
