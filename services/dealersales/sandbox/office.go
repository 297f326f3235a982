package sandbox

import (
	"net/http"
	"slices"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// today is what the first page shows.
type today struct {
	Appointments []Appointment
	Leads        []Lead
}

func (s *Site) showToday(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	now := s.now().In(s.zone)
	day := now.Format(time.DateOnly)
	content := today{
		Appointments: where(s, &s.appointments, func(a Appointment) bool { return a.Start.In(s.zone).Format(time.DateOnly) == day }),
		Leads:        where(s, &s.leads, func(l Lead) bool { return l.Status == leadNew && now.Sub(l.CreatedAt) < 14*24*time.Hour }),
	}
	slices.SortStableFunc(content.Appointments, func(a, b Appointment) int { return a.Start.Compare(b.Start) })
	s.show(w, http.StatusOK, "today", page{Title: "Today", session: session, Content: content})
}

func (s *Site) showDealers(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	s.show(w, http.StatusOK, "dealers", page{Title: "Dealers", session: session})
}

func (s *Site) showUsers(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	dealer := r.URL.Query().Get("dealer")
	found := s.users.where(func(u User) bool { return dealer == "" || slices.Contains(u.Dealers, dealer) })
	s.show(w, http.StatusOK, "users", page{Title: "Users", session: session, Content: list(r, found)})
}

// choices is one of the lists that forms choose from.
type choices struct {
	Dealer      string // whose entries are shown, or ""
	HasCategory bool
	Choices     []Choice
}

func (s *Site) showList(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	var title string
	var c choices
	switch r.PathValue("list") {
	case "lead-sources":
		title = "Lead sources"
		c = choices{Dealer: r.URL.Query().Get("dealer"), HasCategory: true}
		for _, source := range leadSources {
			if _, known := dealerOf(c.Dealer); c.Dealer == "" || known && source.usedBy(c.Dealer) {
				c.Choices = append(c.Choices, source)
			}
		}
	case "lead-types":
		title, c.Choices = "Lead types", leadTypes
	case "company-types":
		title, c.Choices = "Company types", companyTypes
	default:
		s.notFound(w, r, session)
		return
	}
	s.show(w, http.StatusOK, "choices", page{Title: title, session: session, Content: c})
}
