package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Customer is a person or a company whom crews visit.
type Customer struct {
	ID           string    `json:"id"`
	Revision     int       `json:"revision"` // grows with each edit
	UpdatedAt    time.Time `json:"updatedAt"`
	Kind         string    `json:"kind"` // a key of customerKinds
	FirstName    string    `json:"firstName"`
	LastName     string    `json:"lastName"`
	Company      string    `json:"company"`
	Email        string    `json:"email"`
	Phones       []Phone   `json:"phones"`
	Addresses    []Address `json:"addresses"`
	Notes        string    `json:"notes"`
	Labels       []string  `json:"labels"`
	Source       string    `json:"source"`
	Terms        string    `json:"terms"` // one of paymentTerms, or empty
	TaxExemption bool      `json:"taxExemption"`
}

// Phone is a telephone number of a customer.
type Phone struct {
	Number string `json:"number"`
	Kind   string `json:"kind"` // one of phoneKinds
}

// Address is a place of a customer.
type Address struct {
	Kind    string `json:"kind"` // a key of addressKinds
	Street  string `json:"street"`
	Unit    string `json:"unit"`
	City    string `json:"city"`
	State   string `json:"state"`
	ZIP     string `json:"zip"`
	Country string `json:"country"`
}

func (c *Customer) clone() Customer {
	copied := *c
	copied.Phones, copied.Addresses, copied.Labels = slices.Clone(c.Phones), slices.Clone(c.Addresses), slices.Clone(c.Labels)
	return copied
}

// Name is what the application calls the customer.
func (c *Customer) Name() string {
	if c.Company != "" {
		return c.Company
	}
	return strings.TrimSpace(c.FirstName + " " + c.LastName)
}

// form is what the page sends when a customer is saved.
type form struct {
	Customer
	LogNote string `json:"logNote"` // goes into the activity log
}

// pageSize is how many customers the list shows, and then loads, at a time.
const pageSize = 25

func (s *Site) listCustomers(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("q")))
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // none is 0
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []Customer{}
	for _, id := range s.order {
		if c := s.customers[id]; c.mentions(words) {
			found = append(found, c.clone())
		}
	}
	total := len(found)
	found = found[min(max(from, 0), total):]
	kit.WriteJSON(w, http.StatusOK, map[string]any{"total": total, "customers": found[:min(pageSize, len(found))]})
}

// mentions says whether each of the words is somewhere in what the list shows.
func (c *Customer) mentions(words []string) bool {
	text := strings.Join([]string{c.FirstName, c.LastName, c.Company, c.Email, c.ID}, " ")
	for _, p := range c.Phones {
		text += " " + p.Number
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

func (s *Site) getCustomer(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.customers[r.PathValue("id")]
	if !known {
		refuse(w, http.StatusNotFound, noCustomer)
		return
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{"customer": c, "jobs": s.jobsOf(c.ID), "activity": s.activityOf(c.ID)})
}

const noCustomer = "There is no such customer. They may have been merged with another one."

func (s *Site) postCustomer(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	var f form
	if !decode(w, r, &f) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.tidy()
	f.ID = ""
	if faults := append(f.faults(), s.duplicates(&f.Customer)...); len(faults) > 0 {
		refuse(w, http.StatusUnprocessableEntity, faults...)
		return
	}
	if len(s.customers) >= maxCustomers {
		refuse(w, http.StatusUnprocessableEntity, "Your plan holds no more customers.")
		return
	}
	s.entered++
	f.ID = "cus_n" + strconv.FormatInt(int64(0x10000+s.entered), 16)
	f.Revision, f.UpdatedAt = 1, s.instant()
	c := f.clone()
	s.customers[c.ID] = &c
	s.order = slices.Insert(s.order, 0, c.ID)
	s.note(session.User(), "Customer entered", &c, f.LogNote)
	kit.WriteJSON(w, http.StatusCreated, c)
}

// maxCustomers bounds what the application holds.
const maxCustomers = 10_000

func (s *Site) putCustomer(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	var f form
	if !decode(w, r, &f) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.customers[r.PathValue("id")]
	if !known {
		refuse(w, http.StatusNotFound, noCustomer)
		return
	}
	if f.Revision != c.Revision {
		refuse(w, http.StatusConflict, "Somebody else has changed this customer in the meantime. Load the page again, and then make your changes.")
		return
	}
	f.tidy()
	f.ID = c.ID
	if faults := append(f.faults(), s.duplicates(&f.Customer)...); len(faults) > 0 {
		refuse(w, http.StatusUnprocessableEntity, faults...)
		return
	}
	*c = f.clone()
	c.Revision, c.UpdatedAt = c.Revision+1, s.instant()
	s.note(session.User(), "Customer edited", c, f.LogNote)
	kit.WriteJSON(w, http.StatusOK, c)
}

// instant is the time as the application keeps it.
func (s *Site) instant() time.Time { return s.now().UTC().Truncate(time.Second) }
