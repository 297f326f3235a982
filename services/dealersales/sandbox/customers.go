package sandbox

import (
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	kit "integration.gateway/pkg/sandbox"
)

// customerList is what the page of customers shows.
type customerList struct {
	listing[Customer]
	Typed url.Values // into the form for a new one, when it was refused
}

// Value is what was typed into a field.
func (c customerList) Value(name string) string { return c.Typed.Get(name) }

func (s *Site) showCustomers(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.listCustomers(w, r, session, http.StatusOK, "")
}

func (s *Site) listCustomers(w http.ResponseWriter, r *http.Request, session *kit.Session, status int, no refusal) {
	f := r.URL.Query()
	found := where(s, &s.customers, func(c Customer) bool { return fits(f.Get("dealer"), c.DealerID) && c.matches(f.Get("q")) })
	if f.Get("sort") == "newest" {
		slices.Reverse(found)
	} else {
		slices.SortStableFunc(found, func(a, b Customer) int { return strings.Compare(sortName(a), sortName(b)) })
	}
	content := customerList{listing: list(r, found), Typed: r.PostForm}
	s.show(w, status, "customers", page{Title: "Customers", session: session, Refusal: no, Content: content})
}

func sortName(c Customer) string {
	return strings.ToLower(c.LastName + " " + c.FirstName + " " + c.Company)
}

// matches says whether the words stand in the customer's name, company, e-mail
// address or one of the telephone numbers.
func (c Customer) matches(words string) bool {
	words = strings.ToLower(strings.Join(strings.Fields(words), " "))
	for _, text := range []string{c.FirstName + " " + c.LastName, c.LastName + ", " + c.FirstName, c.Company, c.Email} {
		if strings.Contains(strings.ToLower(text), words) {
			return true
		}
	}
	if strings.Trim(words, "0123456789+().x -") != "" || len(digits(words)) < 3 {
		return false
	}
	return slices.ContainsFunc(c.phones(), func(phone string) bool { return strings.Contains(phone, digits(words)) })
}

// phones are the digits of the customer's telephone numbers.
func (c Customer) phones() []string {
	var all []string
	for _, phone := range []string{c.Mobile, c.Home, c.Work} {
		if phone != "" {
			all = append(all, digits(phone))
		}
	}
	return all
}

// file is what the page of one customer shows.
type file struct {
	Customer
	Leads        []Lead
	Calls        []Call
	Appointments []Appointment
	Typed        url.Values // into the form for a call, when it was refused
}

// Value is what was typed into a field.
func (f file) Value(name string) string { return f.Typed.Get(name) }

func (s *Site) showCustomer(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	c, ok := find(s, &s.customers, r.PathValue("id"))
	if !ok {
		s.message(w, session, "There is no customer with this number.")
		return
	}
	notice := ""
	if r.URL.Query().Get("done") == "entered" {
		notice = "The customer is entered."
	}
	if call, ok := find(s, &s.calls, r.URL.Query().Get("logged")); ok && call.CustomerID == c.ID {
		notice = "Call " + call.ID + " is logged."
	}
	s.showFile(w, session, c, http.StatusOK, page{Notice: notice})
}

func (s *Site) showFile(w http.ResponseWriter, session *kit.Session, c Customer, status int, p page) {
	content := file{
		Customer:     c,
		Leads:        where(s, &s.leads, func(l Lead) bool { return l.CustomerID == c.ID }),
		Calls:        where(s, &s.calls, func(call Call) bool { return call.CustomerID == c.ID }),
		Appointments: where(s, &s.appointments, func(a Appointment) bool { return a.CustomerID == c.ID }),
	}
	content.Typed, _ = p.Content.(url.Values)
	slices.Reverse(content.Calls)
	p.Title, p.session, p.Content = c.Name(), session, content
	s.show(w, status, "customer", p)
}

func (s *Site) postCustomer(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	f := form{r: r}
	c := Customer{
		DealerID: f.word("dealer"), FirstName: f.text("first", 100), LastName: f.text("last", 100), Company: f.text("company", 200),
		CompanyTypeID: f.word("companyType"), Email: f.text("email", 254), Mobile: f.phone("mobile"), Home: f.phone("home"), Work: f.phone("work"),
		Preferred: f.word("preferred"), Line1: f.text("line1", 200), Line2: f.text("line2", 200), City: f.text("city", 100),
		Region: f.text("region", 100), PostalCode: f.text("postal", 20), Country: f.text("country", 2),
	}
	f.checkCustomer(c)
	if f.refusal == "" {
		c, f.refusal = s.enterCustomer(c)
	}
	if f.refusal != "" {
		s.listCustomers(w, r, session, http.StatusUnprocessableEntity, f.refusal)
		return
	}
	http.Redirect(w, r, "/customers/"+c.ID+"?done=entered", http.StatusSeeOther)
}

func (f *form) checkCustomer(c Customer) {
	if _, ok := dealerOf(c.DealerID); !ok {
		f.refuse("Choose a dealer.")
	}
	if c.Name() == "" {
		f.refuse("Give a name.")
	}
	if _, ok := choiceOf(companyTypes, c.CompanyTypeID); c.CompanyTypeID != "" && !ok {
		f.refuse("Choose a company type.")
	}
	if _, err := mail.ParseAddress(c.Email); c.Email != "" && err != nil {
		f.refuse("%s is no e-mail address.", c.Email)
	}
	if c.Preferred != "" && !slices.Contains(ways, c.Preferred) {
		f.refuse("Choose how the customer wants to be reached.")
	}
	if c.Line1+c.Line2+c.City+c.Region+c.PostalCode+c.Country != "" && (c.Line1 == "" || c.City == "") {
		f.refuse("An address needs a street and a city.")
	}
}

// enterCustomer enters a customer that is not there yet.
func (s *Site) enterCustomer(c Customer) (Customer, refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.customers.full() {
		return c, full
	}
	var f form
	for _, other := range s.customers.rows {
		if c.Email != "" && strings.EqualFold(c.Email, other.Email) {
			f.refuse("Customer %s has this e-mail address already.", other.ID)
		}
		if slices.ContainsFunc(c.phones(), func(phone string) bool { return slices.Contains(other.phones(), phone) }) {
			f.refuse("Customer %s has this telephone number already.", other.ID)
		}
	}
	if f.refusal != "" {
		return c, f.refusal
	}
	c.ID, c.CreatedAt = s.customers.next(), s.now()
	s.customers.add(c)
	s.Effect("customer")
	return c, ""
}
