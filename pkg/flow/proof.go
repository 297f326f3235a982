package flow

import (
	"context"

	"github.com/go-rod/rod"
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
