package flow

import (
	"context"
	"errors"
	"slices"
	"time"

	"integration.gateway/pkg/flow/tab"
)

// pictureIn bounds the taking of a picture, which has its time even when the
// job's is over.
const pictureIn = 2 * time.Second

// picture adds to a failure how the page looks, if the flow broke: when the site
// has changed, that shows what into. Whatever goes wrong with it changes
// nothing.
func (p *player) picture(ctx context.Context, err error) {
	var f *Failure
	if !errors.As(err, &f) || !f.broken() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pictureIn)
	defer cancel()
	n := len(p.trace.Steps)
	sought, frame := p.soughtBy(f)
	taken, err := p.tab.Picture(ctx, tab.Sight{
		Sought:  sought,
		Frame:   frame,
		Secrets: p.secrets(),
		Fields:  n > 0 && p.trace.Steps[n-1].SignIn,
	})
	if err != nil && taken.Near == nil {
		return
	}
	for i, line := range taken.Near {
		taken.Near[i] = p.abridged(line)
	}
	f.Picture = &Picture{Image: taken.Image, Address: p.abridged(p.tab.Address()), Near: taken.Near}
}

// broken says that a flow could not be played: nobody declared that it ends so,
// and it is not the request's fault.
func (f *Failure) broken() bool {
	return !f.Declared && slices.Contains([]Outcome{Plain, SignedOut, Unavailable}, f.Outcome) && !errors.Is(f.Err, ErrStopped)
}

// soughtBy is what the step that failed looked for, nil where it looked for
// nothing, and the frame that it looked in.
func (p *player) soughtBy(f *Failure) (tab.Selectors, []int) {
	var where selectors
	var frame []int
	if flow := p.site.flows[f.File]; flow != nil {
		walk(flow.steps, func(s *Step) {
			if s.File == f.File && s.Number == f.Step {
				where, frame = s.selectors(), s.frame
			}
		})
	}
	filled, err := where.fill(p)
	if err != nil {
		return nil, frame
	}
	return filled, frame
}

// selectors are what a step looks for first.
func (s *Step) selectors() selectors {
	switch a := s.action.(type) {
	case *click:
		return a.selectors
	case *hover:
		return a.selectors
	case *change:
		return a.selectors
	case *scroll:
		return a.selectors
	case *waitForElement:
		return a.selectors
	default:
		return nil
	}
}
