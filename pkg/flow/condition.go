package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// condition is one thing that may hold: of the page, or of the request.
type condition struct {
	kind      string // a key of conditionKeys
	line      int
	selectors selectors
	text      placeholder.Template    // of url and expression
	status    int                     // of status
	field     string                  // of given
	equals    [2]placeholder.Template // of equals
}

// What a condition may be, where it stands: in the page, in a when, in site.yaml.
var (
	pageConditions = []string{"visible", "exists", "not", "url", "status"}
	whenConditions = append(slices.Clone(pageConditions), "given", "equals")
	siteConditions = []string{"selectors", "exists", "url", "expression"}
)

// condition reads the one key of an object that names a condition.
func (o *object) condition(allowed []string) condition {
	c := condition{line: o.node.line}
	for _, key := range allowed {
		n := o.take(key)
		if n == nil {
			continue
		}
		if c.kind != "" {
			o.fault(n.line, "%s has both %s and %s; one is meant", o.what, c.kind, key)
			continue
		}
		c.kind, c.line = key, n.line
		switch key {
		case "selectors", "visible", "exists", "not":
			c.selectors = o.selectors(n)
		case "url":
			c.text = o.template(n, key, placeholder.Address)
		case "expression":
			c.text = o.template(n, key, placeholder.Expression)
		case "status":
			c.status = o.count(key, 0, 100, 599)
		case "given":
			if c.field = o.scalar(n, key); !namesField(c.field) {
				o.fault(n.line, "given must name a field of the request, not %q", c.field)
			}
		case "equals":
			o.equals(&c, n)
		}
	}
	if c.kind == "" {
		o.fault(o.node.line, "%s needs one of %s", o.what, strings.Join(allowed, ", "))
	}
	if c.kind == "selectors" { // site.yaml's word for visible
		c.kind = "visible"
	}
	return c
}

func (o *object) equals(c *condition, n *node) {
	if n.kind != isList || len(n.items) != 2 {
		o.fault(n.line, "equals must be a list of two texts")
		return
	}
	for i, item := range n.items {
		c.equals[i] = o.template(item, "equals", placeholder.Plain)
	}
}

// String names the condition in messages.
func (c condition) String() string {
	switch c.kind {
	case "url":
		return "url " + c.text.String()
	case "status":
		return fmt.Sprintf("status %d", c.status)
	case "expression":
		return "expression"
	case "given":
		return "given " + c.field
	case "equals":
		return "equals"
	}
	return c.kind + " " + c.selectors.String()
}

// goal is the condition as something that the page can look for.
func (c condition) goal(p *player, frame []int) (tab.Goal, error) {
	g := tab.Goal{Kind: c.kind, Frame: frame, Status: c.status}
	var err error
	if c.kind == "url" {
		g.URL, err = p.fillAddress(c.text)
		return g, err
	}
	g.Selectors, err = c.selectors.fill(p)
	return g, err
}

// decide tells whether the condition holds when the request alone says so.
func (c condition) decide(p *player) (holds, decided bool) {
	switch c.kind {
	case "given":
		return p.given(c.field), true
	case "equals":
		var texts [2]string
		for i, t := range c.equals {
			text, done, err := t.Check(p.lookup, p.known, p.site.formats)
			if err != nil || !done {
				return false, false
			}
			texts[i] = text
		}
		return texts[0] == texts[1], true
	}
	return false, false
}

// when is a choice.
type when struct {
	condition condition
	within    time.Duration
	then      []*Step
	otherwise []*Step
}

func (a *when) about() string { return a.condition.String() }

func (a *when) read(o *object) {
	a.condition = o.condition(whenConditions)
	a.within = o.millis("within", 0)
	number := o.step
	a.then = o.steps(o.need("then"), number+".then.")
	a.otherwise = o.steps(o.take("else"), number+".else.")
}

func (a *when) nested() [][]*Step { return [][]*Step{a.then, a.otherwise} }

func (a *when) fields() []string {
	if a.condition.kind == "given" {
		return []string{a.condition.field}
	}
	return nil
}

func (a *when) decide(p *player) ([]*Step, bool) {
	holds, decided := a.condition.decide(p)
	if holds {
		return a.then, decided
	}
	return a.otherwise, decided
}

func (a *when) play(ctx context.Context, p *player, s *Step) error {
	holds, err := a.holds(ctx, p, s)
	if err != nil {
		return err
	}
	if holds {
		return p.steps(ctx, a.then)
	}
	return p.steps(ctx, a.otherwise)
}

func (a *when) holds(ctx context.Context, p *player, s *Step) (bool, error) {
	switch a.condition.kind {
	case "given":
		return p.given(a.condition.field), nil
	case "equals":
		left, err := p.fill(a.condition.equals[0])
		if err != nil {
			return false, err
		}
		right, err := p.fill(a.condition.equals[1])
		return left == right, err
	}
	goal, err := a.condition.goal(p, s.frame)
	if err != nil {
		return false, err
	}
	found, err := p.look(ctx, s, a.within, goal)
	if err == nil && found.Goal == 0 {
		p.chose(a.condition.selectors, found.Alternative)
	}
	return found.Goal == 0, err
}

// oneOf waits for whichever case comes first.
type oneOf struct {
	within time.Duration
	cases  []choice
}

type choice struct {
	condition condition
	steps     []*Step
}

func (a *oneOf) about() string {
	names := make([]string, len(a.cases))
	for i, c := range a.cases {
		names[i] = c.condition.String()
	}
	return strings.Join(names, " | ")
}

func (a *oneOf) read(o *object) {
	a.within = o.millis("within", 0)
	n := o.need("cases")
	if n == nil {
		return
	}
	if n.kind != isList || len(n.items) == 0 {
		o.fault(n.line, "cases must be a list")
		return
	}
	for i, item := range n.items {
		c := o.object(item, "a case")
		condition := c.condition(pageConditions)
		steps := c.steps(c.take("steps"), fmt.Sprintf("%s.case%d.", o.step, i+1))
		a.cases = append(a.cases, choice{condition, steps})
		c.close()
	}
}

func (a *oneOf) nested() [][]*Step {
	var all [][]*Step
	for _, c := range a.cases {
		all = append(all, c.steps)
	}
	return all
}

// holdOfNot is how long a `not` must hold: dialogs follow one another with gaps.
const holdOfNot = 300 * time.Millisecond

func (a *oneOf) goals(p *player, s *Step) ([]tab.Goal, error) {
	var goals []tab.Goal
	for _, c := range a.cases {
		g, err := c.condition.goal(p, s.frame)
		if err != nil {
			return nil, err
		}
		g.Fresh = p.effectKind != ""
		if g.Kind == tab.Not {
			g.Hold = holdOfNot.Milliseconds()
		}
		goals = append(goals, g)
	}
	return goals, nil
}

func (a *oneOf) play(ctx context.Context, p *player, s *Step) error {
	goals, err := a.goals(p, s)
	if err != nil {
		return err
	}
	limit := a.within
	if limit == 0 {
		limit = p.timeoutOf(s)
	}
	found, err := p.look(ctx, s, limit, goals...)
	if err != nil {
		return err
	}
	if found.Goal < 0 {
		return p.failure(s, Plain, "none of the cases came within %s", limit)
	}
	p.chose(a.cases[found.Goal].condition.selectors, found.Alternative)
	return p.steps(ctx, a.cases[found.Goal].steps)
}
