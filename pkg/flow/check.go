package flow

import (
	"fmt"
	"slices"
	"strings"
)

// namespaces are the first words of dotted names that are no request fields.
var namespaces = []string{"page", "vars", "session", "site", "command", "account", "row", "each", "localStorage"}

func isNamespace(name []string) bool {
	return len(name) > 1 && slices.Contains(namespaces, name[0]) ||
		len(name) == 1 && (name[0] == "baseUrl" || name[0] == "each")
}

// checkNames sees to it that the names of placeholders can have a value where
// they stand: what the contract does not know is a slip of the pen.
func (l *loader) checkNames(ofSite []use) {
	for _, u := range ofSite {
		for _, name := range u.template.Names() {
			if !isNamespace(name) {
				l.fault(&Step{File: SiteFile, Line: u.line}, "{{ %s }}: site.yaml serves all operations and knows no request", strings.Join(name, "."))
			}
		}
	}
	for _, f := range l.site.flows {
		walkOwn(f.steps, func(s *Step) {
			for _, u := range s.uses {
				for _, name := range u.template.Names() {
					l.checkName(s, u.line, name)
				}
			}
		})
	}
}

func (l *loader) checkName(s *Step, line int, name []string) {
	at := *s
	at.Line = line
	if !isNamespace(name) || len(name) == 1 {
		return
	}
	switch name[0] {
	case "account":
		if !l.account[s.File] {
			l.fault(&at, "{{ %s }} may stand in sign-in flows only", strings.Join(name, "."))
		} else if !slices.Contains([]string{"username", "password", "oneTimeCode"}, name[1]) || len(name) > 2 {
			l.fault(&at, "{{ %s }} is unknown; there are account.username, account.password and account.oneTimeCode", strings.Join(name, "."))
		}
	case "page":
		if name[1] != "url" || len(name) > 2 {
			l.fault(&at, "{{ %s }} is unknown; there is page.url", strings.Join(name, "."))
		}
	case "command":
		if name[1] != "id" && name[1] != "startedAt" || len(name) > 2 {
			l.fault(&at, "{{ %s }} is unknown; there are command.id and command.startedAt", strings.Join(name, "."))
		}
	case "site":
		if _, ok := dig(l.site.defaults, name[1:]); !ok {
			l.fault(&at, "{{ %s }} is not among the defaults of site.yaml", strings.Join(name, "."))
		}
	}
}

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

// checkOperations holds each operation's flow against its contract.
func (l *loader) checkOperations() {
	for _, name := range l.site.Operations() {
		op := l.site.operations[name]
		at := &Step{File: op.flow.File, Line: 1}
		if op.reconcile != nil {
			walk(op.reconcile.steps, func(s *Step) {
				if s.Type == "effect" {
					l.fault(s, "a reconcile flow only looks; it holds no effect step")
				}
			})
		}
		if l.contracts == nil {
			continue
		}
		c, ok := l.contracts(name)
		if !ok {
			l.faults = append(l.faults, Fault{File: SiteFile, Text: fmt.Sprintf("%s has no operation %q", l.site.Integration, name)})
			continue
		}
		op.contract = c
		l.checkEffects(at, op)
		l.checkFields(at, op)
		l.checkResult(op)
	}
}

func (l *loader) checkEffects(at *Step, op *operation) {
	found := 0
	walk(op.flow.steps, func(s *Step) {
		e, ok := s.action.(*effect)
		if !ok {
			return
		}
		found++
		if op.contract.Effect == "" {
			l.fault(s, "%s has no effect, so its flow holds no effect step", op.name)
		} else if e.kind != op.contract.Effect {
			l.fault(s, "the effect of %s is %q, not %q", op.name, op.contract.Effect, e.kind)
		}
	})
	if op.contract.Effect != "" && found != 1 {
		l.fault(at, "the flow of %s needs exactly one effect step, not %d", op.name, found)
	}
}

// applied are fields that the service applies where the flow does not.
var applied = []string{"limit", "startIndex", "page", "pageSize"}

func (l *loader) checkFields(at *Step, op *operation) {
	used := map[string]bool{}
	walk(op.flow.steps, func(s *Step) {
		names := fieldNames(s)
		for _, name := range names {
			if used[name] = true; !slices.Contains(op.contract.Fields, name) {
				l.fault(s, "{{ %s }} is no field of %s; there are %s", name, op.name, strings.Join(op.contract.Fields, ", "))
			}
		}
	})
	for _, name := range slices.Concat(op.ignores, op.unsupported) {
		if !slices.Contains(op.contract.Fields, name) {
			l.faults = append(l.faults, Fault{File: SiteFile, Text: fmt.Sprintf("%s: %q under ignores or unsupported is no field of the request", op.name, name)})
		} else if used[name] {
			l.faults = append(l.faults, Fault{File: SiteFile, Text: fmt.Sprintf("%s: the flow uses %q, yet it stands under ignores or unsupported", op.name, name)})
		}
		used[name] = true
	}
	for _, name := range op.contract.Fields {
		if !used[name] && !slices.Contains(applied, name) {
			l.fault(at, "the flow of %s does not use the field %q; if it has none to use it for, name it under ignores or unsupported", op.name, name)
		}
	}
}

// fieldNames lists the request fields that a step itself uses, without what
// stands inside them.
func fieldNames(s *Step) []string {
	var names []string
	for _, u := range s.uses {
		for _, name := range u.template.Names() {
			if !isNamespace(name) {
				names = append(names, name[0])
			}
		}
	}
	if f, ok := s.action.(fielded); ok {
		for _, name := range f.fields() {
			first, _, _ := strings.Cut(name, ".")
			names = append(names, first)
		}
	}
	return names
}

// checkResult sees to it that extracts fill fields that the result has.
func (l *loader) checkResult(op *operation) {
	walk(op.flow.steps, func(s *Step) {
		e, ok := s.action.(*extract)
		if !ok {
			return
		}
		if e.into != "" && op.contract.shape(e.into, false).schema == nil {
			l.fault(s, "the result of %s has no field %q", op.name, e.into)
			return
		}
		l.checkShape(s, op, op.contract.shape(e.into, e.each != nil), e.fields)
	})
}

func (l *loader) checkShape(s *Step, op *operation, shape shape, fields []*field) {
	for _, f := range fields {
		inner := shape.property(f.name)
		if inner.schema == nil {
			at := *s
			at.Line = f.line
			l.fault(&at, "the result of %s has no field %q here", op.name, f.name)
			continue
		}
		if f.each != nil {
			inner = inner.items()
		}
		if f.fields != nil {
			l.checkShape(s, op, inner, f.fields)
		}
	}
}
