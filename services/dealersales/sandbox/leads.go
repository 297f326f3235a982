package sandbox

import (
	"net/http"
	"net/url"
	"slices"

	kit "integration.gateway/pkg/sandbox"
)

func (s *Site) showLeads(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := r.URL.Query()
	found := where(s, &s.leads, func(l Lead) bool {
		return fits(f.Get("dealer"), l.DealerID) && fits(f.Get("status"), l.Status) && fits(f.Get("user"), l.UserID) && fits(f.Get("reference"), l.Reference)
	})
	slices.Reverse(found)
	s.show(w, http.StatusOK, "leads", page{Title: "Leads", session: session, Content: list(r, found)})
}

func (s *Site) showLead(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	l, ok := find(s, &s.leads, r.PathValue("id"))
	if !ok {
		s.message(w, session, "There is no lead with this number.")
		return
	}
	p := page{Title: "Lead " + l.ID, session: session, Content: l}
	if r.URL.Query().Get("done") == "entered" {
		p.Notice = "The lead is entered."
	}
	s.show(w, http.StatusOK, "lead", p)
}

// leadForm is what the form for a new lead shows.
type leadForm struct {
	Customer Customer
	Typed    url.Values
}

// Value is what was typed into a field.
func (f leadForm) Value(name string) string { return f.Typed.Get(name) }

func (s *Site) showNewLead(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.showLeadForm(w, session, r.URL.Query().Get("customer"), http.StatusOK, page{})
}

func (s *Site) showLeadForm(w http.ResponseWriter, session *kit.Session, customer string, status int, p page) {
	c, ok := find(s, &s.customers, customer)
	if !ok {
		s.message(w, session, "There is no customer with this number.")
		return
	}
	typed, _ := p.Content.(url.Values)
	p.Title, p.session, p.Content = "New lead", session, leadForm{Customer: c, Typed: typed}
	s.show(w, status, "lead-new", p)
}

func (s *Site) postLead(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := form{r: r}
	l := Lead{
		CustomerID: f.word("customer"), DealerID: f.word("dealer"), SourceID: f.word("source"), TypeID: f.word("type"), UserID: f.word("user"),
		VehicleID: f.word("vehicle"),
		Interest:  Wish{f.word("condition"), f.text("wishYear", 4), f.text("wishMake", 100), f.text("wishModel", 100), f.text("wishTrim", 100)},
		TradeIn:   TradeIn{f.text("tradeYear", 4), f.text("tradeMake", 100), f.text("tradeModel", 100), f.text("tradeVIN", 17), f.text("tradeMileage", 10)},
		Comments:  f.text("comments", 4000), Reference: f.text("reference", 64),
	}
	s.checkLead(&f, l)
	if f.refusal == "" {
		l, f.refusal = s.enterLead(l)
	}
	if f.refusal != "" {
		s.showLeadForm(w, session, l.CustomerID, http.StatusUnprocessableEntity, page{Refusal: f.refusal, Content: r.PostForm})
		return
	}
	http.Redirect(w, r, "/leads/"+l.ID+"?done=entered", http.StatusSeeOther)
}

func (s *Site) checkLead(f *form, l Lead) {
	dealer := page{}.Dealer(l.DealerID)
	customer, ok := find(s, &s.customers, l.CustomerID)
	if !ok || customer.DealerID != l.DealerID {
		f.refuse("Customer %s is no customer of %s.", l.CustomerID, dealer)
	}
	if source, ok := choiceOf(leadSources, l.SourceID); !ok || !source.usedBy(l.DealerID) {
		f.refuse("%s does not use the lead source %s.", dealer, l.SourceID)
	}
	if _, ok := choiceOf(leadTypes, l.TypeID); !ok {
		f.refuse("There is no lead type %s.", l.TypeID)
	}
	if user, ok := s.users.find(l.UserID); l.UserID != "" && (!ok || !user.worksFor(l.DealerID)) {
		f.refuse("User %s does not work at %s.", l.UserID, dealer)
	}
	vehicle, ok := s.vehicles.find(l.VehicleID)
	switch {
	case l.VehicleID == "":
	case !ok || vehicle.DealerID != l.DealerID:
		f.refuse("%s has no vehicle %s.", dealer, l.VehicleID)
	case vehicle.Status == isSold:
		f.refuse("Vehicle %s is sold.", l.VehicleID)
	}
	if t := l.TradeIn; t != (TradeIn{}) && (t.Year == "" || t.Make == "" || t.Model == "") {
		f.refuse("Give year, make and model of the vehicle to trade in.")
	}
}

// enterLead enters a lead, and gives it to the dealer's next salesperson when
// nobody was named.
func (s *Site) enterLead(l Lead) (Lead, refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leads.full() {
		return l, full
	}
	if l.UserID == "" {
		l.UserID = s.nextInTurn(l.DealerID)
	}
	l.ID, l.Status, l.CreatedAt = s.leads.next(), leadNew, s.now()
	s.leads.add(l)
	s.Effect("lead")
	return l, ""
}
