package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	kit "integration.gateway/pkg/sandbox"
)

// Message is one message of a thread.
type Message struct {
	ID   int       `json:"id"` // later ones have larger ids
	From string    `json:"from"`
	To   string    `json:"to"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Refusal is a message that the network did not take.
type Refusal struct {
	From, To, Reason string
}

// threadKey is whose thread it is: a user's, with a member.
type threadKey struct{ user, member string }

// Bounds of messages.
const (
	maxText    = 8000 // characters of a message
	maxThread  = 2000 // messages of a thread; the oldest go first
	maxSent    = 10_000
	dailyLimit = 500 // messages of a user a day
)

// A page of a thread.
const (
	pageSize    = 20
	maxPageSize = 200
)

// shownMessage is a message as the overlay gets it.
type shownMessage struct {
	ID   int       `json:"id"`
	Mine bool      `json:"mine"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// getThread answers with the last messages of a thread; with before, the last
// of those before that one; with after, the first of those after that one.
func (s *Site) getThread(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	member, known := s.byName[r.PathValue("name")]
	if !known {
		refuse(w, http.StatusNotFound, "This member is not on Peerline any more.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	thread := s.threads[threadKey{session.User(), member.Name}]
	beyond := func(id int) int {
		return len(thread) - len(slices.DeleteFunc(slices.Clone(thread), func(m Message) bool { return m.ID <= id }))
	}
	from, to := max(0, len(thread)-pageSize), len(thread)
	if after, err := strconv.Atoi(query.Get("after")); err == nil {
		from = beyond(after)
		to = min(from+maxPageSize, len(thread))
	} else if before, err := strconv.Atoi(query.Get("before")); err == nil {
		to = beyond(before - 1)
		from = max(0, to-pageSize)
	}
	shown := []shownMessage{}
	for _, m := range thread[from:to] {
		shown = append(shown, shownMessage{m.ID, m.From == ownProfile[session.User()], m.Text, m.At})
	}
	kit.WriteJSON(w, http.StatusOK, map[string]any{
		"with":     map[string]string{"name": member.Name, "fullName": member.FullName},
		"messages": shown, "earlier": from > 0,
	})
}

// listThreads answers with whom the user has written, the latest first.
func (s *Site) listThreads(w http.ResponseWriter, _ *http.Request, session *kit.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	type entry struct {
		Name     string `json:"name"`
		FullName string `json:"fullName"`
		Last     string `json:"last"`
		id       int
	}
	entries := []entry{}
	for _, m := range s.members {
		if thread := s.threads[threadKey{session.User(), m.Name}]; len(thread) > 0 {
			last := thread[len(thread)-1]
			words, _, _ := strings.Cut(last.Text, "\n")
			entries = append(entries, entry{m.Name, m.FullName, words, last.ID})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return b.id - a.id })
	kit.WriteJSON(w, http.StatusOK, map[string]any{"threads": entries})
}

func (s *Site) postMessage(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	var form struct{ Text string }
	if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
		refuse(w, http.StatusBadRequest, "This message cannot be read.")
		return
	}
	user, name := session.User(), r.PathValue("name")
	s.mu.Lock()
	defer s.mu.Unlock()
	if status, reason := s.objection(user, name, form.Text); status != 0 {
		if len(s.refusals) < maxSent {
			s.refusals = append(s.refusals, Refusal{ownProfile[user], name, reason})
		}
		refuse(w, status, reason)
		return
	}
	m := s.add(threadKey{user, name}, ownProfile[user], name, form.Text, s.now().UTC())
	s.today[user]++
	s.sent = append(s.sent, m)
	s.sent = s.sent[max(0, len(s.sent)-maxSent):]
	s.Effect("message")
	kit.WriteJSON(w, http.StatusCreated, shownMessage{m.ID, true, m.Text, m.At})
}

// objection is why the network does not take a message; the status is 0 where
// it does. The caller holds s.mu.
func (s *Site) objection(user, name, text string) (status int, reason string) {
	member, known := s.byName[name]
	switch {
	case !known:
		return http.StatusNotFound, "This member is not on Peerline any more."
	case strings.TrimSpace(text) == "":
		return http.StatusUnprocessableEntity, "Write something first."
	case utf8.RuneCountInString(text) > maxText:
		return http.StatusUnprocessableEntity, "Messages can have up to 8,000 characters."
	case name == ownProfile[user], !member.Open, member.Guarded:
		return http.StatusUnprocessableEntity, member.FullName + " takes messages from connections only."
	case s.today[user] >= dailyLimit:
		return http.StatusTooManyRequests, "You have reached the limit of messages for today. Please try again tomorrow."
	}
	return 0, ""
}

// add puts a message at the end of a thread. The caller holds s.mu.
func (s *Site) add(key threadKey, from, to, text string, at time.Time) Message {
	s.lastID += 3
	m := Message{ID: 70_000_000 + s.lastID, From: from, To: to, Text: text, At: at}
	s.threads[key] = append(s.threads[key], m)
	s.threads[key] = s.threads[key][max(0, len(s.threads[key])-maxThread):]
	return m
}

// Say has a member write to Jane.
func (s *Site) Say(member, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(threadKey{Jane.Username, member}, member, ownProfile[Jane.Username], text, s.now().UTC())
}

// seedThreads fills the threads that the users have from before.
func (s *Site) seedThreads() {
	start := s.now().UTC().AddDate(0, -2, 0).Truncate(time.Minute)
	me := ownProfile[Jane.Username]
	say := func(member string, mine bool, text string) {
		start = start.Add(7 * time.Hour)
		from, to := member, me
		if mine {
			from, to = me, member
		}
		s.add(threadKey{Jane.Username, member}, from, to, text, start)
	}
	for i := range 45 {
		say(Talkative, i%2 == 0, []string{
			"Good morning! Are you at the meetup on Thursday?", "Yes, see you there.", "Shall I bring the slides?",
			"Please do.\nAnd the adapter.", "Thank you!", "Thank you for the talk yesterday.", "Any time 🙂",
		}[i%7])
	}
	say(Guarded, false, "Thank you for the invitation, I am booked up.")
	say(Guarded, true, "Thank you!")
	say(Namesake, true, "Funny, we have the same name.")
	say(Namesake, false, "I thought I had written to myself!")
	say(Namesake, true, "Thank you!")
}

// api lets only signed-in users ask.
func (s *Site) api(next func(http.ResponseWriter, *http.Request, *kit.Session)) http.HandlerFunc {
	return s.SignedIn(next, func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusUnauthorized, "Please sign in.")
	})
}

// refuse answers with words for the member at the screen.
func refuse(w http.ResponseWriter, status int, words string) {
	kit.WriteJSON(w, status, map[string]string{"error": words})
}
