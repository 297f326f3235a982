package sandbox

import (
	"slices"
	"time"
)

// span is a time from its start up to its end.
type span struct{ start, end time.Time }

func (s span) overlaps(o span) bool { return s.start.Before(o.end) && o.start.Before(s.end) }

func (s span) holds(o span) bool { return !o.start.Before(s.start) && !o.end.After(s.end) }

// Blocked is a time at which a provider cannot be booked.
type Blocked struct {
	Clinic int64     `json:"clinic"`
	Start  time.Time `json:"start"`
	End    time.Time `json:"end"`
	Reason string    `json:"reason"`
}

// worksAt says whether a provider works at a clinic on a day. Who works at two
// is at the first one on Mondays, Wednesdays and Fridays, and at the second
// one on the other days.
func worksAt(p *Provider, c *Clinic, day time.Time) bool {
	at := slices.Index(p.Clinics, c.ID)
	return at >= 0 && p.Active && (len(p.Clinics) == 1 || (int(day.Weekday())+1)%2 == at)
}

// working is when a provider works at a clinic on a day; nothing where they do
// not.
func working(p *Provider, c *Clinic, day time.Time) (span, bool) {
	i := slices.IndexFunc(c.Hours, func(h Hours) bool { return h.Day == day.Weekday() })
	if i < 0 || !worksAt(p, c, day) {
		return span{}, false
	}
	return span{clock(day, c.Hours[i].From), clock(day, c.Hours[i].To)}, true
}

// clock is a time of a day, which is right on days of 23 and 25 hours too.
func clock(day time.Time, hhmm string) time.Time {
	at, err := time.Parse("15:04", hhmm)
	if err != nil {
		panic(err)
	}
	return time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, day.Location())
}

// The calendar of the site: days before and after the one on which it opens.
const (
	daysBack  = 120
	daysAhead = 60
	bookAhead = 365 // how far ahead one can book
)

// blockTimes gives every provider a lunch break on each working day, a meeting
// on Mondays, and one of them a week of leave.
func (s *Site) blockTimes() {
	s.blocked = map[int64][]Blocked{}
	for _, p := range s.providers {
		var list []Blocked
		for _, c := range s.clinics {
			today := s.today(c.location)
			for n := -daysBack; n <= bookAhead; n++ {
				if hours, works := working(&p, &c, today.AddDate(0, 0, n)); works {
					list = append(list, breaks(&p, &c, hours, n)...)
				}
			}
		}
		slices.SortFunc(list, func(a, b Blocked) int { return a.Start.Compare(b.Start) })
		s.blocked[p.ID] = list
	}
}

// Blocked returns when a provider cannot be booked at a clinic, earliest first.
func (s *Site) Blocked(provider, clinic int64) []Blocked {
	return slices.DeleteFunc(slices.Clone(s.blocked[provider]), func(b Blocked) bool { return b.Clinic != clinic })
}

// breaks are a provider's blocked times on the nth day from today.
func breaks(p *Provider, c *Clinic, hours span, n int) []Blocked {
	var list []Blocked
	if p.ID == OnLeave && n >= 20 && n < 27 {
		return append(list, Blocked{c.ID, hours.start, hours.end, "Leave"})
	}
	if hours.start.Weekday() == time.Monday {
		list = append(list, Blocked{c.ID, hours.start, hours.start.Add(30 * time.Minute), "Team meeting"})
	}
	if hours.end.Sub(hours.start) > 6*time.Hour {
		list = append(list, Blocked{c.ID, clock(hours.start, "12:30"), clock(hours.start, "13:00"), "Lunch"})
	}
	return list
}

// OnLeave is the provider who is away in three weeks.
const OnLeave = 2
