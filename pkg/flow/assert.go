package flow

import (
	"context"
	"time"

	"integration.gateway/pkg/flow/tab"
)

// assert waits for the navigation that a step's asserted events tell of. Where
// there are several, the page passes through those before the last.
func (p *player) assert(ctx context.Context, s *Step) error {
	if len(s.asserted) == 0 {
		return nil
	}
	last := s.asserted[len(s.asserted)-1]
	goal := tab.Goal{Kind: tab.URL}
	var err error
	if goal.URL, err = p.fillAddress(last.url); err != nil {
		return err
	}
	if goal.Title, err = p.fill(last.title); err != nil {
		return err
	}
	deadline := time.Now().Add(p.timeoutOf(s))
	if err := p.arrival(ctx, s, p.arrivals, deadline); err != nil {
		return err
	}
	found, err := p.look(ctx, s, time.Until(deadline), goal)
	if err == nil && found.Goal < 0 {
		err = p.failure(s, Plain, "the page is not the asserted one within %s: %s", p.timeoutOf(s), found.Reasons[0])
	}
	return err
}

// arrival waits for a document or a route change besides those counted before.
func (p *player) arrival(ctx context.Context, s *Step, before int, deadline time.Time) error {
	for p.tab.Arrivals() == before {
		if !time.Now().Before(deadline) {
			return p.failure(s, Plain, "no navigation came within %s, and the step asserts one", p.timeoutOf(s))
		}
		if err := p.watch(ctx, s); err != nil {
			return err
		}
		pause, cancel := context.WithTimeout(ctx, min(slice, time.Until(deadline)))
		err := p.tab.Arrived(pause, before)
		over := pause.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil && !over {
			return err
		}
	}
	return nil
}
