package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/brianvoe/gofakeit/v7"
)

// How many there are of what.
const (
	otherMembers = 24 // besides the users
	postsEach    = 6
)

// member is one of the network's members.
type member struct {
	Handle    string
	Name      string
	About     string
	Followers int
	Following int
}

// face is how a member shows beside what is theirs.
type face struct {
	Handle  string `json:"handle"`
	Name    string `json:"name"`
	Picture string `json:"picture"`
}

func (m *member) face() *face {
	return &face{Handle: m.Handle, Name: m.Name, Picture: "/faces/" + m.Handle + ".svg"}
}

// post is a picture that a member has posted.
type post struct {
	ID       string
	By       *member
	Caption  string
	Place    string
	Age      time.Duration
	Likes    int // of members who are no users
	Comments int
}

// member returns the one of that name, or nil.
func (s *Site) member(handle string) *member {
	for _, m := range s.members {
		if m.Handle == handle {
			return m
		}
	}
	return nil
}

func (s *Site) post(id string) *post {
	for _, p := range s.posts {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// seed makes the members and their posts, the same ones every time.
func seed() ([]*member, []*post) {
	fake := gofakeit.New(11)
	var members []*member
	for _, user := range Users {
		members = append(members, newMember(fake, handles[user.Username]))
	}
	for len(members) < len(Users)+otherMembers {
		members = append(members, newMember(fake, strings.ToLower(fake.FirstName()+"."+fake.LastName())))
	}
	var posts []*post
	for i := range postsEach * len(members) {
		posts = append(posts, &post{
			ID:       fmt.Sprintf("p%04d", 1000+7*i),
			By:       members[fake.IntN(len(members))],
			Caption:  caption(fake),
			Place:    fake.City(),
			Age:      time.Duration(i*97+fake.IntN(90)) * time.Minute,
			Likes:    fake.IntRange(3, 900),
			Comments: fake.IntRange(0, 60),
		})
	}
	return members, posts
}

// newMember names a member after the handle, such as "jane.roe".
func newMember(fake *gofakeit.Faker, handle string) *member {
	first, last, _ := strings.Cut(handle, ".")
	return &member{
		Handle:    handle,
		Name:      capital(first) + " " + capital(last),
		About:     fmt.Sprintf("%s in %s. Mostly %s.", fake.JobTitle(), fake.City(), fake.RandomString(subjects)),
		Followers: fake.IntRange(40, 9000),
		Following: fake.IntRange(20, 800),
	}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

var (
	subjects = []string{"mountains", "street corners", "breakfast", "my two cats", "old film", "lakes at dawn", "bicycles", "rooftops"}
	openings = []string{"Caught the light over", "One more of", "Could not stop looking at", "Early train, then", "Nothing but", "Sunday and", "Finally"}
	endings  = []string{"before anyone was up.", "after the rain.", "on the way home.", "with an old lens.", "and good company.", "for once without a filter."}
)

func caption(fake *gofakeit.Faker) string {
	return fmt.Sprintf("%s %s %s", fake.RandomString(openings), fake.RandomString(subjects), fake.RandomString(endings))
}
