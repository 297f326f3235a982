package flow

import (
	"fmt"
	"slices"
	"strings"

	"integration.gateway/pkg/flow/placeholder"
)

// namespaces are the first words of dotted names that are no request fields.
var namespaces = []string{"page", "vars", "session", "site", "command", "account", "row", "each", "localStorage"}

func isNamespace(name []string) bool {
	return len(name) > 1 && slices.Contains(namespaces, name[0]) ||
		len(name) == 1 && (name[0] == "baseUrl" || name[0] == "each")
}

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

// checkSite sees to it that site.yaml, which serves all operations and the
// time before the first sign-in too, asks for nothing that is not there then.
func (l *loader) checkSite(ofSite []use) {
	l.checkSiteNames(&Step{File: SiteFile, uses: ofSite}, "baseUrl", "page", "site")
	if in := l.site.signIn; in != nil && in.remember != nil {
		l.checkSiteNames(in.remember, "baseUrl", "page", "site", "row", "localStorage")
	}
}

func (l *loader) checkSiteNames(s *Step, known ...string) {
	for _, u := range s.uses {
		at := *s
		at.Line = u.line
		for _, name := range u.template.Names() {
			switch {
			case !isNamespace(name):
				l.fault(&at, "{{ %s }}: site.yaml serves all operations and knows no request", strings.Join(name, "."))
			case slices.Contains(known, name[0]):
				l.checkName(root{}, &at, u.template, name, nil, false)
			default:
				l.fault(&at, "{{ %s }} has no value in site.yaml, which knows baseUrl, page.url and its own defaults as site.x", strings.Join(name, "."))
			}
		}
	}
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

func (l *loader) checkOver(s *Step, a *repeat, vars []string, over bool) {
	name := strings.Join(a.over, ".")
	switch {
	case !isNamespace(a.over):
	case a.over[0] == "vars":
		if vars != nil && !slices.Contains(vars, a.over[1]) {
			l.fault(s, "%s is remembered by no step", name)
		}
	case a.over[0] == "each":
		if !over {
			l.fault(s, "%s has a value only inside a repeat over a list", name)
		}
	default:
		l.fault(s, "over must name a list of vars or of the request, not %s", name)
	}
}

// checkName sees to it that a placeholder can have a value where it stands: a
// name that never has one is a slip of the pen.
func (l *loader) checkName(r root, at *Step, t placeholder.Template, name []string, vars []string, over bool) {
	text, only := "", []string(nil)
	switch name[0] {
	case "account":
		if only = []string{"username", "password", "oneTimeCode"}; !r.signIn {
			text = "may stand in sign-in flows only, and an operation plays this one"
		}
	case "page":
		only = []string{"url"}
	case "command":
		only = []string{"id", "startedAt"}
	case "site":
		if _, ok := dig(l.site.defaults, name[1:]); !ok {
			text = "is not among the defaults of site.yaml"
		}
	case "vars":
		if vars != nil && !slices.Contains(vars, name[1]) && t.Needs(name) {
			text = "is remembered by no step"
		}
	case "session":
		if !l.remembersSession(name[1]) && t.Needs(name) {
			text = "is not among what signIn remembers"
		}
	case "each":
		if !over {
			text = "has a value only inside a repeat over a list"
		}
	case "row":
		if !inRow(at, t, name[1]) {
			text = "may stand only in the value of a field that comes below " + name[1] + " in its row"
		}
	}
	if text == "" && only != nil && (len(name) > 2 || !slices.Contains(only, name[1])) {
		text = "is unknown; there is " + name[0] + "." + strings.Join(only, ", "+name[0]+".")
	}
	if text != "" {
		l.fault(at, "{{ %s }} %s", strings.Join(name, "."), text)
	}
}

func (l *loader) remembersSession(name string) bool {
	in := l.site.signIn
	if in == nil || in.remember == nil {
		return false
	}
	a, ok := in.remember.action.(reads)
	return ok && slices.ContainsFunc(a.reads(), func(f *field) bool { return f.name == name })
}

// inRow reports whether a template is the value of a field that stands below
// the named one in its row.
func inRow(s *Step, t placeholder.Template, name string) bool {
	a, ok := s.action.(reads)
	return ok && belowInRow(a.reads(), t, name)
}

func belowInRow(fields []*field, t placeholder.Template, name string) bool {
	above := false
	for _, f := range fields {
		if above && f.value != nil && f.value.String() == t.String() || belowInRow(f.fields, t, name) {
			return true
		}
		above = above || f.name == name
	}
	return false
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
