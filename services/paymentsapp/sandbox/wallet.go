package sandbox

import (
	"net/http"
	"slices"

	kit "integration.gateway/pkg/sandbox"
)

// recent is how many entries the first page shows.
const recent = 6

// wallet is what the first page and the list of activity show.
type wallet struct {
	Balance  cents
	Activity []*entry
	People   []*person
}

func (s *Site) wallet(user string) wallet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return wallet{s.balances[user], slices.Clone(s.activity[user]), s.people[len(Users) : len(Users)+5]}
}

func (s *Site) showWallet(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	shown := s.wallet(session.User())
	shown.Activity = shown.Activity[:min(recent, len(shown.Activity))]
	s.show(w, r, http.StatusOK, "wallet", "Your money", shown)
}

func (s *Site) showActivity(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, r, http.StatusOK, "activity", "Activity", s.wallet(session.User()))
}

func (s *Site) showEntry(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	entries := s.wallet(session.User()).Activity
	at := slices.IndexFunc(entries, func(e *entry) bool { return e.ID == r.PathValue("id") })
	if at < 0 {
		s.notFound(w, r)
		return
	}
	s.show(w, r, http.StatusOK, "entry", "Payment "+entries[at].ID, entries[at])
}
