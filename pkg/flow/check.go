package flow

import (
	"fmt"
	"slices"
	"strings"

	"integration.gateway/pkg/flow/placeholder"
)

// maxSteps bounds a flow with all that it includes.
const maxSteps = 10_000

// root is a flow that is played from its beginning to its end, with the flows
// that it includes.
type root struct {
	flow   *Flow
	after  *Flow // has been played before it and left it its vars; nil: none
	signIn bool
}

// roots lists the flows that the site plays.
func (l *loader) roots() []root {
	var all []root
	if in := l.site.signIn; in != nil {
		all = append(all, root{flow: in.flow, signIn: true})
		if in.verify != nil {
			all = append(all, root{flow: in.verifyFlow, after: in.flow, signIn: true})
		}
	}
	for _, name := range l.site.Operations() {
		op := l.site.operations[name]
		all = append(all, root{flow: op.flow})
		if op.reconcile != nil {
			all = append(all, root{flow: op.reconcile, after: op.flow})
		}
	}
	return slices.DeleteFunc(all, func(r root) bool { return r.flow == nil }) // it could not be read
}

// check finds what only shows when all files are read.
func (l *loader) check(ofSite []use) {
	l.read = len(l.faults)
	l.checkAllStrays(ofSite)
	for _, f := range l.site.flows {
		if l.size(f) > maxSteps {
			l.faults = append(l.faults, Fault{File: f.File, Text: fmt.Sprintf("the flow has more than %d steps with what it includes", maxSteps)})
			return // and would take too long to walk through
		}
	}
	l.checkSite(ofSite)
	for _, r := range l.roots() {
		l.checkRoot(r)
	}
	l.checkOperations()
}

// size counts the steps of a flow with those of the flows that it includes,
// up to one more than are allowed.
func (l *loader) size(f *Flow) int {
	if n, known := l.sizes[f]; known {
		return n
	}
	n := 0
	walkOwn(f.steps, func(s *Step) {
		n++
		if in, ok := s.action.(*include); ok && in.flow != nil {
			n += l.size(in.flow)
		}
	})
	n = min(n, maxSteps+1)
	l.sizes[f] = n
	return n
}

// readable reports whether a flow and all that it includes were read without
// fault, so that what is missing from it is really missing.
func (l *loader) readable(f *Flow) bool {
	if f == nil || slices.ContainsFunc(l.faults[:l.read], func(fault Fault) bool { return fault.File == f.File }) {
		return false
	}
	whole := true
	walkOwn(f.steps, func(s *Step) {
		if in, ok := s.action.(*include); ok {
			whole = whole && l.readable(in.flow)
		}
	})
	return whole
}

// checkRoot checks the steps of a flow and of those that it includes, as they
// are played from this root.
func (l *loader) checkRoot(r root) {
	var vars []string
	for _, f := range []*Flow{r.flow, r.after} {
		if f == nil {
			continue
		}
		if !l.readable(f) {
			vars = nil // what remembers may be what could not be read
			break
		}
		vars = append(vars, remembered(f)...)
		vars = append(vars, "") // known, even if there are none
	}
	var visit func(steps []*Step, over bool)
	visit = func(steps []*Step, over bool) {
		for _, s := range steps {
			l.checkStep(r, s, vars, over)
			again, _ := s.action.(*repeat)
			if n, ok := s.action.(nesting); ok {
				for _, inner := range n.nested() {
					visit(inner, over || again != nil && again.over != nil)
				}
			}
		}
	}
	visit(r.flow.steps, false)
}

// remembered lists the vars that a flow may leave.
func remembered(f *Flow) []string {
	var names []string
	walk(f.steps, func(s *Step) {
		if m, ok := s.action.(*remember); ok {
			if m.into != "" {
				names = append(names, m.into)
			}
			for _, field := range m.reads() {
				names = append(names, field.name)
			}
		}
	})
	return names
}

// checkStep checks what a step does and the names of its placeholders. vars
// are those that may be there, nil when they are not known; over says that the
// step stands in a repeat over a list.
func (l *loader) checkStep(r root, s *Step, vars []string, over bool) {
	if r.signIn {
		l.checkSignInStep(s)
	}
	if again, ok := s.action.(*repeat); ok && again.over != nil {
		l.checkOver(s, again, vars, over)
	}
	for _, u := range s.uses {
		at := *s
		at.Line = u.line
		for _, name := range u.template.Names() {
			if isNamespace(name) {
				l.checkName(r, &at, u.template, name, vars, over)
			}
		}
	}
}

// checkSignInStep keeps a sign-in flow to signing in, and what an account
// signs in with to what it is typed into.
func (l *loader) checkSignInStep(s *Step) {
	switch a := s.action.(type) {
	case *extract:
		l.fault(s, "a sign-in flow has no result to extract into; it may remember")
	case *effect:
		l.fault(s, "a sign-in flow has no effect")
	case *fail:
		l.keepSecret(s, a.message)
	}
	if a, ok := s.action.(reads); ok {
		for _, f := range a.reads() {
			for _, t := range []*placeholder.Template{f.value, f.expression} {
				if t != nil {
					at := *s
					at.Line = f.line
					l.keepSecret(&at, *t)
				}
			}
		}
	}
	for _, name := range fieldNames(s) {
		l.fault(s, "{{ %s }}: a sign-in flow serves all operations and knows no request", name)
	}
}

func (l *loader) keepSecret(s *Step, t placeholder.Template) {
	for _, name := range t.Names() {
		if name[0] == "account" && len(name) > 1 {
			l.fault(s, "{{ %s }} is for signing in alone: it is not to be remembered and not to be told", strings.Join(name, "."))
		}
	}
}

// reads is what extract and remember have in common for a check.
type reads interface{ reads() []*field }

func (a *reading) reads() []*field { return a.fields }

func (l *loader) fault(s *Step, format string, args ...any) {
	l.faults = append(l.faults, Fault{File: s.File, Line: s.Line, Step: s.Number, Text: fmt.Sprintf(format, args...)})
}

// walkOwn visits the steps of a file, not those of flows that it includes.
func walkOwn(steps []*Step, visit func(*Step)) {
	for _, s := range steps {
		visit(s)
		if _, included := s.action.(*include); included {
			continue
		}
		if n, ok := s.action.(nesting); ok {
			for _, inner := range n.nested() {
				walkOwn(inner, visit)
			}
		}
	}
}
