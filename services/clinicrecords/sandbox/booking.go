package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Wanted is an appointment that somebody would like to have.
type Wanted struct {
	Client   int64     `json:"client"`
	Clinic   int64     `json:"clinic"`
	Provider int64     `json:"provider"`
	Modality Modality  `json:"modality"`
	Services []int64   `json:"services"`
	Minutes  int       `json:"minutes"`
	Start    time.Time `json:"start"`
	Notes    string    `json:"notes"`
	Tell     bool      `json:"tell"` // the client is to be sent a confirmation
}

// Bounds of what can be booked.
const (
	maxNotes        = 4000
	maxAppointments = 50_000
)

func (s *Site) postAppointment(r *http.Request) (any, *refusal) {
	var w Wanted
	if err := json.NewDecoder(r.Body).Decode(&w); err != nil || utf8.RuneCountInString(w.Notes) > maxNotes {
		return nil, invalid("This appointment cannot be read.")
	}
	return s.order(w)
}

// Book books an appointment, as the application does for others who use it.
// It returns false where the application refuses.
func (s *Site) Book(w Wanted) (a Appointment, ok bool) {
	booked, no := s.order(w)
	if no != nil {
		return a, false
	}
	a, ok = booked.(Appointment)
	return a, ok
}

// order books an appointment if it can be. Whoever sends it twice is told the
// second time that the time is taken.
func (s *Site) order(w Wanted) (any, *refusal) {
	client, no := s.client(w.Client)
	if no != nil {
		return nil, no
	}
	clinic, no := s.clinic(w.Clinic)
	if no != nil {
		return nil, no
	}
	provider, no := s.provider(w.Provider)
	if no != nil {
		return nil, no
	}
	if _, no = modality(string(w.Modality)); no != nil {
		return nil, no
	}
	v, no := s.visitOf(w.Services, w.Modality, w.Minutes)
	if no != nil {
		return nil, no
	}
	if client.onHold {
		return nil, refused("This client's file is on hold. Ask the front desk before you book.")
	}
	a := newAppointment(provider, clinic, client, v, w.Start.In(clinic.location))
	a.Notes, a.Created = w.Notes, s.now().In(clinic.location).Truncate(time.Second)
	return s.book(provider, clinic, v, a, w.Tell)
}

// book enters an appointment if its time is free.
func (s *Site) book(p *Provider, c *Clinic, v visit, a *Appointment, tell bool) (any, *refusal) {
	if !s.offers(p, c, v) {
		return nil, refused(p.Name + " does not offer this at " + c.Name + ".")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slots := s.slots(p, c, v, a.Start)
	at := slices.IndexFunc(slots, func(slot Slot) bool { return slot.Start.Equal(a.Start) })
	switch {
	case at < 0:
		return nil, refused("That time is outside of the provider's hours.")
	case !slots[at].Free:
		return nil, refused("That time is no longer free.")
	case len(s.calendar.inOrder) >= maxAppointments:
		return nil, refused("The calendar is full.")
	}
	s.calendar.add(a)
	s.Effect("appointment")
	if tell {
		s.calendar.told = append(s.calendar.told, a.ID)
	}
	return *a, nil
}

// postCancel gives an appointment's time back.
func (s *Site) postCancel(r *http.Request) (any, *refusal) {
	return s.cancel(number(r.PathValue("id")))
}

// Cancel cancels an appointment, as the application does for others who use
// it. It returns false where the application refuses.
func (s *Site) Cancel(id int64) bool {
	_, no := s.cancel(id)
	return no == nil
}

func (s *Site) cancel(id int64) (any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, no := s.calendar.appointment(id)
	switch {
	case no != nil:
		return nil, no
	case !a.takesTime() || a.Status == Completed:
		return nil, refused("This appointment cannot be cancelled any more.")
	}
	a.Status = Cancelled
	s.calendar.cancelled = append(s.calendar.cancelled, a.ID)
	s.Effect("cancellation")
	return *a, nil
}
