package chaos_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"integration.gateway/contracts"
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
// outcome, with what became of its command, and with the application. The ids
// are those of commands, and of what they made, that callers were told of, each
// with whose it is.
func (r *report) compareTexts(o *outcome, ids map[string]string) {
	if o.operation.Effect == contracts.NoEffect {
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
			r.compareIdentifier(o, a, ids)
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
	case a.status != http.StatusOK && !bytes.Contains(bytes.ToLower(a.body), []byte(clause)): // it may begin a sentence
		r.wrong("answers that do not tell the outcome", o, "the text does not say %q: %s", clause, a)
	case a.status == http.StatusOK && a.outcome != contracts.Done && !a.refused():
		r.wrong("answers that do not tell the outcome", o, "%s", a)
	case bytes.Contains(a.body, []byte("internal error")):
		r.wrong("answers that do not tell the outcome", o, "an internal error: %s", a)
	}
}

// refused says whether the application itself said no, where a result tells
// that.
func (a answer) refused() bool {
	var result contracts.StatusResult
	return a.outcome == contracts.NothingDone && json.Unmarshal(a.body, &result) == nil && result.Status == contracts.StatusError
}

// compareOutcome compares an outcome with the log, which has been compared with
// the application. What was not done when the request was sent may have been done for a
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

// compareIdentifier says whether what a caller was told the identifier of was
// made by the application, as the trial wants it, and by no other command.
func (r *report) compareIdentifier(o *outcome, a answer, ids map[string]string) {
	if a.status != http.StatusOK || o.operation.Creates == "" {
		return
	}
	var result map[string]any
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.UseNumber()
	err := d.Decode(&result)
	id := fmt.Sprint(result[o.operation.Creates])
	app := o.account.application
	s := o.command(a.command)
	if err != nil || s == nil || !slices.ContainsFunc(s.effects, func(e effect) bool { return e.id == id }) {
		r.wrong("identifiers of nothing that the command made", o, "%s %s of %s: %s: %v", o.operation.Creates, id, app.name, a, err)
		return
	}
	name := app.name + " " + o.operation.Creates + " " + id
	if owner, told := ids[name]; told && owner != a.command {
		r.wrong("identifiers of nothing that the command made", o, "%s is also the one of command %s: %s", name, owner, a)
	}
	ids[name] = a.command
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
