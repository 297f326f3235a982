package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Warnings are what is likely to go wrong with a site one day, though its
// folder is without fault.
func (s *Site) Warnings() Faults {
	w := &warner{site: s}
	w.signIn()
	for _, name := range s.Operations() {
		w.operation(s.operations[name])
	}
	for _, f := range s.flows {
		walkOwn(f.steps, w.step)
	}
	slices.SortFunc(w.found, func(a, b Fault) int { return strings.Compare(a.Text, b.Text) })
	return w.found.sorted()
}

type warner struct {
	site  *Site
	found Faults
}

func (w *warner) warn(s *Step, format string, args ...any) {
	w.found = append(w.found, Fault{File: s.File, Line: s.Line, Step: s.Number, Text: fmt.Sprintf(format, args...)})
}

func (w *warner) ofSite(format string, args ...any) {
	w.found = append(w.found, Fault{File: SiteFile, Text: fmt.Sprintf(format, args...)})
}

func (w *warner) signIn() {
	in := w.site.signIn
	if in == nil {
		return
	}
	if in.signedOut == nil {
		w.ofSite("signIn has no signedOut: a session that has ended is noticed late, by a step that waits in vain")
	}
	if in.rejected == nil {
		w.ofSite("signIn has no rejected: a wrong password is told as an application that does not work")
	}
	for condition, selectors := range map[string]*condition{"signedIn": &in.signedIn, "signedOut": in.signedOut, "rejected": in.rejected, "verify": in.verify} {
		if selectors != nil {
			w.volatile(&Step{File: SiteFile, Line: selectors.line}, condition, selectors.selectors)
		}
	}
}

func (w *warner) operation(op *operation) {
	if w.site.signIn == nil && !op.public {
		w.ofSite("%s is not public, and there is no signIn: it is played without any account", op.name)
	}
	if act := effectOf(op.flow.steps); act != nil {
		if op.reconcile == nil {
			w.ofSite("%s has an effect and no reconcile flow: when it is in doubt, a person has to look in the application", op.name)
		}
		if op.public {
			w.ofSite("%s has an effect and is public: it is not proven first that the account is signed in", op.name)
		}
		w.unchecked(op.flow.steps, act)
	}
}

// effectOf returns the effect step, nil if there is none.
func effectOf(steps []*Step) *Step {
	var found *Step
	walk(steps, func(s *Step) {
		if _, ok := s.action.(*effect); ok && found == nil {
			found = s
		}
	})
	return found
}

// unchecked warns of an effect with nothing in between that looks whether the
// page still has what was typed. Each field is read back right after it was
// typed, so one that the effect comes right after is known; but what is done on
// the page afterwards can empty it again.
func (w *warner) unchecked(steps []*Step, act *Step) {
	var typed *Step
	later, passed := false, false
	walk(steps, func(s *Step) {
		switch {
		case passed:
		case s == act:
			passed = true
		case looksFor(s):
			typed, later = nil, false
		case typed != nil:
			later = later || acts(s)
		case types(s):
			f, fills := s.action.(*fill)
			typed, later = s, fills && len(f.entries) > 1
		}
	})
	if later {
		w.warn(act, "what step %s (%s) typed was read back at once, but more was done on the page since, and nothing looks before this effect whether it still "+
			"stands there: wait for it, such as waitForElement with the field's placeholder in a selector", typed.Number, typed)
	}
}

// acts reports whether a step does something on the page.
func acts(s *Step) bool {
	switch s.action.(type) {
	case *click, *change, *fill, *key, *navigate:
		return true
	}
	return false
}

// types reports whether a step types what the request gives.
func types(s *Step) bool {
	switch s.action.(type) {
	case *fill:
		return true
	case *change:
		return len(fieldNames(s)) > 0
	}
	return false
}

// looksFor reports whether a step looks on the page for what the request gives,
// or for what the flow types along: what it made of it, the command's id.
func looksFor(s *Step) bool {
	switch s.action.(type) {
	case *waitForElement, *waitForExpression, *when, *oneOf, *remember:
		return len(fieldNames(s)) > 0 || slices.ContainsFunc(s.uses, func(u use) bool {
			return slices.ContainsFunc(u.template.Names(), func(name []string) bool { return name[0] == "vars" || name[0] == "command" })
		})
	}
	return false
}

// sleeping is what an expression that only waits is made of.
var sleeping = regexp.MustCompile(`\bsetTimeout\b|\bDate\.now\b|\bperformance\.now\b`)

func (w *warner) step(s *Step) {
	for what, sought := range looked(s) {
		w.volatile(s, what, sought)
	}
	switch a := s.action.(type) {
	case *click:
		w.single(s, a.selectors)
	case *change:
		w.single(s, a.selectors)
		w.password(s, a)
	case *waitForExpression:
		if sleeping.MatchString(a.expression.String()) {
			w.warn(s, "the expression lets time pass: too much on most days, too little on a slow one; wait for what the page shows")
		}
	case *navigate:
		if origin := originOf(a.url.String()); origin != "" && origin == originOf(w.site.BaseURL) {
			w.warn(s, "the address is given in full: written as {{ baseUrl }}/… it serves other deployments too")
		}
	}
}

// single warns of a step that acts on what can be found in one way only.
func (w *warner) single(s *Step, where selectors) {
	if len(where) == 1 {
		w.warn(s, "%s is the only alternative: with a second one, such as aria/ or text/, the step outlives a change of the page", where)
	}
}

func (w *warner) password(s *Step, a *change) {
	if a.value.String() == "" || len(a.value.Names()) > 0 {
		return
	}
	for i := range a.selectors {
		if AsksForPassword(a.selectors.alternative(i)) {
			w.warn(s, "a text stands here for what looks like a password: passwords come from {{ account.password }}, in sign-in flows")
			return
		}
	}
}

// volatile warns of selectors that are likely to match nothing next time.
func (w *warner) volatile(s *Step, what string, sought selectors) {
	for i := range sought {
		if part := Volatile(sought.alternative(i)); part != "" {
			w.warn(s, "%s%s: %q looks made up by a program, and another at the next visit or release", strings.TrimPrefix(what+": ", ": "), sought.alternative(i), part)
		}
	}
}

// looked returns the selectors that a step itself looks for, by what they are
// called in messages where the step has several.
func looked(s *Step) map[string]selectors {
	sought := map[string]selectors{}
	switch a := s.action.(type) {
	case *click:
		sought[""] = a.selectors
	case *change:
		sought[""] = a.selectors
	case *hover:
		sought[""] = a.selectors
	case *scroll:
		sought[""] = a.selectors
	case *waitForElement:
		sought[""] = a.selectors
	case *when:
		sought[""] = a.condition.selectors
	case *oneOf:
		for _, c := range a.cases {
			sought[c.condition.String()] = c.condition.selectors
		}
	case *fill:
		for _, e := range a.entries {
			sought[e.field] = e.selectors
		}
	case *fail:
		sought[""] = a.from
	case *extract:
		a.reading.addTo(sought)
	case *remember:
		a.reading.addTo(sought)
	}
	return sought
}

// addTo adds the selectors of a reading, by the names of its fields.
func (a *reading) addTo(sought map[string]selectors) {
	if a.each != nil {
		sought["each"] = selectors{{*a.each}}
	}
	addFields(sought, a.fields, "")
}

func addFields(sought map[string]selectors, fields []*field, prefix string) {
	for _, f := range fields {
		name := prefix + f.name
		for _, s := range []*selector{f.each, f.selector} {
			if s != nil {
				sought[name] = slices.Concat(sought[name], selectors{{*s}})
			}
		}
		addFields(sought, f.fields, name+".")
	}
}
