package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Deal is an offer of a partner to the network's members.
type Deal struct {
	ID          string
	Title       string
	Partner     string
	Category    string
	Description string
	Eligibility string
	Savings     string
	LastDay     time.Time // zero when it does not end
	Plan        int       // the lowest plan whose members may use it
	RunOut      bool      // nobody can use it any more, which only trying tells
	Code        string    // may be empty
	Link        string    // where it is redeemed
}

// The plans of members, the cheapest first.
var plans = []string{"Spark", "Blaze"}

// janesPlan is the plan of every seeded member.
const janesPlan = 0

// Locked says that a deal needs a higher plan than the seeded members have.
func (d Deal) Locked() bool { return d.Plan > janesPlan }

// matches says whether all words occur in what the network says of a deal.
func (d Deal) matches(words []string) bool {
	text := strings.ToLower(strings.Join([]string{d.Title, d.Partner, d.Category, d.Description}, " "))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// Find returns the deals that a search finds, in the network's order.
func (s *Site) Find(query string) []Deal {
	words := strings.Fields(strings.ToLower(query))
	return slices.DeleteFunc(slices.Clone(s.deals), func(d Deal) bool { return !d.matches(words) })
}

// card is a deal as the page's script gets it.
type card struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Partner     string `json:"partner"`
	Category    string `json:"category"`
	Description string `json:"description"`
	Eligibility string `json:"eligibility"`
	Savings     string `json:"savings"`
	LastDay     string `json:"lastDay,omitempty"`
	Locked      string `json:"locked,omitempty"` // why the member may not use it
	InUseSince  string `json:"inUseSince,omitempty"`
	Code        string `json:"code,omitempty"` // this and the link only once it is in use
	Link        string `json:"link,omitempty"`
}

func (s *Site) card(d Deal, user string) card {
	c := card{
		ID: d.ID, Title: d.Title, Partner: d.Partner, Category: d.Category, Description: d.Description,
		Eligibility: d.Eligibility, Savings: d.Savings,
	}
	if !d.LastDay.IsZero() {
		c.LastDay = d.LastDay.Format(time.DateOnly)
	}
	if d.Locked() {
		c.Locked = "This deal is for members of the plan " + plans[d.Plan] + "."
	}
	if use, ok := s.use(user, d.ID); ok {
		c.InUseSince, c.Code, c.Link = use.At.UTC().Format(time.RFC3339), d.Code, d.Link
	}
	return c
}

// batch is how many deals the page is given at a time.
const batch = 20

func (s *Site) serveDeals(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	found := s.Find(query.Get("q"))
	from, _ := strconv.Atoi(query.Get("from"))
	from = max(0, min(from, len(found)))
	to := min(from+batch, len(found))
	cards := []card{}
	for _, d := range found[from:to] {
		cards = append(cards, s.card(d, session.User()))
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{"deals": cards, "total": len(found), "more": to < len(found)})
}

func (s *Site) deal(id string) (Deal, bool) {
	at := slices.IndexFunc(s.deals, func(d Deal) bool { return d.ID == id })
	if at < 0 {
		return Deal{}, false
	}
	return s.deals[at], true
}

func (s *Site) serveDeal(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	d, ok := s.deal(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "There is no such deal.")
		return
	}
	kit.WriteJSON(w, http.StatusOK, s.card(d, session.User()))
}

// postUsing marks a deal as used.
func (s *Site) postUsing(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	d, ok := s.deal(r.PathValue("id"))
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "There is no such deal.")
	case d.Locked():
		refuse(w, http.StatusForbidden, s.card(d, session.User()).Locked)
	case d.RunOut:
		refuse(w, http.StatusConflict, "All places of this deal are taken.")
	default:
		s.mark(session.User(), d.ID)
		kit.WriteJSON(w, http.StatusOK, s.card(d, session.User()))
	}
}

// mark notes that a member uses a deal. Doing so again notes the new time.
func (s *Site) mark(user, dealID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	times := 1
	s.uses = slices.DeleteFunc(s.uses, func(u Use) bool {
		same := u.User == user && u.DealID == dealID
		if same {
			times += u.Times
		}
		return same
	})
	s.uses = append(s.uses, Use{user, dealID, s.now().UTC().Truncate(time.Second), times})
	s.Effect("mark-deal")
}

// use returns the member's use of a deal.
func (s *Site) use(user, dealID string) (u Use, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.uses, func(u Use) bool { return u.User == user && u.DealID == dealID })
	if at < 0 {
		return Use{}, false
	}
	return s.uses[at], true
}

// link is where a partner redeems the network's deals.
func link(partner string) string {
	host := strings.ReplaceAll(strings.ToLower(partner), " ", "-") + ".example"
	return (&url.URL{Scheme: "https", Host: host, Path: "/startups", RawQuery: "ref=kindling"}).String()
}
