package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	kit "integration.gateway/pkg/sandbox"
)

// maxNote bounds a note, in characters.
const maxNote = 120

// payForm is what was typed into the form, and what is wrong with it.
type payForm struct {
	To, Amount, Note string
	Errors           map[string]string // by field
	Balance          cents

	payee *person // once it is without errors
	sum   cents
}

// Payee is who gets the payment.
func (f payForm) Payee() *person { return f.payee }

// Sum is how much it is.
func (f payForm) Sum() cents { return f.sum }

func (s *Site) showPay(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	s.show(w, r, http.StatusOK, "pay", "Pay someone", payForm{To: r.URL.Query().Get("to"), Balance: s.wallet(session.User()).Balance})
}

// postPay shows the payment once more, or what is wrong with it.
func (s *Site) postPay(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	form := s.typed(r, session)
	if len(form.Errors) > 0 {
		s.show(w, r, http.StatusUnprocessableEntity, "pay", "Pay someone", form)
		return
	}
	s.show(w, r, http.StatusOK, "review", "Is this right?", form)
}

// postConfirm pays.
func (s *Site) postConfirm(w http.ResponseWriter, r *http.Request, session *kit.Session) {
	form := s.typed(r, session)
	if len(form.Errors) == 0 {
		if id, paid := s.pay(session.User(), form); paid {
			http.Redirect(w, r, "/activity/"+id, http.StatusSeeOther)
			return
		}
		form = s.typed(r, session) // the balance has changed since
	}
	s.show(w, r, http.StatusUnprocessableEntity, "pay", "Pay someone", form)
}

// typed reads and checks the form.
func (s *Site) typed(r *http.Request, session *kit.Session) payForm {
	f := payForm{
		To: r.PostFormValue("to"), Amount: r.PostFormValue("amount"), Note: strings.TrimSpace(r.PostFormValue("note")),
		Errors: map[string]string{}, Balance: s.wallet(session.User()).Balance,
	}
	var isAmount bool
	f.payee = s.person(f.To)
	f.sum, isAmount = parseCents(f.Amount)
	switch {
	case f.payee == nil:
		f.Errors["to"] = "We do not know anyone of this name."
	case f.payee.user == session.User():
		f.Errors["to"] = "You cannot pay yourself."
	}
	switch {
	case !isAmount || f.sum == 0:
		f.Errors["amount"] = "Type an amount, such as 12.50."
	case f.sum > f.Balance:
		f.Errors["amount"] = "You do not have that much."
	}
	if utf8.RuneCountInString(f.Note) > maxNote {
		f.Errors["note"] = fmt.Sprintf("Keep the note within %d characters.", maxNote)
	}
	return f
}

// pay moves the money, unless it has just been spent otherwise.
func (s *Site) pay(user string, f payForm) (id string, paid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.balances[user] < f.sum {
		return "", false
	}
	id = fmt.Sprintf("QPAY%06d", 100_001+len(s.payments))
	s.balances[user] -= f.sum
	s.enter(user, &entry{ID: id, With: f.payee, Amount: f.sum, Note: f.Note, At: s.now()})
	if payee := f.payee.user; payee != "" {
		s.balances[payee] += f.sum
		s.enter(payee, &entry{ID: id, With: s.person(user), Amount: f.sum, Incoming: true, Note: f.Note, At: s.now()})
	}
	s.payments = append(s.payments, Payment{ID: id, From: user, To: f.payee.Handle, Amount: f.sum.plain(), Note: f.Note})
	s.kit.Effect("payment")
	return id, true
}

// enter adds a line to a user's activity.
func (s *Site) enter(user string, e *entry) {
	s.activity[user] = append([]*entry{e}, s.activity[user]...)
}
