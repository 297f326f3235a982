package integration

import (
	"context"
	"errors"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/drift"
	"integration.gateway/pkg/session"
)

// OpenSession carries out create-session: it hands over a browser that is signed
// in for the command's account, which goes on from the state that the account's
// last browser left, or signs in by the site's flow.
//
// Errors are as Play's; of kind Rejected when the application refuses to sign
// the account in.
func OpenSession(ctx context.Context, p *Player, op contracts.Operation[contracts.CreateSessionRequest, contracts.Session]) (*contracts.Session, error) {
	site, err := siteFrom(ctx)
	if err != nil {
		return nil, err
	}
	if !site.CanSignIn() {
		return nil, contracts.Errorf(contracts.NotImplemented, "%s is not implemented: the site %s does not tell how to sign in", op.Info().ID(), site.Name)
	}
	cmd := command.From(ctx)
	if cmd == nil {
		return nil, errors.New("a session is opened outside of a command")
	}
	o := &opening{
		signedInAccount: signedInAccount{player: p, site: site, id: bus.IdentityFrom(ctx)},
		operation:       op.Name,
	}
	user, err := p.userOf(ctx, site, o.id.AccountID)
	if err != nil {
		return nil, err
	}
	opened, err := p.sessions.Create(ctx, session.Request{
		Identity: o.id, User: user, Integration: op.Integration, Operation: op.Name,
		Site: site.Name, Version: versionOf(site), Origins: site.Origins(),
		Restore: o.restore, SignIn: o.signIn, Keep: o.keep,
	})
	if err != nil {
		p.keepPicture(ctx, cmd, err)
		return nil, asError(ctx, cmd, err)
	}
	return opened, nil
}

// opening is an account whose session is opened, and kept signed in while it is
// open.
type opening struct {
	signedInAccount

	operation string
}

// signIn proves that a page is signed in, or signs it in.
func (o *opening) signIn(ctx context.Context, page *browser.Page) (session.SignedIn, error) {
	trace, err := o.site.SignIn(ctx, page.Rod(), o.on(ctx, page))
	o.player.drift.Count(drift.Playing{Site: o.site, Operation: o.operation, Command: o.id.CommandID, Trace: trace, Err: err})
	if trace.Unclean == nil {
		o.save(ctx, page)
	}
	o.refused(ctx, err)
	if err == nil {
		err = trace.Unclean
	}
	if err != nil {
		return session.SignedIn{}, err
	}
	shown, cancel := page.Bind(ctx)
	defer cancel()
	info, err := shown.Info()
	if err != nil {
		return session.SignedIn{}, err
	}
	return session.SignedIn{Home: info.URL, Typed: trace.SignedIn()}, nil
}

// keep stores what the session has changed of the account's state. What
// operations have warm of the account is older.
func (o *opening) keep(ctx context.Context, page *browser.Page) error {
	defer o.player.browsers.Forget(o.id.AccountID)
	return o.store(ctx, page)
}
