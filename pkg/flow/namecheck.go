package flow

import (
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
