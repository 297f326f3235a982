package flow

import "slices"

// checkOperations holds each operation's flow against its contract.
func (l *loader) checkOperations() {
	for _, name := range l.site.Operations() {
		op := l.site.operations[name]
		if l.contracts != nil {
			c, ok := l.contracts(name)
			if !ok {
				l.siteFault(op, "%s has no operation %q", l.site.Integration, name)
				continue
			}
			op.contract = c
		}
		if op.flow != nil {
			l.checkEffects(op)
		}
		if op.reconcile != nil {
			l.checkReconcile(op)
		}
		if op.contract == nil || op.flow == nil {
			continue
		}
		l.checkFields(op)
		walk(op.flow.steps, func(s *Step) {
			if e, ok := s.action.(*extract); ok {
				l.checkExtract(s, op, e)
			}
		})
	}
}

// siteFault notes a fault of what site.yaml says of an operation.
func (l *loader) siteFault(op *operation, format string, args ...any) {
	l.fault(&Step{File: SiteFile, Line: op.line}, format, args...)
}

func (l *loader) checkEffects(op *operation) {
	found := 0
	walk(op.flow.steps, func(s *Step) {
		switch a := s.action.(type) {
		case *repeat:
			walk(a.steps, func(inner *Step) {
				if inner.Type == "effect" {
					l.fault(inner, "an effect happens once, so it has no place in a repeat")
				}
			})
		case *effect:
			found++
			if op.contract == nil {
				return
			}
			if op.contract.Effect == "" {
				l.fault(s, "%s has no effect, so its flow holds no effect step", op.name)
			} else if a.kind != op.contract.Effect {
				l.fault(s, "the effect of %s is %q, not %q", op.name, op.contract.Effect, a.kind)
			}
		}
	})
	wanted := found
	if op.contract != nil && op.contract.Effect != "" {
		wanted = 1
	}
	if (found != wanted || found > 1) && l.readable(op.flow) {
		l.fault(&Step{File: op.flow.File, Line: 1}, "the flow of %s needs exactly one effect step, not %d", op.name, found)
	}
}

// checkReconcile sees to it that a reconcile flow only looks, and tells what it
// is there to tell.
func (l *loader) checkReconcile(op *operation) {
	told := false
	walk(op.reconcile.steps, func(s *Step) {
		switch a := s.action.(type) {
		case *effect:
			l.fault(s, "a reconcile flow only looks; it holds no effect step")
		case *extract:
			told = l.checkVerdict(s, a) || told
		}
		if op.contract != nil {
			l.checkUsed(s, op)
		}
	})
	if !told && l.readable(op.reconcile) {
		l.fault(&Step{File: op.reconcile.File, Line: 1}, "a reconcile flow ends with an extract of applied, which is true or false")
	}
	if op.contract != nil && op.contract.Effect == "" {
		l.siteFault(op, "%s has no effect, so there is nothing to reconcile", op.name)
	}
}

// checkVerdict checks an extract of a reconcile flow and reports whether it
// tells if the effect happened. Evidence may be anything; of it, the fields
// that the result has too will fill it.
func (l *loader) checkVerdict(s *Step, e *extract) (told bool) {
	for _, f := range e.fields {
		switch {
		case e.into == "evidence":
		case e.into == "" && f.name == "applied":
			told = true
		case e.into != "" || f.name != "evidence":
			at := *s
			at.Line = f.line
			l.fault(&at, "a reconcile flow tells applied and evidence, not %s", fieldPath(e.into, f.name))
		}
	}
	return told
}

// checkUsed finds names that the request does not have.
func (l *loader) checkUsed(s *Step, op *operation) {
	for _, name := range fieldNames(s) {
		if !op.contract.knows(name) {
			l.fault(s, "{{ %s }} is no field of %s; there are %s", name, op.name, op.contract.names())
		}
	}
}

func (l *loader) checkFields(op *operation) {
	walk(op.flow.steps, func(s *Step) { l.checkUsed(s, op) })
	used := usedNames(op.flow.steps)
	unused := slices.Concat(op.ignores, op.unsupported)
	for _, name := range unused {
		switch {
		case !op.contract.knows(name):
			l.siteFault(op, "%s: %q under ignores or unsupported is no field of the request", op.name, name)
		case slices.Contains(used, name):
			l.siteFault(op, "%s: the flow uses %q, yet it stands under ignores or unsupported", op.name, name)
		}
	}
	if !l.readable(op.flow) {
		return // what uses a field may be what could not be read
	}
	at := &Step{File: op.flow.File, Line: 1}
	for _, f := range op.contract.request {
		if !slices.Contains(paging, f.name) && !slices.ContainsFunc(slices.Concat(used, unused), f.covers) {
			l.fault(at, "the flow of %s does not use the field %q; if it has none to use it for, name it under ignores or unsupported", op.name, f.name)
		}
	}
	l.checkPaging(at, op)
}

// checkPaging finds fields that choose a part of a list and mean nothing
// without one another: the service cannot apply one alone to the rows that the
// other has left.
func (l *loader) checkPaging(at *Step, op *operation) {
	left := l.site.LeavesPaging(op.name)
	used := usedNames(op.flow.steps)
	for _, pair := range [][2]string{{"page", "pageSize"}, {"pageSize", "page"}, {"limit", "startIndex"}} {
		if slices.Contains(used, pair[0]) && slices.Contains(left, pair[1]) {
			l.fault(at, "the flow of %s uses %s but not %s, which the service cannot apply to what is left; use both, or name %[3]s under ignores or unsupported",
				op.name, pair[0], pair[1])
		}
	}
}

// checkExtract sees to it that an extract fills fields that the result has.
func (l *loader) checkExtract(s *Step, op *operation, e *extract) {
	if e.into != "" && op.contract.shape(e.into, false).schema == nil {
		l.fault(s, "the result of %s has no field %q", op.name, e.into)
		return
	}
	l.checkShape(s, op, op.contract.shape(e.into, e.each != nil), e.fields)
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
