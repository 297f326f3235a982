package flow

import "slices"

// NamesCommand reports whether what an operation leaves at the site names its
// command: its flow writes {{ command.id }} into the application, and its
// reconcile flow looks for it. What is found by it is this command's, and nobody
// else's.
func (s *Site) NamesCommand(name string) bool {
	op := s.operations[name]
	return op != nil && op.flow != nil && op.reconcile != nil &&
		usesCommandID(op.flow, putsIn) && usesCommandID(op.reconcile, looks)
}

// usesCommandID reports whether a step of a flow that does something uses the
// command's id.
func usesCommandID(f *Flow, does func(*Step) bool) bool {
	used := false
	walk(f.steps, func(s *Step) {
		used = used || does(s) && slices.ContainsFunc(s.uses, func(u use) bool {
			return slices.ContainsFunc(u.template.Names(), func(name []string) bool { return slices.Equal(name, []string{"command", "id"}) })
		})
	})
	return used
}

// putsIn reports whether a step puts values into the application.
func putsIn(s *Step) bool {
	switch a := s.action.(type) {
	case *change, *fill:
		return true
	case fetching:
		f := a.request()
		return f != nil && f.changes()
	}
	return false
}

// looks reports whether a step can find something by a value, rather than only
// tell it.
func looks(s *Step) bool {
	switch a := s.action.(type) {
	case *fail:
		return false
	case *extract:
		return a.request() != nil
	}
	return true
}
