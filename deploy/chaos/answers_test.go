package chaos_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/marketplace"
)

// clauses are what the text of a failed write says of each outcome.
var clauses = map[contracts.Outcome]string{
	contracts.NotBegun:    "this request was not begun: ",
	contracts.NothingDone: "nothing was done: ",
	contracts.Done:        "it was done: ",
	contracts.NotKnown:    "whether it was done is not known: ",
}

// outcomeOf is what a caller is told whose command has ended.
func outcomeOf(applied bool) contracts.Outcome {
	if applied {
		return contracts.Done
	}
	return contracts.NothingDone
}

// compareTexts compares each answer to the writes of a trial with its own
// outcome, with what became of its command, and with the shop. The ids are the
// commands and orders that callers were told of, each with whose it is.
func (r *report) compareTexts(o *outcome, ids map[string]string) {
	if o.what.kind == contracts.NoEffect {
		return
	}
	for _, q := range o.requests {
		command := ""
		for _, a := range q.all() {
			if a.status == 0 {
				continue
			}
			r.compareText(o, a)
			r.compareOutcome(o, q, a)
			r.compareOrder(o, a, ids)
			switch {
			case a.command == "" && (a.outcome != contracts.NotBegun || q.key == ""), a.command != "" && command != "" && a.command != command:
				r.wrong("answers with another Command-Id", o, "key %q, command %q: %s", q.key, command, a)
			case a.command != "":
				command = a.command
			}
		}
		if owner, told := ids[command]; command != "" && told {
			r.wrong("answers with another Command-Id", o, "key %q has the command of key %q", q.key, owner)
		}
		ids[command] = q.key
	}
}

func (r *report) compareText(o *outcome, a answer) {
	clause := clauses[a.outcome]
	switch {
	case clause == "":
		r.wrong("answers that do not tell the outcome", o, "%s", a)
	case a.status != http.StatusOK && !bytes.Contains(bytes.ToLower(a.body), []byte(clause)):
		r.wrong("answers that do not tell the outcome", o, "the text does not say %q: %s", clause, a)
	case a.status == http.StatusOK && a.outcome != contracts.Done:
		r.wrong("answers that do not tell the outcome", o, "%s", a)
	case bytes.Contains(a.body, []byte("internal error")):
		r.wrong("answers that do not tell the outcome", o, "an internal error: %s", a)
	}
}

// compareOutcome compares an outcome with the log, which has been compared with
// the shop. What was not done when the request was sent may have been done for a
// later one with its key.
func (r *report) compareOutcome(o *outcome, q *request, a answer) {
	s := o.command(a.command)
	applied := s != nil && s.applied
	switch a.outcome {
	case contracts.Done:
		if !applied {
			r.wrong("answers that are not true", o, "the log does not say that it was done: %s", a)
		}
	case contracts.NothingDone:
		if applied && (s.start.Before(a.at) || !q.asked(a.until())) {
			r.wrong("answers that are not true", o, "it was done: %s", a)
		}
	case contracts.NotBegun:
		if s != nil && s.started > 0 && q.only(contracts.NotBegun) {
			r.wrong("answers that are not true", o, "it was begun: %s", a)
		}
	case contracts.NotKnown:
	}
}

// compareOrder says whether an order that a caller was told of is at the shop,
// for the user and the item, and no other command's.
func (r *report) compareOrder(o *outcome, a answer, ids map[string]string) {
	if a.status != http.StatusOK || o.what.kind != contracts.Order {
		return
	}
	var order marketplace.Order
	if err := json.Unmarshal(a.body, &order); err != nil || order.OrderID == "" || order.ASIN != o.what.asin {
		r.wrong("orders that are not the caller's", o, "%s: %v", a, err)
		return
	}
	if s := o.command(a.command); s == nil || !slices.ContainsFunc(s.effects, func(e effect) bool { return e.id == order.OrderID }) {
		r.wrong("orders that are not the caller's", o, "command %s placed no order %s: %s", a.command, order.OrderID, r.world.shop.effect(order.OrderID))
	}
	if owner, told := ids[order.OrderID]; told && owner != a.command {
		r.wrong("orders that are not the caller's", o, "order %s is also the one of command %s: %s", order.OrderID, owner, a)
	}
	ids[order.OrderID] = a.command
}

// effect tells of the order with an id.
func (s *shop) effect(id string) string {
	for _, e := range s.effects {
		if e.id == id {
			return e.String()
		}
	}
	return "the shop has no such order"
}

// command returns a command of the trial, or nil.
func (o *outcome) command(id string) *story {
	for _, s := range o.commands {
		if s.id == id {
			return s
		}
	}
	return nil
}

// until is when the answer had come.
func (a answer) until() time.Time { return a.at.Add(a.took) }

// asked says whether the request was under way at a time, or was sent later.
func (r *request) asked(at time.Time) bool {
	for _, a := range r.all() {
		if a.until().After(at) {
			return true
		}
	}
	return false
}

// only says whether each time that the request was sent it got this outcome.
func (r *request) only(outcome contracts.Outcome) bool {
	for _, a := range r.all() {
		if a.outcome != outcome {
			return false
		}
	}
	return true
}
