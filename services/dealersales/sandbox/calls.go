package sandbox

import (
	"net/http"
	"slices"
	"strconv"

	kit "integration.gateway/pkg/sandbox"
)

// longestCall is how many seconds a call can last.
const longestCall = 24 * 60 * 60

func (s *Site) postCall(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	customer, ok := find(s, &s.customers, r.PathValue("id"))
	if !ok {
		s.message(w, session, "There is no customer with this number.")
		return
	}
	f := form{r: r}
	call := Call{
		CustomerID: customer.ID, DealerID: f.word("dealer"), LeadID: f.word("lead"), UserID: f.word("user"), Direction: f.word("direction"),
		Outcome: f.word("outcome"), Phone: f.phone("phone"), StartTime: f.time("start", s.zone), Seconds: f.seconds(), Notes: f.text("notes", 4000),
	}
	s.checkCall(&f, call, customer)
	if f.refusal == "" {
		call, f.refusal = s.logCall(call)
	}
	if f.refusal != "" {
		s.showFile(w, session, customer, http.StatusUnprocessableEntity, page{Refusal: f.refusal, Content: r.PostForm})
		return
	}
	http.Redirect(w, r, "/customers/"+customer.ID+"?logged="+call.ID, http.StatusSeeOther)
}

// seconds reads how long a call lasted; -1 means that nobody said.
func (f *form) seconds() int {
	text := f.word("seconds")
	if text == "" {
		return -1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > longestCall {
		f.refuse("A call lasts 0 to %d seconds.", longestCall)
	}
	return n
}

func (s *Site) checkCall(f *form, call Call, customer Customer) {
	if call.DealerID != customer.DealerID {
		f.refuse("Customer %s is a customer of %s.", customer.ID, page{}.Dealer(customer.DealerID))
	}
	if lead, ok := find(s, &s.leads, call.LeadID); call.LeadID != "" && (!ok || lead.CustomerID != customer.ID) {
		f.refuse("Customer %s has no lead %s.", customer.ID, call.LeadID)
	}
	if user, ok := s.users.find(call.UserID); !ok || !user.worksFor(call.DealerID) {
		f.refuse("User %s does not work at %s.", call.UserID, page{}.Dealer(call.DealerID))
	}
	if !slices.Contains([]string{"Inbound", "Outbound"}, call.Direction) || !slices.Contains(callOutcomes, call.Outcome) {
		f.refuse("Choose who called, and what came of it.")
	}
	if call.Outcome == "Connected" && call.StartTime.After(s.now()) {
		f.refuse("A call that begins later cannot have been connected. Choose Scheduled.")
	}
}

func (s *Site) logCall(call Call) (Call, refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls.full() {
		return call, full
	}
	call.ID = s.calls.next()
	s.calls.add(call)
	s.Effect("call")
	return call, ""
}
