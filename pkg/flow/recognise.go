package flow

import "integration.gateway/pkg/flow/tab"

// An empty list is a list only on the right page: on any other one it is what
// a broken flow finds. So the player notes whether the flow has recognised the
// page since it last did anything to it.

// recognise notes that a look of a step found what only the right page has.
func (p *player) recognise(s *Step, goal tab.Goal) {
	if s == nil { // a look of the player's own, such as for being signed in
		return
	}
	switch goal.Kind {
	case tab.Visible, tab.Exists, tab.URL, tab.Point, tab.Focus:
	case tab.Count:
		if goal.Count == 0 || goal.Operator == "<=" {
			return
		}
	default:
		return
	}
	p.recognised = p.tab.Documents()
}

// regard notes what a step that was played means for that.
func (p *player) regard(s *Step) {
	switch s.action.(type) {
	case *navigate, *click, *change, *fill, *key, *closing:
		p.recognised = 0
	case *waitForExpression:
		p.recognised = p.tab.Documents()
	}
}

// onRightPage reports whether the flow has recognised the page as it is.
func (p *player) onRightPage() bool {
	return p.recognised > 0 && p.recognised == p.tab.Documents()
}
