package flow

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"integration.gateway/pkg/flow/placeholder"
	"integration.gateway/pkg/flow/tab"
)

// The steps that settle what a flow has done: the effect, and its refusal.

// effect is the point of no return: the step after it acts.
type effect struct {
	kind string
	act  *Step // the step after it
}

func (a *effect) about() string { return a.kind }

func (a *effect) read(o *object) { a.kind = o.needText("kind") }

func (a *effect) play(ctx context.Context, p *player, s *Step) error {
	if p.effectKind != "" {
		return p.failure(s, Plain, "a flow has one effect, and it was begun already")
	}
	if err := p.prepare(ctx, a.act); err != nil {
		return p.wrap(ctx, a.act, err)
	}
	if p.job.StopAtEffect {
		f := p.failure(s, Plain, "%s", ErrStopped.Error())
		f.Err = ErrStopped
		return f
	}
	if err := p.baseline(ctx); err != nil {
		return err
	}
	if err := p.tab.FreshConnections(ctx); err != nil {
		return err
	}
	if p.job.Effect != nil {
		if err := p.job.Effect.Started(ctx, a.kind, maps.Clone(p.vars)); err != nil {
			f := p.failure(s, Plain, "the effect could not be recorded")
			f.Err = err
			return f
		}
	}
	p.effectKind, p.pending = a.kind, true
	return nil
}

// mayAct is called by the steps that can be the act of an effect, when nothing
// but the act itself is left to do. It asks once more whether that may follow.
func (p *player) mayAct(ctx context.Context, s *Step) error {
	if !p.pending {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p.job.Effect != nil {
		if err := p.job.Effect.Act(ctx); err != nil {
			f := p.failure(s, Plain, "the effect was recorded as started, but it was not allowed to go on")
			f.Err = err
			return f
		}
		p.tab.AskFirst(p.job.Effect.Holds)
	}
	p.pending = false
	return nil
}

// prepare looks for what the step after an effect step will click, and fills
// what it will send, so that what is missing is told apart from an effect in
// doubt.
func (p *player) prepare(ctx context.Context, s *Step) error {
	switch a := s.action.(type) {
	case *click:
		_, err := p.seek(ctx, s, a.selectors, a.goal)
		return err
	case fetching:
		_, err := p.request(ctx, s, a.request())
		return err
	}
	return nil
}

// baseline notes what the oneOf steps of the flow match before the effect, and
// where fail steps find their messages: only news counts after it.
func (p *player) baseline(ctx context.Context) error {
	var goals []tab.Goal
	var failed error
	note := func(c condition, frame []int) {
		goal, err := c.goal(p, frame)
		switch {
		case err == nil:
			goals = append(goals, goal)
		case !errors.As(err, new(*placeholder.Error)): // a value that is not there yet is one from after the effect
			failed = err
		}
	}
	walk(p.flow, func(s *Step) {
		switch a := s.action.(type) {
		case *oneOf:
			for _, c := range a.cases {
				note(c.condition, s.frame)
			}
		case *fail:
			if a.from != nil {
				note(a.place(), s.frame)
			}
		}
	})
	if failed != nil {
		return failed
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

// outcomes are those that a flow can name.
var outcomes = []string{"rejected", "invalid", "not-found", "precondition", "signed-out", "unavailable"}

func (a *fail) about() string { return string(a.outcome) }

func (a *fail) read(o *object) {
	o.need("outcome")
	a.outcome = Outcome(o.oneOf("outcome", outcomes...))
	a.message = o.template(o.take("message"), "message", placeholder.Plain)
	a.from = o.selectors(o.take("messageFrom"))
	if a.message.IsZero() == (a.from == nil) {
		o.fault(o.node.line, "fail needs either message or messageFrom")
	}
}

// place is where messageFrom finds the message.
func (a *fail) place() condition { return condition{kind: "visible", selectors: a.from} }

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
		goal, err := a.place().goal(p, s.frame)
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
