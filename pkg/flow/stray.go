package flow

import (
	"slices"
	"strings"
)

// checkAllStrays looks through site.yaml and the flows, now that it is known
// which of their texts are templates.
func (l *loader) checkAllStrays(ofSite []use) {
	if in := l.site.signIn; in != nil && in.remember != nil {
		ofSite = slices.Concat(ofSite, in.remember.uses)
	}
	l.checkStrays(SiteFile, l.documents[SiteFile], ofSite)
	for name, f := range l.site.flows {
		l.checkStrays(name, l.documents[name].get("steps"), usesOf(f.steps))
	}
}

// checkStrays finds placeholders in texts that take none, such as const or
// match: they would stand there as they are.
func (l *loader) checkStrays(file string, n *node, uses []use) {
	if n == nil {
		return
	}
	for _, e := range n.entries {
		l.checkStrays(file, e.value, uses)
	}
	for _, item := range n.items {
		l.checkStrays(file, item, uses)
	}
	faulty := func(f Fault) bool { return f.File == file && f.Line == n.line } // it may be that very placeholder
	if n.kind == isText && isStray(n, uses) && !slices.ContainsFunc(l.faults, faulty) {
		l.faults = append(l.faults, Fault{File: file, Line: n.line, Text: "{{ }} has no meaning in this text: a placeholder is filled where a value is typed, sought, compared or sent, and in the value of a field"})
	}
}

// isStray reports whether a text holds a placeholder that no template on its
// line was read with.
func isStray(n *node, uses []use) bool {
	_, inner, opened := strings.Cut(n.text, "{{")
	inner, _, closed := strings.Cut(inner, "}}")
	if !opened || !closed {
		return false
	}
	for _, u := range uses {
		if u.line == n.line && strings.Contains(u.template.String(), "{{"+inner+"}}") {
			return false
		}
	}
	return true
}

// usesOf lists what the steps of a file, not those of flows that it includes,
// take values for.
func usesOf(steps []*Step) []use {
	var all []use
	walkOwn(steps, func(s *Step) { all = append(all, s.uses...) })
	return all
}
