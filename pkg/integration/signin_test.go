package integration

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/session"
)

// linkedAgain is an instance for another account of the same user.
func (in *instance) linkedAgain(password string) *instance {
	in.Helper()
	o := *in.office
	o.account = uuid.NewString()
	text, err := json.Marshal(accounts.Credentials{Username: " Jane", Password: password})
	o.must(err)
	o.must(o.vault.Put(o.Context(), o.account, accounts.CredentialsName, text))
	again := *in
	again.office = &o
	return &again
}

// Each try brings the user closer to being locked out, whichever account and
// process makes it.
func TestARefusedPasswordIsTriedOnceForAllLinksOfAUser(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.link("wrong horse")
	one, other := o.instance(), o.instance()
	linkedAgain := other.linkedAgain("wrong horse")
	one.list()
	for _, in := range []*instance{one, other, linkedAgain} {
		out := in.list()
		if out.err == nil || out.err.Kind != contracts.Rejected || out.events != "command.accepted command.rejected" {
			t.Errorf("%+v, events %s", out.err, out.events)
		}
	}
	linkedAgain.expectStory(event.TypeAccountNeedsSignIn)
	if _, err := openSession(linkedAgain); !errors.Is(err, flow.ErrRefused) {
		t.Errorf("a session: %v", err)
	}
	if n := o.application.strangers.Load(); n != 1 {
		t.Errorf("the application refused %d sign-ins, want 1", n)
	}

	other.linkedAgain(password).mustList() // another password
	o.link(password)
	one.mustList()
	o.expectSignIns(2)
}

// openSession signs in as a session does.
func openSession(in *instance) (session.SignedIn, error) {
	opening := &opening{signedInAccount: *in.signedIn(), operation: "create-session"}
	page, err := in.player.browsers.Acquire(in.Context(), browser.Tenant{Account: in.account, Origins: opening.site.Origins()})
	in.must(err)
	defer page.Release(false)
	return opening.signIn(in.Context(), page)
}

// signedIn is the instance's account during one command.
func (in *instance) signedIn() *signedInAccount {
	in.Helper()
	at, err := in.sites.Get("shop")
	in.must(err)
	return &signedInAccount{player: in.player, site: at, id: bus.Identity{CommandID: uuid.NewString(), AccountID: in.account}}
}

// The second process finds the account signed out while the first one signs it
// in: it goes on from what that has stored.
func TestTwoProcessesSignAnAccountInOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	one, other := o.instance(), o.instance()
	var second sync.WaitGroup
	begin := sync.OnceFunc(func() {
		shown := o.application.forms.Load()
		second.Go(other.mustList)
		o.eventually("the second to find itself signed out", func() bool { return o.application.forms.Load() > shown })
	})
	o.application.entering.Store(&begin)
	one.mustList()
	second.Wait()
	o.expectSignIns(1)
	o.expectStory(event.TypeAccountSignedIn)
}

func TestTwoProcessesTypeNoCodeTwice(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	one, other := o.instance(), o.instance().linkedAgain(password)
	first, _, _, err := one.signedIn().claimCode(t.Context(), "JBSWY3DPEHPK3PXP")
	o.must(err)
	second, wait, release, err := other.signedIn().claimCode(t.Context(), " jbswy3dpehpk3pxp")
	o.must(err)
	if second.Sub(first) != 30*time.Second || wait <= 0 {
		t.Errorf("codes of %s and %s, the second in %s", first, second, wait)
	}
	release()
}

// What is kept of a sign-in is kept though the command is over: its caller has
// hung up.
func TestSignInIsKeptAfterItsCommand(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	a := in.signedIn()
	page, err := in.player.browsers.Acquire(t.Context(), browser.Tenant{Account: in.account, Origins: a.site.Origins()})
	in.must(err)
	defer page.Release(true)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	a.learnt = true
	a.save(over, page)
	if _, err := in.vault.Get(t.Context(), in.account, stateName); err != nil {
		t.Errorf("the browser's state: %v", err)
	}
	a.refused(over, &flow.Failure{SignIn: true, Quotes: true, Message: "This password is wrong"})
	for _, e := range in.expectStory(event.TypeAccountNeedsSignIn) {
		if told, err := event.PayloadOf[event.AccountNeedsSignIn](e); err != nil || told.Quote == nil {
			t.Errorf("%+v, %v", told, err)
		}
	}
}
