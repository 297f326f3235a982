package flow

import (
	"errors"
	"fmt"
	"slices"

	"integration.gateway/pkg/flow/placeholder"
)

// Check finds what is wrong with a job before a browser is touched: a field
// that the site does not support, a value that is missing, an address that is
// not the site's. The error is a *Failure for the caller.
func (s *Site) Check(job Job) error {
	op := s.operations[job.Operation]
	if op == nil {
		return &Failure{Message: fmt.Sprintf("the site %s has no flow for %s", s.Name, job.Operation)}
	}
	p := s.player(job)
	for _, field := range op.unsupported {
		if p.chosen(field) {
			return &Failure{Outcome: Invalid, Declared: true, Message: fmt.Sprintf("this site does not support the field %s", field)}
		}
	}
	return p.checkSteps(op.flow.steps)
}

func (p *player) checkSteps(steps []*Step) error {
	for _, s := range steps {
		for _, u := range s.uses {
			if err := p.checkUse(u.template); err != nil {
				err.at(s)
				return err
			}
		}
		branches := [][]*Step{}
		if c, ok := s.action.(chooser); ok {
			if chosen, decided := c.decide(p); decided {
				branches = append(branches, chosen)
			}
		}
		if n, ok := s.action.(nesting); ok && len(branches) == 0 {
			branches = n.nested()
		}
		for _, b := range branches {
			if err := p.checkSteps(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) checkUse(t placeholder.Template) *Failure {
	text, done, err := t.Check(p.lookup, p.known, p.site.formats)
	if err == nil && done && t.Place() == placeholder.URL {
		err = p.allow(text)
	}
	if err == nil {
		return nil
	}
	f := &Failure{}
	if !errors.As(err, &f) {
		f = &Failure{Outcome: Invalid, Message: err.Error(), Err: err}
		var unfilled *placeholder.Error
		if errors.As(err, &unfilled) && slices.Contains([]string{"command", "site"}, unfilled.Name) {
			f.Outcome = Plain
		}
	}
	f.Declared = true
	return f
}
