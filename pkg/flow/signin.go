package flow

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod"

	"integration.gateway/contracts"
)

// SignIn proves that a page is signed in for an account, and signs it in if it
// is not. The error is a *Failure; of outcome Rejected, with the application's
// own words, when the application refuses the credentials.
func (s *Site) SignIn(ctx context.Context, page *rod.Page, account *Account) (Trace, error) {
	p := s.player(Job{Account: account})
	if s.signIn == nil {
		return Trace{}, p.failure(nil, Plain, "the site %s does not tell how to sign in", s.Name)
	}
	err := p.control(ctx, page, func(ctx context.Context) error { return p.prove(ctx) })
	return p.trace, err
}

// Home is the address of the page that a signed-in user sees first; empty when
// the site has no sign-in.
func (s *Site) Home() string {
	if s.signIn == nil {
		return ""
	}
	home, err := (&player{site: s}).fill(s.signIn.home)
	if err != nil {
		return ""
	}
	return s.absolute(home)
}

// withSignIn plays signed in, unless the operation is public. A play that
// lands signed out signs in once and starts again, never after the effect.
func (p *player) withSignIn(ctx context.Context, play func() error) error {
	able := p.site.signIn != nil && p.job.Account != nil
	if able && !p.public && time.Since(p.job.Account.ProvenAt) > proofLasts {
		if err := p.prove(ctx); err != nil {
			return err
		}
	}
	err := play()
	var f *Failure
	if !able || p.signedIn || p.effectKind != "" || !errors.As(err, &f) || f.Outcome != SignedOut {
		return err
	}
	if err := p.enter(ctx); err != nil {
		return err
	}
	p.reset()
	return play()
}

// enter signs in and proves it, unless another playing does so meanwhile.
func (p *player) enter(ctx context.Context) error {
	account := p.job.Account
	if account.Turn == nil {
		return p.signIn(ctx)
	}
	before := account.ProvenAt
	done, err := account.Turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !account.ProvenAt.After(before) {
		return p.signIn(ctx)
	}
	state, err := p.atHome(ctx)
	if err != nil {
		return err
	}
	if state != &p.site.signIn.signedIn {
		return p.signIn(ctx)
	}
	p.session, p.signedIn = account.Session, true
	p.proven(nil)
	return nil
}

// signIn plays the sign-in flow and proves that it worked. Its failure tells
// when the application refused the credentials.
func (p *player) signIn(ctx context.Context) (err error) {
	in := p.site.signIn
	defer func() {
		var f *Failure
		if errors.As(err, &f) {
			f.SignIn = f.refusesSignIn()
		}
	}()
	if p.job.Account.Credentials == nil {
		return p.failure(nil, SignedOut, "the account is signed out, and nothing is at hand to sign in with")
	}
	credentials, err := p.job.Account.Credentials(ctx)
	if errors.Is(err, ErrRefused) {
		f := p.failure(nil, Rejected, "the application refused the linked account's user name and password, so they are not tried again; link the account again")
		f.Declared, f.Err = true, err
		return f
	}
	if err != nil {
		f := p.failure(nil, Plain, "the account's credentials could not be fetched")
		f.Err = err
		return f
	}
	p.credentials, p.code, p.signing, p.signedIn = &credentials, "", true, true
	outer := p.vars
	p.vars = map[string]any{} // what it remembers is its own
	defer func() { p.signing, p.vars = false, outer }()
	state, err := p.givePassword(ctx)
	if err != nil {
		return err
	}
	if state != nil && state == in.verify {
		if err := p.verify(ctx); err != nil {
			return err
		}
	}
	return p.arrive(ctx)
}

// givePassword plays the sign-in flow up to the second factor, if there is one.
func (p *player) givePassword(ctx context.Context) (*condition, error) {
	in := p.site.signIn
	err := p.begin(ctx, in.flow.steps)
	var state *condition
	if err == nil {
		state, err = p.afterSubmit(ctx, in.rejected, in.verify, &in.signedIn)
	}
	var f *Failure
	if errors.As(err, &f) && f.refusesSignIn() && p.job.Account.Refused != nil {
		p.job.Account.Refused(ctx)
	}
	return state, err
}

// refusesSignIn tells, of a failure to sign in, that the application does not
// take the credentials.
func (f *Failure) refusesSignIn() bool { return f.Refusal() && f.Outcome.kind() == contracts.Rejected }

// verify passes the second factor.
func (p *player) verify(ctx context.Context) error {
	in := p.site.signIn
	if p.credentials.OneTimeSecret == "" {
		return p.refused("the application asks for a one-time code, and the account has no secret to make it with")
	}
	if err := p.steps(ctx, in.verifyFlow.steps); err != nil {
		return err
	}
	state, err := p.afterSubmit(ctx, in.rejected, &in.signedIn)
	if err != nil || state != nil {
		return err
	}
	// Many applications just ask once more.
	if state, _, err = p.first(ctx, 0, in.verify); err != nil || state == nil {
		return err
	}
	return p.refused("the application asks for the second factor again: it did not take the one-time code")
}

// arrive opens home after a sign-in and proves that it worked.
func (p *player) arrive(ctx context.Context) error {
	state, err := p.atHome(ctx)
	if err != nil {
		return err
	}
	if state != &p.site.signIn.signedIn {
		return p.failure(nil, SignedOut, "the sign-in was played, and the application still shows its signed-out page")
	}
	session, err := p.rememberSession(ctx)
	if err != nil {
		return err
	}
	if session == nil {
		session = map[string]any{}
	}
	p.session = session
	p.proven(session)
	return nil
}

func (p *player) rememberSession(ctx context.Context) (map[string]any, error) {
	s := p.site.signIn.remember
	if s == nil {
		return nil, nil
	}
	outer := p.vars
	defer func() { p.vars = outer }()
	p.vars = map[string]any{}
	if err := p.step(ctx, s); err != nil {
		return nil, p.wrap(ctx, s, err)
	}
	return p.vars, nil
}

func (p *player) refused(reason string) *Failure {
	f := p.failure(nil, Rejected, "%s", p.abridged(reason))
	f.Declared, f.Quotes = true, true
	return f
}

// drawnIn is how long the page after a sign-in may take to draw by script that
// it refuses, or asks for more, before home is opened.
const drawnIn = time.Second

// afterSubmit waits, after the last step of a sign-in flow, for one of the
// conditions or for a navigation: leaving at once could cut the request off.
func (p *player) afterSubmit(ctx context.Context, conditions ...*condition) (*condition, error) {
	deadline := time.Now().Add(p.site.timeout)
	for {
		moved := p.tab.Arrivals() > p.arrivals
		wait := min(slice/2, time.Until(deadline))
		if moved {
			wait = min(drawnIn, time.Until(deadline))
		}
		state, text, err := p.first(ctx, wait, conditions...)
		if err != nil {
			return nil, err
		}
		if state != nil && state == p.site.signIn.rejected {
			if text == "" {
				text = "the application refuses these credentials"
			}
			return nil, p.refused(text)
		}
		if state != nil || moved || time.Now().After(deadline) {
			return state, nil
		}
	}
}
