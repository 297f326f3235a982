package integration

import (
	"context"
	"errors"
	"time"

	"integration.gateway/contracts/accounts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/vault"
)

// errSignedInElsewhere says that another process has signed the account in since
// this one leased a page: a fresh context that is restored is signed in, too.
var errSignedInElsewhere = errors.New("the account was signed in by another process meanwhile")

// turn waits until nobody else signs the account's user in, neither another page
// of the context nor another process for any account of that user. It brings
// what the flow knows of the context up to date.
func (a *signedInAccount) turn(ctx context.Context, page *browser.Page, account *flow.Account) (done func(), err error) {
	before := account.ProvenAt
	ofContext, err := page.Turn(ctx)
	account.Session, account.ProvenAt = page.Remembered(), page.Proven()
	if err != nil {
		return nil, err
	}
	user, err := a.player.userOf(ctx, a.site, a.id.AccountID)
	if err != nil || user == "" {
		return ofContext, nil //nolint:nilerr // the flow finds out that there is nothing to sign in with
	}
	ofUser, err := a.player.signIns.Turn(ctx, user)
	if err != nil {
		ofContext()
		return nil, err
	}
	done = func() { ofUser(); ofContext() }
	if a.reopens && !account.ProvenAt.After(before) && a.storedSince(ctx) {
		done()
		return nil, errSignedInElsewhere
	}
	return done, nil
}

// storedSince says whether the account's state was stored after the page was
// leased. Where that is not known, a sign-in does no harm.
func (a *signedInAccount) storedSince(ctx context.Context) bool {
	age, err := a.player.vault.Age(ctx, a.id.AccountID, stateName)
	if err != nil {
		if !errors.Is(err, vault.ErrNotFound) {
			a.player.logger.Warn("the age of an account's browser state is not known", "account", a.id.AccountID, "error", err)
		}
		return false
	}
	return age < time.Since(a.leased)
}

// credentials fetches the account's credentials, unless the application has
// refused their password before, through whatever account of that user.
func (a *signedInAccount) credentials(ctx context.Context) (flow.Credentials, error) {
	c, err := a.player.credentialsOf(ctx, a.id.AccountID)
	if err != nil {
		return flow.Credentials{}, err
	}
	user, err := a.player.userWith(ctx, a.site, c)
	if err != nil {
		return flow.Credentials{}, err
	}
	if a.password, err = a.player.vault.Fingerprint(ctx, "password", user, c.Password); err != nil {
		return flow.Credentials{}, err
	}
	refused, err := a.player.signIns.Refused(ctx, a.password, a.id.AccountID)
	if err == nil && refused {
		err = flow.ErrRefused
	}
	if err != nil {
		return flow.Credentials{}, err
	}
	return c, nil
}

// refusedPassword notes that the application has refused the password.
func (a *signedInAccount) refusedPassword(ctx context.Context) {
	if err := a.player.signIns.Refuse(ctx, a.password); err != nil {
		a.player.logger.Error("a refused password was not noted; the next command tries it again", "account", a.id.AccountID, "error", err)
	}
}

// signedIn keeps what a sign-in has made, before the turn is over: who waits for
// it in another process goes on from that.
func (a *signedInAccount) signedIn(ctx context.Context, page *browser.Page) {
	a.save(ctx, page)
	if err := a.player.signIns.Accept(ctx, a.password); err != nil {
		a.player.logger.Error("a password that works now stays noted as refused", "account", a.id.AccountID, "error", err)
	}
}

// claimCode implements flow.ClaimCode for all processes.
func (a *signedInAccount) claimCode(ctx context.Context, secret string) (at time.Time, wait time.Duration, release func(), err error) {
	fingerprint, err := a.player.vault.Fingerprint(ctx, "one-time secret", accounts.NormalSecret(secret))
	if err != nil {
		return time.Time{}, 0, nil, err
	}
	return a.player.signIns.ClaimCode(ctx, fingerprint)
}
