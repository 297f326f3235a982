package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// How many there are of what.
const (
	otherPeople = 20 // besides the users
	entriesEach = 24 // in a user's activity, at the start
)

// person is somebody who can be paid.
type person struct {
	Handle string // such as "jane-roe"
	Name   string
	user   string // who the person is as a user, or ""
}

// Initials stand in a person's picture.
func (p *person) Initials() string {
	first, last, _ := strings.Cut(p.Name, " ")
	return first[:1] + last[:1]
}

// Tone is which of six colours the person's picture has.
func (p *person) Tone() int { return len(p.Handle) % 6 }

// entry is a line of a user's activity.
type entry struct {
	ID       string
	With     *person
	Amount   cents
	Incoming bool
	Note     string
	At       time.Time
}

// Date says when it was.
func (e *entry) Date() string { return e.At.Format("Jan 2, 2006") }

// person finds one by the handle, with or without the sign before it, or by the
// e-mail address of a user; nil when there is none.
func (s *Site) person(named string) *person {
	named = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(named), "@"))
	for _, p := range s.people {
		if p.Handle == named || p.user != "" && p.user == named {
			return p
		}
	}
	return nil
}

var notes = []string{
	"Rent, my half", "Tacos on Friday", "Concert tickets", "Thanks for the ride", "Groceries", "Birthday present for Ana",
	"Electricity", "Cabin weekend", "Coffee", "Lost the bet", "Gym, July", "Haircut", "Dog sitting", "Team lunch",
}

// seed makes the people and the users' activity so far, the same every time.
func (s *Site) seed() {
	fake := gofakeit.New(12)
	for _, user := range Users {
		first, rest, _ := strings.Cut(user.Username, ".")
		last, _, _ := strings.Cut(rest, "@")
		s.people = append(s.people, newPerson(first, last, user.Username))
	}
	for range otherPeople {
		s.people = append(s.people, newPerson(fake.FirstName(), fake.LastName(), ""))
	}
	for _, user := range Users {
		s.balances[user.Username] = cents(fake.IntRange(40_000, 180_000))
		at := s.now()
		for range entriesEach {
			at = at.Add(-time.Duration(fake.IntRange(9, 130)) * time.Hour)
			s.activity[user.Username] = append(s.activity[user.Username], &entry{
				ID:       "Q" + strings.ToUpper(fake.LetterN(3)) + fake.DigitN(6),
				With:     s.people[len(Users)+fake.IntN(otherPeople)],
				Amount:   cents(fake.IntRange(300, 24_000)),
				Incoming: fake.Bool(),
				Note:     fake.RandomString(notes),
				At:       at,
			})
		}
	}
}

func newPerson(first, last, user string) *person {
	name := func(word string) string { return strings.ToUpper(word[:1]) + strings.ToLower(word[1:]) }
	return &person{
		Handle: strings.ToLower(fmt.Sprintf("%s-%s", first, last)), Name: name(first) + " " + name(last), user: user,
	}
}
