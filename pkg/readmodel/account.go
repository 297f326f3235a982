package readmodel

import (
	"time"

	"integration.gateway/contracts/event"
)

// AccountState is what can be done with an account.
type AccountState string

// The states of an account.
const (
	Linked      AccountState = "linked"        // no browser has signed in to it yet
	SignedIn    AccountState = "signed-in"     // the last try to sign in succeeded
	NeedsSignIn AccountState = "needs-sign-in" // the site refused its user name and password
	Unlinked    AccountState = "unlinked"      // its token works no more
	Erased      AccountState = "erased"        // its key is destroyed
)

// Account is what the events of an account's stream add up to.
type Account struct {
	ID          string       `json:"id"`
	Integration string       `json:"integration"`
	Caller      string       `json:"caller"`
	State       AccountState `json:"state"`
	Site        string       `json:"site"`    // where the last try to sign in was made
	Message     string       `json:"message"` // why it needs a sign-in
	LinkedAt    time.Time    `json:"linked_at"`
	SignedInAt  *time.Time   `json:"signed_in_at,omitempty"` // the last time
	UnlinkedAt  *time.Time   `json:"unlinked_at,omitempty"`
	ErasedAt    *time.Time   `json:"erased_at,omitempty"`
	Trace
}

// Apply counts in the next event of the account's stream, as Command.Apply does.
func (a *Account) Apply(e event.Event) error {
	if a.Events == 0 {
		a.ID = accounts.idOf(e.Stream)
		a.Integration, a.Caller = e.Integration, e.Caller
		a.State, a.LinkedAt = Linked, e.Time
	}
	return a.count(e, a.apply)
}

func (a *Account) apply(e event.Event) error {
	at := e.Time
	switch e.Type {
	case event.TypeAccountSignedIn:
		return take(e, func(p event.AccountSignedIn) {
			a.SignedInAt = &at
			a.signIn(SignedIn, p.Site, "")
		})
	case event.TypeAccountNeedsSignIn:
		return take(e, func(p event.AccountNeedsSignIn) { a.signIn(NeedsSignIn, p.Site, p.Message) })
	case event.TypeAccountUnlinked:
		a.UnlinkedAt = &at
		a.finish(Unlinked)
	case event.TypeAccountErased:
		a.ErasedAt = &at
		a.finish(Erased)
	}
	return nil
}

// signIn notes how a try to sign in ended. A command that was under way may
// still sign in to an account that is unlinked by then, which stays unlinked.
func (a *Account) signIn(state AccountState, site, message string) {
	a.Site = text(site)
	if a.State != Unlinked && a.State != Erased {
		a.State, a.Message = state, text(message)
	}
}

func (a *Account) finish(state AccountState) {
	a.Message = ""
	if a.State != Erased {
		a.State = state
	}
}

func (a *Account) key() string { return a.ID }

func (a *Account) times() []*time.Time {
	return []*time.Time{&a.LinkedAt, a.SignedInAt, a.UnlinkedAt, a.ErasedAt}
}
