package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"

	kit "integration.gateway/pkg/sandbox"
)

// Activity is an entry of the activity log: who did what to which customer. The
// log begins when the application starts.
type Activity struct {
	At         time.Time `json:"at"`
	User       string    `json:"user"`
	What       string    `json:"what"`
	CustomerID string    `json:"customerId"`
	Customer   string    `json:"customer"` // their name at that time
	Note       string    `json:"note"`     // as it was typed into the form
}

// maxActivity bounds the log; the oldest entries go first.
const maxActivity = 20_000

// note adds an entry to the log. The caller holds s.mu.
func (s *Site) note(user, what string, c *Customer, words string) {
	entry := Activity{At: c.UpdatedAt, User: userNames[user], What: what, CustomerID: c.ID, Customer: c.Name(), Note: words}
	s.activity = slices.Insert(s.activity, 0, entry)
	s.activity = s.activity[:min(len(s.activity), maxActivity)]
	if !slices.Contains(s.changed, c.ID) {
		s.changed = append(s.changed, c.ID)
	}
	s.Effect("customer")
}

// activityOf lists the entries of a customer. The caller holds s.mu.
func (s *Site) activityOf(id string) []Activity {
	return s.activityWhere(func(a Activity) bool { return a.CustomerID == id })
}

func (s *Site) activityWhere(fits func(Activity) bool) []Activity {
	const most = 50
	found := []Activity{}
	for _, entry := range s.activity {
		if len(found) < most && fits(entry) {
			found = append(found, entry)
		}
	}
	return found
}

func (s *Site) getActivity(w http.ResponseWriter, r *http.Request, _ *kit.Session) {
	text := strings.ToLower(strings.TrimSpace(r.URL.Query().Get("q")))
	s.mu.Lock()
	defer s.mu.Unlock()
	kit.WriteJSON(w, http.StatusOK, map[string]any{"activity": s.activityWhere(func(a Activity) bool {
		return strings.Contains(strings.ToLower(a.Customer+" "+a.User+" "+a.Note), text)
	})})
}
