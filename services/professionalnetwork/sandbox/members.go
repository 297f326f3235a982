package sandbox

import (
	"fmt"
	"strings"

	"github.com/brianvoe/gofakeit/v7"

	kit "integration.gateway/pkg/sandbox"
)

// The users who can sign in; they are members too.
var (
	// Jane may write to whom she likes, as far as they let her.
	Jane = kit.User{Username: "jane.roe@example.com", Password: "correct-horse-7"}
	// Amir is new, and has written to nobody.
	Amir = kit.User{Username: "amir.khan@example.com", Password: "copper-Valve-52"} //nolint:gosec // a demonstration account
	// Sam has sent as many messages today as the network allows.
	Sam = kit.User{Username: "sam.porter@example.com", Password: "violet-Anchor-38"}
)

// Users are all users of the network.
var Users = []kit.User{Jane, Amir, Sam}

// ownProfile is the profile name of each user.
var ownProfile = map[string]string{Jane.Username: "jane-roe", Amir.Username: "amir-khan", Sam.Username: "sam-porter"}

// Profile names of members with whom something is special.
const (
	Namesake  = "jane-roe-4b2a91"        // is connected, and has written a little with Jane
	Talkative = "amara-osei-77d0c2"      // is connected, and has a long thread with Jane
	Newcomer  = "teo-nakamura-8e44f0"    // is not connected, and takes messages from everybody
	Closed    = "viktor-lind-51be03"     // is not connected, and cannot be written to
	Guarded   = "sofia-marchetti-c90a17" // has written with Jane, is not connected any more, and the network finds out late that she takes no messages
)

// Member is a member of the network.
type Member struct {
	Name      string // profile name: the last part of the profile's address
	FullName  string
	Headline  string
	Place     string
	About     string
	Connected bool // with the users who can sign in
	Open      bool // their profile offers to write to them
	Guarded   bool // ... and yet they take no messages
}

// Initials stand in for a picture.
func (m *Member) Initials() string {
	initials := ""
	for _, word := range strings.Fields(m.FullName) {
		initials += string([]rune(word)[:1])
	}
	return initials
}

// subjects are what members work on.
var subjects = []string{"water mains", "payroll", "city maps", "hearing aids", "freight", "type design", "school meals", "wind farms"}

// crowd is how many members there are besides the special ones.
const crowd = 75

// seededMembers returns the members, always the same.
func seededMembers() ([]*Member, map[string]*Member) {
	fake := gofakeit.New(11)
	members := []*Member{
		{Name: ownProfile[Jane.Username], FullName: "Jane Roe"},
		{Name: ownProfile[Sam.Username], FullName: "Sam Porter", Connected: true, Open: true},
		{Name: Namesake, FullName: "Jane Roe", Connected: true, Open: true},
		{Name: Talkative, FullName: "Amara Osei", Connected: true, Open: true},
		{Name: Newcomer, FullName: "Teo Nakamura", Open: true},
		{Name: Closed, FullName: "Viktor Lind"},
		{Name: Guarded, FullName: "Sofia Marchetti", Open: true, Guarded: true},
	}
	for i := range crowd {
		first, last := fake.FirstName(), fake.LastName()
		name := fmt.Sprintf("%s-%s-%06x", strings.ToLower(first), strings.ToLower(last), 0x10a000+i*0x1f7d)
		members = append(members, &Member{Name: name, FullName: first + " " + last, Connected: i%2 == 0, Open: i%2 == 0 || i%3 == 0})
	}
	members = append(members, &Member{Name: ownProfile[Amir.Username], FullName: "Amir Khan"})
	byName := map[string]*Member{}
	for _, m := range members {
		m.Headline = fake.JobTitle() + " · " + fake.RandomString([]string{"hiring", "speaker", "open to talks", "ex-consultant", "mentor"})
		m.Place = fake.RandomString([]string{"Lisbon", "Chicago", "Nairobi", "Gothenburg", "Osaka", "Valparaíso", "Leeds"})
		m.About = "Works on " + fake.RandomString(subjects) + " and " + fake.RandomString(subjects) + ". Likes plain language and short meetings."
		byName[m.Name] = m
	}
	return members, byName
}
