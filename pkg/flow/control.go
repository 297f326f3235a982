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
		if err != nil || !namesField(e.key) {
			o.fault(e.line, "%q does not name a field of the request", e.key)
			continue
		}
		a.entries = append(a.entries, fillEntry{e.key, value, o.selectors(e.value)})
	}
}

// namesField reports whether a text is the dotted name of a request field.
func namesField(text string) bool {
	return placeholder.IsName(text) && !isNamespace(strings.Split(text, "."))
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
		if err := p.change(ctx, s, e.selectors, tab.Goal{Kind: tab.Change, Value: value}, e.value.Names()); err != nil {
			var f *Failure
			if errors.As(err, &f) && f.File == s.File && f.Step == s.Number {
				f.Name = fmt.Sprintf("%s %s: %s", s, e.field, e.selectors)
			}
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
	if n := o.take("over"); n != nil {
		over := o.scalar(n, "over")
		if a.over = strings.Split(over, "."); !placeholder.IsName(over) {
			o.fault(n.line, "over must name a list, not %q", over)
		}
	}
	if (a.while != nil) == (a.over != nil) {
		o.fault(o.node.line, "repeat needs either while or over")
	}
	a.max = o.count("max", maxRounds, 1, 100_000)
	a.steps = o.steps(o.need("steps"), o.step+".")
}

func (a *repeat) nested() [][]*Step { return [][]*Step{a.steps} }

// decide leaves the steps out where the request gives no list to go over.
func (a *repeat) decide(p *player) (steps []*Step, decided bool) {
	if a.over != nil && !isNamespace(a.over) && !p.given(strings.Join(a.over, ".")) {
		return nil, true
	}
	return a.steps, false
}

func (a *repeat) fields() []string {
	if a.over == nil || isNamespace(a.over) {
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
