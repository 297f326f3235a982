package sandbox

import (
	"slices"
	"strconv"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// seedCalendar fills the calendar around the day on which the site opens.
func (s *Site) seedCalendar() {
	s.calendar = calendar{byProvider: map[int64][]*Appointment{}, byClient: map[int64][]*Appointment{}, cancelled: []int64{}, told: []int64{}}
	s.blockTimes()
	fake := gofakeit.New(880)
	for n := -daysBack; n <= daysAhead; n++ {
		for i := range s.providers {
			for j := range s.clinics {
				s.seedDay(fake, &s.providers[i], &s.clinics[j], n)
			}
		}
	}
	s.seeded = int64(len(s.calendar.inOrder))
}

// seedDay fills most of a provider's day, so that some of it stays free.
func (s *Site) seedDay(fake *gofakeit.Faker, p *Provider, c *Clinic, n int) {
	hours, works := working(p, c, s.today(c.location).AddDate(0, 0, n))
	if !works {
		return
	}
	for at := hours.start; at.Before(hours.end); {
		if fake.IntRange(1, 10) > 4 {
			at = at.Add(2 * grid)
			continue
		}
		a := s.madeUp(fake, p, c, at)
		if !hours.holds(a.taken()) || !s.free(p.ID, a.taken()) {
			at = at.Add(2 * grid)
			continue
		}
		s.calendar.add(a)
		s.noteVisit(a)
		for at.Before(a.taken().end) {
			at = at.Add(grid)
		}
	}
}

func (s *Site) madeUp(fake *gofakeit.Faker, p *Provider, c *Clinic, at time.Time) *Appointment {
	by := Modality(fake.RandomString([]string{string(InPerson), string(InPerson), string(InPerson), string(InPerson), string(Video), string(Phone)}))
	offered := s.offered(p, c, by)
	service := offered[fake.IntRange(0, len(offered)-1)]
	v := visit{services: []Service{service}, by: by, minutes: service.Minutes, buffer: service.Buffer}
	client := s.clients[fake.IntRange(0, len(s.clients)-1)]
	a := newAppointment(p, c, client, v, at)
	a.Created = at.AddDate(0, 0, -fake.IntRange(1, 30)).Add(-time.Duration(fake.IntRange(0, 300)) * time.Minute)
	if today := s.today(c.location); a.Created.After(today) {
		a.Created = today.AddDate(0, 0, -1).Add(15 * time.Hour)
	}
	a.Notes = fake.RandomString([]string{"", "", "", "", "First visit.", "Prefers topical anaesthetic.", "Photos before and after."})
	a.Status = s.madeUpStatus(fake, a)
	return a
}

// madeUpStatus is that of noon, so that all sites that open on one day have the
// same calendar.
func (s *Site) madeUpStatus(fake *gofakeit.Faker, a *Appointment) Status {
	noon := s.today(a.Start.Location()).Add(12 * time.Hour)
	statuses := []Status{Booked, Booked, Confirmed, Confirmed, Requested, OnWaitlist, Cancelled}
	switch {
	case a.End.Before(noon):
		statuses = []Status{Completed, Completed, Completed, Completed, Completed, Completed, Completed, Cancelled, NoShow}
	case a.Start.Before(noon):
		statuses = []Status{CheckedIn, InRoom}
	}
	return statuses[fake.IntRange(0, len(statuses)-1)]
}

// noteVisit writes a completed appointment down with its client.
func (s *Site) noteVisit(a *Appointment) {
	if a.Status == Completed {
		client, _ := s.client(a.Client)
		client.LastVisit = max(client.LastVisit, a.Start.Format(time.DateOnly))
	}
}

// newAppointment is an appointment as it is booked.
func newAppointment(p *Provider, c *Clinic, client *Client, v visit, start time.Time) *Appointment {
	a := &Appointment{
		Clinic: c.ID, Provider: p.ID, ProviderName: p.Name, Client: client.ID, ClientName: client.Name(), Start: start, End: start.Add(v.length()),
		Minutes: v.minutes, Modality: v.by, Status: Booked, Room: room(p, c, v.by), buffer: v.kept(),
	}
	for _, service := range v.services {
		a.Services = append(a.Services, BookedService{service.ID, service.Name, service.Price})
	}
	return a
}

// room is where a provider treats clients: each has one of the clinic's rooms.
func room(p *Provider, c *Clinic, by Modality) string {
	if by != InPerson {
		return ""
	}
	return "Treatment room " + strconv.Itoa(1+int(p.ID)%c.rooms)
}

// Calendar returns the appointments that are in the calendar now, in the order
// in which they were booked.
func (s *Site) Calendar() []Appointment {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Appointment, 0, len(s.calendar.inOrder))
	for _, a := range s.calendar.inOrder {
		list = append(list, *a)
	}
	return slices.Clip(list)
}
