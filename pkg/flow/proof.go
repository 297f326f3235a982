package flow

import (
	"context"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/pkg/flow/tab"
)

// LooksSignedIn opens the site's home and tells whether signedIn holds there.
// It signs nobody in. On a page of a context that knows no account it must not:
// a signedIn that holds there proves nothing. The error is a *Failure.
func (s *Site) LooksSignedIn(ctx context.Context, page *rod.Page) (holds bool, trace Trace, err error) {
	p := s.player(Job{})
	p.signing = true // being signed out is an answer here
	if s.signIn == nil {
		return false, Trace{}, p.failure(nil, Plain, "the site %s does not tell how to sign in", s.Name)
	}
	err = p.control(ctx, page, func(ctx context.Context) error {
		holds, err = p.looksSignedIn(ctx)
		return err
	})
	return holds, p.trace, err
}

func (p *player) looksSignedIn(ctx context.Context) (bool, error) {
	in := p.site.signIn
	home, err := p.fill(in.home)
	if err != nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, p.site.timeout)
	defer cancel()
	if err := p.navigate(limited, home); err != nil {
		return false, err
	}
	state, _, err := p.first(ctx, p.site.timeout, &in.signedIn, in.signedOut)
	return state == &in.signedIn, err
}

// prove opens the site's home and looks whether it is signed in; if it is not,
// it signs in.
func (p *player) prove(ctx context.Context) error {
	if err := p.viewport(ctx, nil); err != nil {
		return err
	}
	state, err := p.atHome(ctx)
	if err != nil {
		return err
	}
	if state != &p.site.signIn.signedIn {
		return p.enter(ctx)
	}
	if p.site.signIn.remember != nil && p.session == nil {
		// Another page has signed in this very moment, or it was with a version of
		// the site that remembered other things.
		if p.session, err = p.rememberSession(ctx); err != nil {
			return err
		}
		if account := p.job.Account; account.Remembered != nil {
			account.Remembered(p.session)
		}
	}
	p.proven(nil)
	return nil
}

func (p *player) proven(session map[string]any) {
	if account := p.job.Account; account.Proven != nil {
		account.Proven(time.Now(), session)
	}
}

// atHome opens home and tells which of signedIn and signedOut holds there.
func (p *player) atHome(ctx context.Context) (*condition, error) {
	outer := p.signing
	p.signing = true // being signed out is an answer here
	defer func() { p.signing = outer }()
	home, err := p.fill(p.site.signIn.home)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, p.site.timeout)
	defer cancel()
	if err := p.navigate(limited, home); err != nil {
		return nil, err
	}
	in := p.site.signIn
	state, _, err := p.first(ctx, p.site.timeout, &in.signedIn, in.signedOut)
	if err == nil && state == nil {
		err = p.failure(nil, Unavailable, "the application's page tells neither that the account is signed in nor that it is signed out")
	}
	return state, err
}

// first waits for the first of the conditions that holds, and returns it with
// the text of its element; nil when none holds in time.
func (p *player) first(ctx context.Context, limit time.Duration, conditions ...*condition) (*condition, string, error) {
	var goals []tab.Goal
	var ofGoals []*condition
	var expressions []*condition
	for _, c := range conditions {
		switch {
		case c == nil:
		case c.kind == "expression":
			expressions = append(expressions, c)
		default:
			goal, err := c.goal(p, nil)
			if err != nil {
				return nil, "", err
			}
			goals, ofGoals = append(goals, goal), append(ofGoals, c)
		}
	}
	p.ignored = map[int]bool{}
	deadline := time.Now().Add(limit)
	for {
		for _, c := range expressions {
			if holds, err := p.holdsNow(ctx, c); err != nil || holds {
				return c, "", err
			}
		}
		wait := max(0, time.Until(deadline))
		if len(expressions) > 0 {
			wait = min(wait, slice/5)
		}
		if len(goals) == 0 {
			goals, ofGoals = []tab.Goal{{Kind: tab.Not, Hold: maxTimeout.Milliseconds()}}, []*condition{nil}
		}
		found, err := p.look(ctx, nil, wait, goals...)
		if err != nil {
			return nil, "", err
		}
		if found.Goal >= 0 {
			return ofGoals[found.Goal], found.Text, nil
		}
		if !time.Now().Before(deadline) {
			return nil, "", nil
		}
	}
}

// holdsNow tells whether an expression is true at present.
func (p *player) holdsNow(ctx context.Context, c *condition) (bool, error) {
	expression, err := p.fill(c.text)
	if err != nil {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, p.site.timeout)
	defer cancel()
	return p.waitFor(limited, expression, 0)
}
