package chaos_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/services/marketplace/sandbox"
)

// history is a trial of one order, as it should be: placed once, recorded and
// told.
type history struct {
	world  *world
	app    *application
	trial  *trial
	answer *answer
	story  *story
}

func newHistory() *history {
	begun := time.Now()
	app := newMarketplace()
	w := &world{applications: []*application{app}, operator: &operator{said: map[string]bool{}}}
	a := &account{application: app, id: "account", user: sandbox.Jane.Username}
	w.lanes = []*account{a}
	op := app.operation("buy-now")
	t := &trial{plan: plan{operation: op, keyed: true}, world: w, account: a, wish: wish{mark: "B01"}, begun: begun}
	body := []byte(`{"orderId": "1", "asin": "B01"}`)
	t.requests = []*request{{trial: t, key: "key", answers: []answer{{
		at: begun.Add(time.Second), status: http.StatusOK, command: "command", outcome: contracts.Done, body: body, definite: true,
	}}}}
	w.trials = []*trial{t}
	app.effects = []effect{{change: change{op.Name, a.user, "B01", "1"}, at: begun, by: "command"}}
	s := &story{
		id: "command", account: a, operation: op.Name, effect: op.Effect, request: `{"asin": "B01"}`,
		begun: begun, started: 1, start: begun, settled: begun,
		end: event.TypeCommandCompleted, applied: true, complete: event.CommandCompleted{Result: json.RawMessage(body)},
	}
	return &history{w, app, t, &t.requests[0].answers[0], s}
}

// settledBy has the effect have been in doubt.
func (h *history) settledBy(by string) {
	h.story.by, h.story.verdict = by, &event.EffectReconciled{Applied: h.story.applied, By: by}
}

// Each oracle sees what it is there for. What really breaks is seldom seen.
func TestOraclesSeeWhatMustNotBe(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(h *history){
		"": func(*history) {},
		"doubled effects": func(h *history) {
			h.app.effects = append(h.app.effects, h.app.effects[0])
		},
		"effects without effect.started":               func(h *history) { h.story.started = 0 },
		"commands without an end":                      func(h *history) { h.story.end = "" },
		"commands that started an effect twice":        func(h *history) { h.story.started = 2 },
		"effects of commands that failed":              func(h *history) { h.story.applied = false },
		"commands that succeeded without their effect": func(h *history) { h.app.effects = nil },
		"results that were not kept":                   func(h *history) { h.story.complete.Result = nil },
		"lost commands":                                func(h *history) { h.story.applied = false },
		"answers that are not true":                    func(h *history) { h.answer.outcome = contracts.NothingDone },
		"answers that do not tell the outcome":         func(h *history) { h.answer.outcome = "" },
		"requests without an answer":                   func(h *history) { h.answer.definite = false },
		"identifiers of nothing that the command made": func(h *history) { h.app.effects[0].id = "2" },
		"things that nobody wanted":                    func(h *history) { h.app.effects[0].by = "" },
		"losses that were not recovered from":          func(h *history) { h.world.unrecovered = []string{"one"} },
		"effects other in number than the commands that say they had them": func(h *history) {
			h.app.effects = append(h.app.effects, h.app.effects[0])
		},
		"commands settled by what a person did": func(h *history) {
			h.settledBy(event.ByFlow)
			h.app.effects[0].by = byHand
		},
		"commands that ended otherwise than a person said": func(h *history) {
			h.settledBy(event.ByOperator)
			h.world.operator.said["command"] = false
		},
		"answers that are not what a person said": func(h *history) {
			h.settledBy(event.ByOperator)
			h.world.operator.said["command"] = true
			h.answer.status, h.answer.outcome = http.StatusInternalServerError, contracts.NotKnown
		},
	} {
		h := newHistory()
		spoil(h)
		r := &report{world: h.world}
		r.compare([]*story{h.story})
		seen := slices.ContainsFunc(r.findings, func(f finding) bool { return f.what == want })
		if want == "" && r.failed() || want != "" && !seen {
			t.Errorf("%q: %v", want, r.findings)
		}
		for _, f := range r.findings {
			if !slices.Contains(mustBeZero, f.what) {
				t.Errorf("the report has no row for %q", f.what)
			}
		}
	}
}

// An order that a person placed is no command's, whichever of them is told of it.
func TestOrderOfAPersonIsNoCommands(t *testing.T) {
	t.Parallel()
	h := newHistory()
	byPerson := h.app.effects[0]
	byPerson.id, byPerson.by = "2", byHand
	h.app.effects = append(h.app.effects, byPerson)
	sound := &report{world: h.world}
	if sound.compare([]*story{h.story}); sound.failed() {
		t.Errorf("beside a command's order: %v", sound.findings)
	}
	h.story.effects = nil
	h.answer.body = []byte(`{"orderId": "2", "asin": "B01"}`)
	r := &report{world: h.world}
	r.compare([]*story{h.story})
	if len(r.findings) != 1 || r.findings[0].what != "identifiers of nothing that the command made" {
		t.Errorf("in its stead: %v", r.findings)
	}
}

func TestRunThatShowsLittleFails(t *testing.T) {
	t.Parallel()
	h := newHistory()
	h.trial.faults = []*fault{{act: killService, at: started, struck: true}, {act: killService, at: ended}, {act: killNATS, at: sent, struck: true, missed: true}}
	r := &report{world: h.world}
	r.compare([]*story{h.story})
	if struck, planned := r.strikes(); struck != 1 || planned != 3 || r.showsEnough() {
		t.Errorf("%d of %d struck", struck, planned)
	}
	h.trial.faults = h.trial.faults[:1]
	if !r.showsEnough() {
		t.Error("a run whose faults all struck")
	}
}
