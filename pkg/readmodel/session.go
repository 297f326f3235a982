package readmodel

import (
	"errors"
	"time"

	"integration.gateway/contracts/event"
)

// SessionState says whether a session's browser is there.
type SessionState string

// The states of a session.
const (
	Open   SessionState = "open"
	Closed SessionState = "closed"
)

// Session is what the events of a session's stream add up to.
type Session struct {
	ID          string       `json:"id"`
	Integration string       `json:"integration"`
	Command     string       `json:"command"` // the command that opened it
	Caller      string       `json:"caller"`
	Account     string       `json:"account"`
	Site        string       `json:"site"`
	State       SessionState `json:"state"`
	OpenedAt    time.Time    `json:"opened_at"`
	Expires     *time.Time   `json:"expires,omitempty"`     // when it is closed at the latest
	Attached    int64        `json:"attached"`              // how often a client connected
	AttachedAt  *time.Time   `json:"attached_at,omitempty"` // the last time that one did
	Detached    int64        `json:"detached"`              // how often one was connected no more
	ClosedAt    *time.Time   `json:"closed_at,omitempty"`
	Reason      string       `json:"reason"` // why it was closed
	Trace
}

// Clients is how many clients are connected. None is to a browser that has
// ended, whether or not that was recorded of each.
func (s *Session) Clients() int64 {
	if s.State == Closed {
		return 0
	}
	return max(0, s.Attached-s.Detached)
}

// Apply counts in the next event of the session's stream, as Command.Apply does.
func (s *Session) Apply(e event.Event) error {
	if s.Events == 0 {
		s.ID = sessions.idOf(e.Stream)
		s.Integration, s.Command, s.Caller, s.Account = e.Integration, e.Command, e.Caller, e.Account
		s.State, s.OpenedAt = Open, e.Time
	}
	return s.count(e, s.apply)
}

func (s *Session) apply(e event.Event) error {
	at := e.Time
	switch e.Type {
	case event.TypeSessionOpened:
		p, err := payload[event.SessionOpened](e)
		if err != nil {
			return err
		}
		// The database keeps microseconds, and knows no year 0.
		expires := p.Expires.UTC().Truncate(time.Microsecond)
		if expires.Year() < 1 || expires.Year() > 9999 {
			return errors.New("it expires in no year of the calendar")
		}
		s.Expires, s.Site = &expires, text(p.Site)
	case event.TypeSessionAttached:
		s.Attached, s.AttachedAt = s.Attached+1, &at
	case event.TypeSessionDetached:
		s.Detached++
	case event.TypeSessionClosed:
		return take(e, func(p event.SessionClosed) {
			s.State, s.ClosedAt, s.Reason = Closed, &at, text(p.Reason)
		})
	}
	return nil
}

func (s *Session) key() string { return s.ID }

func (s *Session) times() []*time.Time {
	return []*time.Time{&s.OpenedAt, s.Expires, s.AttachedAt, s.ClosedAt}
}
