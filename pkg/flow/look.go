package flow

import (
	"context"
	"errors"
	"time"

	"integration.gateway/pkg/flow/tab"
)

// find seeks, and notes which alternative won.
func (p *player) find(ctx context.Context, s *Step, where selectors, goal tab.Goal) (tab.Found, error) {
	found, err := p.seek(ctx, s, where, goal)
	if err == nil {
		p.chose(where, found.Alternative)
	}
	return found, err
}

// seek looks for a step's selectors with a goal until the step's time is over.
func (p *player) seek(ctx context.Context, s *Step, where selectors, goal tab.Goal) (tab.Found, error) {
	filled, err := where.fill(p)
	if err != nil {
		return tab.Found{}, err
	}
	goal.Selectors, goal.Frame = filled, s.frame
	limit := p.timeoutOf(s)
	found, err := p.look(ctx, s, limit, goal)
	if err != nil {
		return found, err
	}
	if found.Goal < 0 {
		return found, p.failure(s, Plain, "%s within %s", found.Reasons[0], limit)
	}
	return found, nil
}

// watch looks for overlays and for being signed out, and for nothing else.
func (p *player) watch(ctx context.Context, s *Step) error {
	if goals, _, err := p.watched(); err != nil || len(goals) == 0 {
		return err
	}
	_, err := p.look(ctx, s, 0, tab.Goal{Kind: tab.Ready})
	return err
}

// watchBefore watches before a step that does not look at the page by itself.
// Where that cannot be done, as there is no page, the step goes on.
func (p *player) watchBefore(ctx context.Context, s *Step) error {
	switch s.action.(type) {
	case *setViewport, *navigate, *network, *closing, *dialog:
		var f *Failure
		if err := p.watch(ctx, s); errors.As(err, &f) {
			return f
		}
	}
	return nil
}

// orSignedOut returns the error of a step, unless the reason for it is that the
// account has been signed out. Steps inside of others are looked after there.
func (p *player) orSignedOut(ctx context.Context, s *Step, err error) error {
	var f *Failure
	_, nests := s.action.(nesting)
	if err == nil || nests || ctx.Err() != nil || errors.As(err, &f) && (f.Declared || f.Outcome != Plain && f.Outcome != Invalid) {
		return err
	}
	if watched := p.watch(ctx, s); errors.As(watched, &f) && f.Outcome == SignedOut {
		return watched
	}
	return err
}

// look waits for the first of the goals. In the same evaluate it looks for
// overlays, which it dismisses, and for being signed out, which ends it.
func (p *player) look(ctx context.Context, s *Step, limit time.Duration, goals ...tab.Goal) (tab.Found, error) {
	deadline := time.Now().Add(limit)
	for {
		if err := p.signedOutByExpression(ctx); err != nil {
			return tab.Found{}, err
		}
		watched, overlays, err := p.watched()
		if err != nil {
			return tab.Found{}, err
		}
		left := max(0, time.Until(deadline))
		found, err := p.tab.Look(ctx, left, append(watched, goals...)...)
		if err != nil {
			return found, err
		}
		if found.Goal >= len(watched) {
			found.Goal -= len(watched)
			p.recognise(s, goals[found.Goal])
			return found, nil
		}
		if found.Goal < 0 {
			if len(found.Reasons) > len(watched) {
				found.Reasons = found.Reasons[len(watched):]
			}
			return found, nil
		}
		if found.Goal >= len(overlays) {
			return found, p.failure(s, SignedOut, "the application has signed the account out")
		}
		if err := p.dismiss(ctx, overlays[found.Goal], watched[found.Goal]); err != nil {
			return found, err
		}
	}
}

// watched lists the goals that are looked for all the time: overlays, whose
// indexes are returned, and then being signed out.
func (p *player) watched() (goals []tab.Goal, overlays []int, err error) {
	for i, overlay := range p.site.overlays {
		if p.ignored[i] {
			continue
		}
		filled, err := overlay.fill(p)
		if err != nil {
			return nil, nil, err
		}
		goals, overlays = append(goals, tab.Goal{Kind: tab.Visible, Selectors: filled}), append(overlays, i)
	}
	if c := p.signedOut(); c != nil && c.kind != "expression" {
		goal, err := c.goal(p, nil)
		if err != nil {
			return nil, nil, err
		}
		goals = append(goals, goal)
	}
	return goals, overlays, nil
}

// signedOut is the condition to look for, nil where being signed out is fine.
func (p *player) signedOut() *condition {
	if p.public || p.signing || p.site.signIn == nil {
		return nil
	}
	return p.site.signIn.signedOut
}

func (p *player) signedOutByExpression(ctx context.Context) error {
	c := p.signedOut()
	if c == nil || c.kind != "expression" {
		return nil
	}
	holds, err := p.holdsNow(ctx, c)
	if err == nil && holds {
		err = p.failure(p.last, SignedOut, "the application has signed the account out")
	}
	return err
}

// dismissIn bounds the dismissal of an overlay, and then its fading away.
const dismissIn = 2 * time.Second

// dismiss clicks an overlay away and waits until it has gone: a second click
// could meet what is behind it. One that cannot be clicked, or stays, is left
// alone for the rest of the step, which then says what is in its way.
func (p *player) dismiss(ctx context.Context, index int, goal tab.Goal) error {
	goal.Kind = tab.Point
	p.ignored[index] = true
	found, err := p.tab.Look(ctx, dismissIn, goal)
	if err != nil || found.Goal < 0 {
		return err
	}
	p.chose(p.site.overlays[index], found.Alternative)
	if err := p.tab.Click(ctx, found.X, found.Y, "left", 1, 0); err != nil {
		return err
	}
	found, err = p.tab.Look(ctx, dismissIn, tab.Goal{Kind: tab.Not, Selectors: goal.Selectors})
	p.ignored[index] = found.Goal < 0
	return err
}
