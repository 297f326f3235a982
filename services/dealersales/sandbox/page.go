package sandbox

import (
	"embed"
	"net/http"
	"strconv"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

//go:embed pages
var pageFiles embed.FS

var views = kit.ParseViews(pageFiles, "layout.html", "parts.html")

// page is what every view is given: the frame around its own content.
type page struct {
	Title   string
	Notice  string // what was just done, or ""
	Refusal refusal
	Content any

	site    *Site
	session *kit.Session
}

// Token returns a fresh anti-forgery token for one form.
func (p page) Token() string { return p.session.Token() }

// SignedIn says whether somebody is.
func (p page) SignedIn() bool { return p.session.User() != "" }

// Me is the user who is signed in.
func (p page) Me() User {
	u, _ := p.site.users.find(me)
	return u
}

// Dealers, Sources, Types and CompanyTypes are what forms choose from.
func (page) Dealers() []Dealer      { return dealers }
func (page) Sources() []Choice      { return leadSources }
func (page) Types() []Choice        { return leadTypes }
func (page) CompanyTypes() []Choice { return companyTypes }
func (page) Conditions() []string   { return conditions }
func (page) States() []string       { return appointmentStates }
func (page) Outcomes() []string     { return callOutcomes }
func (page) Ways() []string         { return ways }

// Users are those who can be given something to do, at a dealer if one is
// named.
func (p page) Users(dealer string) []User {
	return p.site.users.where(func(u User) bool { return u.Active && (dealer == "" || u.worksFor(dealer)) })
}

// User is the user's name.
func (p page) User(id string) string {
	u, _ := p.site.users.find(id)
	return u.Name()
}

// Dealer is the dealer's name.
func (page) Dealer(id string) string {
	d, _ := dealerOf(id)
	return d.Name
}

// Customer is the customer's name.
func (p page) Customer(id string) string {
	c, _ := find(p.site, &p.site.customers, id)
	return c.Name()
}

// Name is the name of an entry of one of the lists.
func (page) Name(id string) string {
	for _, list := range [][]Choice{leadSources, leadTypes, companyTypes} {
		for _, c := range list {
			if c.ID == id {
				return c.Name
			}
		}
	}
	return ""
}

// Instant is a time as machines read it, with the dealers' offset.
func (p page) Instant(t time.Time) string { return t.In(p.site.zone).Format(time.RFC3339) }

// When is a time as people read it.
func (p page) When(t time.Time) string { return t.In(p.site.zone).Format("Jan 2, 2006 3:04 PM") }

// Dollars is an amount of money.
func (page) Dollars(n int) string { return "$" + thousands(n) }

// Thousands is a number with its groups of digits.
func (page) Thousands(n int) string { return thousands(n) }

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// show writes a view as the answer.
func (s *Site) show(w http.ResponseWriter, status int, view string, p page) {
	p.site = s
	views.Show(w, status, view, p)
}

func (s *Site) notFound(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	s.message(w, session, "This page does not exist.")
}

// message tells that something is not there.
func (s *Site) message(w http.ResponseWriter, session *kit.Session, text string) {
	s.show(w, http.StatusNotFound, "message", page{Title: "Not found", Content: text, session: session})
}
