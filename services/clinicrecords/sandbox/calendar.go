package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// Status says how far an appointment has come.
type Status string

// The states of appointments.
const (
	Requested  Status = "Requested"
	Booked     Status = "Booked"
	Confirmed  Status = "Confirmed"
	CheckedIn  Status = "Checked in"
	InRoom     Status = "In room"
	Completed  Status = "Completed"
	Cancelled  Status = "Cancelled"
	NoShow     Status = "No show"
	OnWaitlist Status = "On waiting list"
)

// Appointment is a client's visit to a provider.
type Appointment struct {
	ID           int64           `json:"id"`
	Clinic       int64           `json:"clinic"`
	Provider     int64           `json:"provider"`
	ProviderName string          `json:"providerName"`
	Client       int64           `json:"client"`
	ClientName   string          `json:"clientName"`
	Start        time.Time       `json:"start"`
	End          time.Time       `json:"end"`
	Minutes      int             `json:"minutes"`
	Modality     Modality        `json:"modality"`
	Status       Status          `json:"status"`
	Services     []BookedService `json:"services"`
	Room         string          `json:"room,omitempty"`
	Notes        string          `json:"notes,omitempty"`
	Created      time.Time       `json:"created"`

	buffer time.Duration // kept free after it
}

// BookedService is a service of an appointment, at the price of that day.
type BookedService struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Price string `json:"price"`
}

// taken is the time that nobody else can have the provider.
func (a *Appointment) taken() span { return span{a.Start, a.End.Add(a.buffer)} }

func (a *Appointment) takesTime() bool { return a.Status != Cancelled && a.Status != NoShow }

// calendar holds all appointments. Site.mu guards it.
type calendar struct {
	inOrder    []*Appointment           // as they were booked; the number tells the place
	byProvider map[int64][]*Appointment // earliest first
	byClient   map[int64][]*Appointment // latest first
	cancelled  []int64
	told       []int64
}

// firstAppointment is the number of the oldest appointment.
const firstAppointment = 880_001

func (c *calendar) appointment(id int64) (*Appointment, *refusal) {
	if i := id - firstAppointment; i >= 0 && i < int64(len(c.inOrder)) {
		return c.inOrder[i], nil
	}
	return nil, notFound("appointment", id)
}

// add gives an appointment its number, and enters it.
func (c *calendar) add(a *Appointment) {
	a.ID = firstAppointment + int64(len(c.inOrder))
	c.inOrder = append(c.inOrder, a)
	c.byProvider[a.Provider] = inserted(c.byProvider[a.Provider], a, func(x, y *Appointment) int { return x.Start.Compare(y.Start) })
	c.byClient[a.Client] = inserted(c.byClient[a.Client], a, func(x, y *Appointment) int { return y.Start.Compare(x.Start) })
}

func inserted(list []*Appointment, a *Appointment, order func(x, y *Appointment) int) []*Appointment {
	at, _ := slices.BinarySearchFunc(list, a, order)
	return slices.Insert(list, at, a)
}

// free says whether a provider has a time for themselves. The caller holds
// Site.mu.
func (s *Site) free(provider int64, wanted span) bool {
	booked := s.calendar.byProvider[provider]
	// No appointment and its buffer last longer than a day.
	from, _ := slices.BinarySearchFunc(booked, wanted.start.AddDate(0, 0, -1), func(a *Appointment, t time.Time) int { return a.Start.Compare(t) })
	for _, a := range booked[from:] {
		if !a.Start.Before(wanted.end) {
			break
		}
		if a.takesTime() && a.taken().overlaps(wanted) {
			return false
		}
	}
	blocked := s.blocked[provider] // one after the other
	next, _ := slices.BinarySearchFunc(blocked, wanted.start, func(b Blocked, t time.Time) int {
		if b.End.After(t) {
			return 1
		}
		return -1
	})
	return next == len(blocked) || !blocked[next].Start.Before(wanted.end)
}

// column is one provider's part of a calendar.
type column struct {
	Provider     int64         `json:"provider"`
	Name         string        `json:"name"`
	Appointments []Appointment `json:"appointments"`
	Blocked      []Blocked     `json:"blocked"`
}

// days reads the days from and to of a query, at a clinic.
func days(r *http.Request, clinic *Clinic) (span, *refusal) {
	query := r.URL.Query()
	from, err := time.ParseInLocation(time.DateOnly, query.Get("from"), clinic.location)
	if err != nil {
		return span{}, invalid("Choose the first day.")
	}
	to, err := time.ParseInLocation(time.DateOnly, query.Get("to"), clinic.location)
	if err != nil || to.Before(from) {
		return span{}, invalid("Choose a last day that does not lie before the first one.")
	}
	return span{from, to.AddDate(0, 0, 1)}, nil
}

// getCalendar answers some days of a clinic: of the providers who are listed,
// or of all.
func (s *Site) getCalendar(r *http.Request) (any, *refusal) {
	query := r.URL.Query()
	clinic, no := s.clinic(number(query.Get("clinic")))
	if no != nil {
		return nil, no
	}
	wanted, no := days(r, clinic)
	if no != nil {
		return nil, no
	}
	listed := numbers(query.Get("providers"))
	columns := []column{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.providers {
		if slices.Contains(p.Clinics, clinic.ID) && (len(listed) == 0 || slices.Contains(listed, p.ID)) {
			columns = append(columns, s.column(p, clinic, wanted))
		}
	}
	return map[string]any{"clinic": clinic.ID, "timeZone": clinic.TimeZone, "columns": columns}, nil
}

func (s *Site) column(p Provider, clinic *Clinic, wanted span) column {
	c := column{Provider: p.ID, Name: p.Name, Appointments: []Appointment{}, Blocked: []Blocked{}}
	for _, a := range s.calendar.byProvider[p.ID] {
		if a.Clinic == clinic.ID && wanted.overlaps(span{a.Start, a.End}) {
			c.Appointments = append(c.Appointments, *a)
		}
	}
	for _, b := range s.blocked[p.ID] {
		if b.Clinic == clinic.ID && wanted.overlaps(span{b.Start, b.End}) {
			c.Blocked = append(c.Blocked, b)
		}
	}
	return c
}

func (s *Site) getAppointment(r *http.Request) (any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, no := s.calendar.appointment(number(r.PathValue("id")))
	if no != nil {
		return nil, no
	}
	return *a, nil
}

// getClientAppointments lists a client's appointments: the latest first, or
// with order=booked those that were booked last.
func (s *Site) getClientAppointments(r *http.Request) (any, *refusal) {
	client, no := s.client(number(r.PathValue("id")))
	if no != nil {
		return nil, no
	}
	rows := []Appointment{}
	s.mu.Lock()
	for _, a := range s.calendar.byClient[client.ID] {
		rows = append(rows, *a)
	}
	s.mu.Unlock()
	if r.URL.Query().Get("order") == "booked" {
		slices.SortFunc(rows, func(a, b Appointment) int { return cmp.Compare(b.ID, a.ID) })
	}
	return paged(r, rows)
}
