package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"integration.gateway/pkg/flow/placeholder"
)

// Flow is a list of steps, as one file holds it.
type Flow struct {
	File    string
	Title   string
	timeout time.Duration // of its steps; 0: the site's
	steps   []*Step
}

// Step is one step of a flow.
type Step struct {
	File   string
	Number string // position in the flow, such as "7" or "7.then.2"
	Line   int
	Type   string // the step's type, or the name of a custom step

	timeout  time.Duration        // 0: the flow's or the site's
	target   placeholder.Template // "main", or the address of a tab or frame; zero: that of the step around it
	frame    []int
	asserted []assertion
	action   action
	uses     []use
}

// use is a template for which a step takes values.
type use struct {
	template placeholder.Template
	line     int
}

// assertion is an asserted event: where the page is after the step.
type assertion struct{ url, title placeholder.Template }

// action is what a kind of step does. read takes its keys from the flow's
// file; play does it.
type action interface {
	read(o *object)
	play(ctx context.Context, p *player, s *Step) error
	// about is what the step is aimed at, for messages; it may be empty.
	about() string
}

// nesting is an action that holds steps of its own.
type nesting interface {
	nested() [][]*Step
}

// chooser is an action that takes only some of its steps. decide tells which
// when that is known from the request alone.
type chooser interface {
	decide(p *player) (steps []*Step, decided bool)
}

// fielded is an action that takes values of request fields without a template.
type fielded interface {
	fields() []string
}

// standard are the Recorder's step types; custom are the names of customStep.
// They are filled by init, as steps hold steps.
var standard, custom map[string]func() action

func init() {
	standard = map[string]func() action{
		"setViewport":              func() action { return &setViewport{} },
		"navigate":                 func() action { return &navigate{} },
		"click":                    func() action { return &click{} },
		"doubleClick":              func() action { return &click{times: 2} },
		"hover":                    func() action { return &hover{} },
		"change":                   func() action { return &change{} },
		"keyDown":                  func() action { return &key{down: true} },
		"keyUp":                    func() action { return &key{} },
		"scroll":                   func() action { return &scroll{} },
		"waitForElement":           func() action { return &waitForElement{} },
		"waitForExpression":        func() action { return &waitForExpression{} },
		"emulateNetworkConditions": func() action { return &network{} },
		"close":                    func() action { return &closing{} },
	}
	custom = map[string]func() action{
		"extract":  func() action { return &extract{} },
		"remember": func() action { return &remember{} },
		"fill":     func() action { return &fill{} },
		"when":     func() action { return &when{} },
		"oneOf":    func() action { return &oneOf{} },
		"repeat":   func() action { return &repeat{} },
		"effect":   func() action { return &effect{} },
		"fail":     func() action { return &fail{} },
		"dialog":   func() action { return &dialog{} },
		"include":  func() action { return &include{} },
	}
}

// flow reads a whole flow file.
func (r *reader) flow(n *node) *Flow {
	o := r.object(n, "the flow")
	defer o.close()
	f := &Flow{File: r.file, Title: o.text("title"), timeout: o.millis("timeout", 0)}
	o.text("selectorAttribute") // the Recorder's own note of how it recorded
	f.steps = r.steps(o.need("steps"), "")
	return f
}

// steps reads a list of steps; prefix stands before their numbers.
func (r *reader) steps(n *node, prefix string) []*Step {
	if n == nil {
		return nil
	}
	if n.kind != isList {
		r.fault(n.line, "steps must be a list, not %s", n.kind)
		return nil
	}
	outer, outerUses := r.step, r.uses
	defer func() { r.step, r.uses = outer, outerUses }()
	var steps []*Step
	for i, item := range n.items {
		s := &Step{File: r.file, Number: prefix + strconv.Itoa(i+1), Line: item.line}
		r.step, r.uses = s.Number, &s.uses
		if r.readStep(s, item); s.action != nil {
			steps = append(steps, s)
		}
	}
	r.checkEffect(steps)
	return steps
}

func (r *reader) readStep(s *Step, n *node) {
	o := r.object(n, "the step")
	s.Type = o.needText("type")
	kinds, what := standard, "step type"
	defer o.close()
	s.timeout = o.millis("timeout", 0)
	s.target = r.template(o.take("target"), "target", placeholder.Address)
	s.frame = r.frame(o.take("frame"))
	s.asserted = r.assertions(o.take("assertedEvents"))
	parameters := o
	if s.Type == "customStep" {
		s.Type = o.needText("name")
		kinds, what = custom, "custom step"
		parameters = r.object(o.take("parameters"), s.Type)
		defer parameters.close()
	}
	newAction, ok := kinds[s.Type]
	if !ok {
		if s.Type != "" {
			r.fault(n.line, "unknown %s %q; there are %v", what, s.Type, slices.Sorted(maps.Keys(kinds)))
		}
		o.ignoreRest()
		parameters.ignoreRest()
		return
	}
	s.action = newAction()
	s.action.read(parameters)
}

// ignoreRest keeps one fault from drawing others after it.
func (o *object) ignoreRest() {
	for _, e := range o.node.entries {
		o.read[e.key] = true
	}
}

func (r *reader) frame(n *node) []int {
	if n == nil {
		return nil
	}
	if n.kind != isList {
		r.fault(n.line, "frame must be a list of indexes, not %s", n.kind)
	}
	var frame []int
	for _, item := range n.items {
		index, err := strconv.Atoi(item.text)
		if err != nil || index < 0 {
			r.fault(item.line, "frame must be a list of indexes")
			return nil
		}
		frame = append(frame, index)
	}
	return frame
}

func (r *reader) assertions(n *node) []assertion {
	if n == nil {
		return nil
	}
	if n.kind != isList {
		r.fault(n.line, "assertedEvents must be a list, not %s", n.kind)
	}
	var all []assertion
	for _, item := range n.items {
		o := r.object(item, "an asserted event")
		o.need("type")
		o.oneOf("type", "navigation")
		all = append(all, assertion{
			url:   r.template(o.take("url"), "url", placeholder.Address),
			title: r.template(o.take("title"), "title", placeholder.Title),
		})
		o.close()
	}
	return all
}

// checkEffect sees to it that an effect step is followed by the step that acts.
func (r *reader) checkEffect(steps []*Step) {
	for i, s := range steps {
		e, ok := s.action.(*effect)
		if !ok {
			continue
		}
		if i+1 < len(steps) && canAct(steps[i+1]) {
			e.act = steps[i+1]
			continue
		}
		r.step = s.Number
		r.fault(s.Line, "the step after effect must be the one that acts: click, doubleClick, keyDown, or extract or remember with a fetch that changes something and is made once")
	}
}

// canAct reports whether a step can be the act of an effect. A GET cannot: the
// browser may send it again by itself.
func canAct(s *Step) bool {
	if a, ok := s.action.(fetching); ok {
		f := a.request()
		return f != nil && f.changes() && a.times() == 1
	}
	return slices.Contains([]string{"click", "doubleClick", "keyDown"}, s.Type)
}

// String names the step in messages: "click #place-order".
func (s *Step) String() string {
	if about := s.action.about(); about != "" {
		return fmt.Sprintf("%s %s", s.Type, about)
	}
	return s.Type
}

// walk visits steps and the steps inside them.
func walk(steps []*Step, visit func(*Step)) {
	for _, s := range steps {
		visit(s)
		if n, ok := s.action.(nesting); ok {
			for _, inner := range n.nested() {
				walk(inner, visit)
			}
		}
	}
}
