package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// The custom steps that steer a flow.

// fill sets a field for each request field that is given.
type fill struct {
	entries []fillEntry
}

type fillEntry struct {
	field     string
	value     placeholder.Template
	selectors selectors
}

func (a *fill) about() string { return "" }

func (a *fill) read(o *object) {
	fields := o.object(o.need("fields"), "fields")
	for _, e := range fields.node.entries {
		fields.read[e.key] = true
		// The value is used only where it is given, so it is no use of the step.
		value, err := placeholder.Parse("{{ "+e.key+" }}", placeholder.Plain)
		if err != nil {
			o.fault(e.line, "%q does not name a field", e.key)
			continue
		}
		a.entries = append(a.entries, fillEntry{e.key, value, o.selectors(e.value)})
	}
}

func (a *fill) fields() []string {
	var names []string
	for _, e := range a.entries {
		names = append(names, e.field)
	}
	return names
}

func (a *fill) play(ctx context.Context, p *player, s *Step) error {
	for _, e := range a.entries {
		if !p.given(e.field) {
			continue
		}
		value, err := p.fill(e.value)
		if err != nil {
			return err
		}
		if err := p.change(ctx, s, e.selectors, tab.Goal{Kind: tab.Change, Value: value}); err != nil {
			return err
		}
	}
	return nil
}

// repeat plays its steps in rounds.
type repeat struct {
	steps     []*Step
	while     *condition
	untilGone bool
	over      []string
	max       int
}

func (a *repeat) about() string { return strings.Join(a.over, ".") }

// maxRounds bounds a repeat that names no bound.
const maxRounds = 100

func (a *repeat) read(o *object) {
	if o.has("while") {
		w := o.object(o.take("while"), "while")
		c := w.condition([]string{"visible", "not"})
		a.while = &c
		w.close()
	}
	a.untilGone = o.bool("untilGone")
	if over := o.text("over"); over != "" {
		a.over = strings.Split(over, ".")
	}
	if (a.while != nil) == (a.over != nil) {
		o.fault(o.node.line, "repeat needs either while or over")
	}
	a.max = o.count("max", maxRounds, 1, 100_000)
	a.steps = o.steps(o.need("steps"), o.step+".")
}

func (a *repeat) nested() [][]*Step { return [][]*Step{a.steps} }

func (a *repeat) fields() []string {
	if len(a.over) == 0 || a.over[0] == "vars" {
		return nil
	}
	return []string{strings.Join(a.over, ".")}
}

func (a *repeat) play(ctx context.Context, p *player, s *Step) error {
	if a.over != nil {
		return a.playOver(ctx, p, s)
	}
	goal, err := a.while.goal(p, s.frame)
	if err != nil {
		return err
	}
	for round := 0; ; round++ {
		found, err := p.look(ctx, s, 0, goal)
		if err != nil || found.Goal < 0 {
			return err
		}
		if round == a.max {
			return p.failure(s, Plain, "it did not end after %d rounds", a.max)
		}
		if err := p.steps(ctx, a.steps); err != nil {
			return err
		}
		if !a.untilGone {
			continue
		}
		found, err = p.look(ctx, s, p.timeoutOf(s), tab.Goal{Kind: tab.Gone})
		if err != nil {
			return err
		}
		if found.Goal < 0 {
			return p.failure(s, Plain, "the clicked element did not leave the page within %s", p.timeoutOf(s))
		}
	}
}

func (a *repeat) playOver(ctx context.Context, p *player, s *Step) error {
	value, ok := p.lookup(a.over)
	if !ok {
		return nil // a list that was not given
	}
	list, ok := value.([]any)
	if !ok {
		return p.failure(s, Plain, "%s is not a list", strings.Join(a.over, "."))
	}
	if len(list) > a.max {
		return p.failure(s, Plain, "%s has more than %d items", strings.Join(a.over, "."), a.max)
	}
	outer := p.each
	defer func() { p.each = outer }()
	for _, item := range list {
		p.each = item
		if err := p.steps(ctx, a.steps); err != nil {
			return err
		}
	}
	return nil
}

// effect is the point of no return: the step after it acts.
type effect struct{ kind string }

func (a *effect) about() string { return a.kind }

func (a *effect) read(o *object) { a.kind = o.needText("kind") }

func (a *effect) play(ctx context.Context, p *player, s *Step) error {
	if p.effectKind != "" {
		return p.failure(s, Plain, "a flow has one effect, and it was begun already")
	}
	if err := p.baseline(ctx, s); err != nil {
		return err
	}
	if p.job.Effect != nil {
		if err := p.job.Effect.Started(ctx, a.kind, p.vars); err != nil {
			f := p.failure(s, Plain, "the effect could not be recorded, so it was not begun")
			f.Err = err
			return f
		}
	}
	p.effectKind = a.kind
	return nil
}

// prepare looks for what the step after an effect step will click, so that a
// page on which it is missing is told apart from an effect in doubt.
func (p *player) prepare(ctx context.Context, s *Step) error {
	if c, ok := s.action.(*click); ok {
		_, err := p.find(ctx, s, c.selectors, c.goal)
		return err
	}
	return nil
}

// baseline notes what the oneOf steps of the flow match before the effect:
// only news counts after it.
func (p *player) baseline(ctx context.Context, _ *Step) error {
	var goals []tab.Goal
	for _, s := range p.flow {
		o, ok := s.action.(*oneOf)
		if !ok {
			continue
		}
		more, err := o.goals(p, s)
		if err != nil {
			// A value that is not there yet is one from after the effect.
			if errors.As(err, new(*placeholder.Error)) {
				continue
			}
			return err
		}
		goals = append(goals, more...)
	}
	if len(goals) == 0 {
		return nil
	}
	return p.tab.Baseline(ctx, goals...)
}

// fail ends the flow with an outcome.
type fail struct {
	outcome Outcome
	message placeholder.Template
	from    selectors
}

func (a *fail) about() string { return string(a.outcome) }

func (a *fail) read(o *object) {
	o.need("outcome")
	a.outcome = Outcome(o.oneOf("outcome", "rejected", "invalid", "not-found", "precondition", "signed-out", "unavailable"))
	a.message = o.template(o.take("message"), "message", placeholder.Plain)
	a.from = o.selectors(o.take("messageFrom"))
	if a.message.IsZero() == (a.from == nil) {
		o.fault(o.node.line, "fail needs either message or messageFrom")
	}
}

func (a *fail) play(ctx context.Context, p *player, s *Step) error {
	if err := p.watch(ctx, s); err != nil {
		return err
	}
	message := a.message
	text, err := p.fill(message)
	if err != nil {
		return err
	}
	if a.from != nil {
		goal, err := condition{kind: "visible", selectors: a.from}.goal(p, s.frame)
		if err != nil {
			return err
		}
		goal.Fresh = p.effectKind != "" // an old message says nothing of this effect
		found, err := p.look(ctx, s, 0, goal)
		if err != nil {
			return err
		}
		if text = found.Text; text == "" {
			text = fmt.Sprintf("the application answered %q without a reason", a.outcome)
		}
	}
	f := p.failure(s, a.outcome, "%s", p.abridged(text))
	f.Declared = true
	f.Quotes = a.from != nil || len(message.Names()) > 0
	return f
}

// dialog says what to answer to the next alert, confirm or prompt.
type dialog struct {
	accept bool
	text   placeholder.Template
}

func (a *dialog) about() string { return "" }

func (a *dialog) read(o *object) {
	o.need("accept")
	a.accept = o.bool("accept")
	a.text = o.template(o.take("text"), "text", placeholder.Plain)
}

func (a *dialog) play(_ context.Context, p *player, _ *Step) error {
	text, err := p.fill(a.text)
	if err != nil {
		return err
	}
	p.tab.AnswerNext(tab.Dialog{Accept: a.accept, Text: text})
	return nil
}

// include plays another flow of the folder.
type include struct {
	file string
	flow *Flow // set once all files are read
}

func (a *include) about() string { return a.file }

func (a *include) read(o *object) { a.file = o.fileName(o.need("flow"), "flow") }

func (a *include) nested() [][]*Step {
	if a.flow == nil {
		return nil
	}
	return [][]*Step{a.flow.steps}
}

func (a *include) decide(*player) ([]*Step, bool) {
	if a.flow == nil {
		return nil, true
	}
	return a.flow.steps, true
}

func (a *include) play(ctx context.Context, p *player, _ *Step) error {
	return p.steps(ctx, a.flow.steps)
}

// timeoutOf is the time limit of a step: its own, its flow's or the site's.
func (p *player) timeoutOf(s *Step) time.Duration {
	if s.timeout > 0 {
		return s.timeout
	}
	if f := p.site.flows[s.File]; f != nil && f.timeout > 0 {
		return f.timeout
	}
	return p.site.timeout
}
