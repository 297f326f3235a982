package sandbox

import (
	"net/http"
	"slices"
	"time"
)

// grid is how far apart the starts of appointments lie.
const grid = 15 * time.Minute

// thinking is how long the site takes to find free times, as its kind does.
const thinking = 250 * time.Millisecond

// Slot is a start on the grid of a provider's working day.
type Slot struct {
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Instant int64     `json:"instant"` // the start, in seconds since 1970
	Free    bool      `json:"free"`
	Room    string    `json:"room,omitempty"`
}

// diary is the slots of one provider on a day.
type diary struct {
	Provider int64  `json:"provider"`
	Name     string `json:"name"`
	Offers   bool   `json:"offers"` // whether the provider does what is wanted there
	Slots    []Slot `json:"slots"`
}

// slots are the starts within a provider's hours on a day at which a visit
// would end in time. The caller holds s.mu.
func (s *Site) slots(p *Provider, c *Clinic, v visit, day time.Time) []Slot {
	list := []Slot{}
	hours, works := working(p, c, day)
	if !works || !s.offers(p, c, v) {
		return list
	}
	for at := hours.start; !at.Add(v.length()).After(hours.end); at = at.Add(grid) {
		if !at.After(s.now()) {
			continue
		}
		wanted := span{at, at.Add(v.length() + v.kept())}
		list = append(list, Slot{Start: at, End: at.Add(v.length()), Instant: at.Unix(), Free: s.free(p.ID, wanted), Room: room(p, c, v.by)})
	}
	return list
}

// getAvailability answers the slots of the listed providers, or of all, on a
// day: the free ones, or with taken=1 the taken ones too.
func (s *Site) getAvailability(r *http.Request) (any, *refusal) {
	timer := time.NewTimer(thinking)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
	query := r.URL.Query()
	clinic, no := s.clinic(number(query.Get("clinic")))
	if no != nil {
		return nil, no
	}
	by, no := modality(query.Get("modality"))
	if no != nil {
		return nil, no
	}
	v, no := s.visitOf(numbers(query.Get("services")), by, int(number(query.Get("minutes"))))
	if no != nil {
		return nil, no
	}
	day, err := time.ParseInLocation(time.DateOnly, query.Get("date"), clinic.location)
	if err != nil {
		return nil, invalid("Choose a day.")
	}
	answer := map[string]any{"clinic": clinic.ID, "timeZone": clinic.TimeZone, "minutes": v.minutes}
	answer["providers"] = s.diaries(clinic, v, day, numbers(query.Get("providers")), query.Get("taken") == "1")
	return answer, nil
}

func (s *Site) diaries(c *Clinic, v visit, day time.Time, listed []int64, taken bool) []diary {
	list := []diary{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.providers {
		if !slices.Contains(p.Clinics, c.ID) || len(listed) > 0 && !slices.Contains(listed, p.ID) {
			continue
		}
		slots := s.slots(&p, c, v, day)
		if !taken {
			slots = slices.DeleteFunc(slots, func(slot Slot) bool { return !slot.Free })
		}
		list = append(list, diary{Provider: p.ID, Name: p.Name, Offers: s.offers(&p, c, v), Slots: slots})
	}
	return list
}

// FreeSlots are the times at which a provider can be booked for services at a
// clinic, on the first day from a given one on that has at least so many.
func (s *Site) FreeSlots(provider, clinic int64, by Modality, services []int64, from time.Time, atLeast int) []Slot {
	p, no := s.provider(provider)
	if no != nil {
		return nil
	}
	c, no := s.clinic(clinic)
	if no != nil {
		return nil
	}
	v, no := s.visitOf(services, by, 0)
	if no != nil {
		return nil
	}
	for n := range bookAhead {
		if found := s.diaries(c, v, from.In(c.location).AddDate(0, 0, n), []int64{p.ID}, false); len(found) == 1 && len(found[0].Slots) >= atLeast {
			return found[0].Slots
		}
	}
	return nil
}
