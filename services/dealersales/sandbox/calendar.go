package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// calendar is what the calendar of a dealer shows, in its frame.
type calendar struct {
	Dealer   Dealer
	Upcoming []Appointment // of the next days
	Booked   string        // number of the appointment that was just booked, or ""
	Typed    url.Values
}

// Value is what was typed into a field, or given in the address.
func (c calendar) Value(name string) string { return c.Typed.Get(name) }

// showCalendar shows the page around the frame.
func (s *Site) showCalendar(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	if query.Get("dealer") == "" {
		query.Set("dealer", dealers[0].ID)
	}
	dealer, ok := dealerOf(query.Get("dealer"))
	if !ok {
		s.message(w, session, "There is no dealer with this number.")
		return
	}
	s.show(w, http.StatusOK, "calendar", page{Title: "Calendar", session: session, Content: struct {
		Dealer Dealer
		Frame  string
	}{dealer, "/calendar/frame?" + query.Encode()}})
}

func (s *Site) showFrame(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	query := r.URL.Query()
	s.showCalendarOf(w, session, query, http.StatusOK, page{Notice: query.Get("booked")})
}

func (s *Site) showCalendarOf(w http.ResponseWriter, session *kit.Session, typed url.Values, status int, p page) {
	dealer, ok := dealerOf(typed.Get("dealer"))
	if !ok {
		s.message(w, session, "There is no dealer with this number.")
		return
	}
	content := calendar{Dealer: dealer, Typed: typed}
	if a, ok := find(s, &s.appointments, p.Notice); ok {
		content.Booked = a.ID
	}
	now := s.now()
	content.Upcoming = where(s, &s.appointments, func(a Appointment) bool {
		return a.DealerID == dealer.ID && a.takesTime() && a.End.After(now) && a.Start.Before(now.AddDate(0, 0, 8))
	})
	slices.SortStableFunc(content.Upcoming, func(a, b Appointment) int { return a.Start.Compare(b.Start) })
	p.Title, p.session, p.Content = "Calendar of "+dealer.Name, session, content
	s.show(w, status, "frame", p)
}

func (s *Site) postAppointment(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := form{r: r}
	a := Appointment{
		LeadID: f.word("lead"), CustomerID: f.word("customer"), DealerID: f.word("dealer"), UserID: f.word("user"), Subject: f.text("subject", 4000),
		Start: f.time("start", s.zone), End: f.time("end", s.zone),
	}
	s.checkAppointment(&f, a)
	if f.refusal == "" {
		a, f.refusal = s.book(a)
	}
	if f.refusal != "" {
		s.showCalendarOf(w, session, r.PostForm, http.StatusUnprocessableEntity, page{Refusal: f.refusal})
		return
	}
	http.Redirect(w, r, "/calendar/frame?"+url.Values{"dealer": {a.DealerID}, "booked": {a.ID}}.Encode(), http.StatusSeeOther)
}

// longest is how long an appointment can last.
const longest = 12 * time.Hour

func (s *Site) checkAppointment(f *form, a Appointment) {
	dealer := page{}.Dealer(a.DealerID)
	lead, ok := find(s, &s.leads, a.LeadID)
	switch {
	case !ok || lead.DealerID != a.DealerID:
		f.refuse("%s has no lead %s.", dealer, a.LeadID)
	case lead.CustomerID != a.CustomerID:
		f.refuse("Lead %s is of customer %s, not of %s.", lead.ID, lead.CustomerID, a.CustomerID)
	}
	if user, ok := s.users.find(a.UserID); !ok || !user.worksFor(a.DealerID) {
		f.refuse("User %s does not work at %s.", a.UserID, dealer)
	}
	if a.Subject == "" {
		f.refuse("Say what the appointment is about.")
	}
	if f.refusal == "" && (!a.End.After(a.Start) || a.End.Sub(a.Start) > longest) {
		f.refuse("An appointment ends after it starts, and on the same day.")
	}
}

// book enters an appointment at a time at which its user is free. Its lead has
// come that far then.
func (s *Site) book(a Appointment) (Appointment, refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.appointments.full() {
		return a, full
	}
	if taken := s.appointments.where(func(other Appointment) bool { return other.overlaps(a) }); len(taken) > 0 {
		user, _ := s.users.find(a.UserID)
		return a, refusal(user.Name() + " has another appointment at that time.")
	}
	lead := &s.leads.rows[s.leads.at[a.LeadID]]
	lead.Status = leadAppointment
	a.ID, a.VehicleID, a.Status, a.CreatedAt = s.appointments.next(), lead.VehicleID, scheduled, s.now()
	s.appointments.add(a)
	s.Effect("appointment")
	return a, ""
}

func (s *Site) showAppointments(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := r.URL.Query()
	from, to := f.Get("from"), f.Get("to")
	found := where(s, &s.appointments, func(a Appointment) bool {
		day := a.Start.In(s.zone).Format(time.DateOnly)
		return fits(f.Get("dealer"), a.DealerID) && fits(f.Get("user"), a.UserID) && fits(f.Get("customer"), a.CustomerID) &&
			fits(f.Get("lead"), a.LeadID) && fits(f.Get("status"), a.Status) && day >= from && (to == "" || day <= to)
	})
	slices.SortStableFunc(found, func(a, b Appointment) int { return a.Start.Compare(b.Start) })
	s.show(w, http.StatusOK, "appointments", page{Title: "Appointments", session: session, Content: list(r, found)})
}

func (s *Site) showAppointment(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	a, ok := find(s, &s.appointments, r.PathValue("id"))
	if !ok {
		s.message(w, session, "There is no appointment with this number.")
		return
	}
	s.show(w, http.StatusOK, "appointment", page{Title: "Appointment " + a.ID, session: session, Content: a})
}
