package accounts_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/vault"
)

// whole is the story of an account that is linked, unlinked and erased.
var whole = []string{event.TypeAccountLinked, event.TypeAccountUnlinked, event.TypeAccountErased}

// linkWithRecord links an account and seals a record with its key, as the event
// log holds it.
func (b *bundle) linkWithRecord(t *testing.T) (req *api.AccountRequest, accessToken, accountToken string, sealed []byte) {
	t.Helper()
	caller, token := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	sealed, err := b.vault.SealFields(t.Context(), linked.AccountID, newAccount(caller, "marketplace").Body)
	if err != nil {
		t.Fatal(err)
	}
	return &api.AccountRequest{AccountID: linked.AccountID}, token.AccessToken, linked.AccountToken, sealed
}

// wantErased fails the test unless nothing of the account can be read any more.
func (b *bundle) wantErased(t *testing.T, accountID string, sealed []byte) {
	t.Helper()
	if _, err := b.vault.OpenFields(t.Context(), accountID, sealed); !errors.Is(err, vault.ErrErased) {
		t.Errorf("what the event log holds of the account: got %v, want ErrErased", err)
	}
	if _, err := b.vault.Get(t.Context(), accountID, api.CredentialsName); !errors.Is(err, vault.ErrErased) {
		t.Errorf("credentials: got %v, want ErrErased", err)
	}
	if err := b.vault.Put(t.Context(), accountID, "state", []byte("cookies")); !errors.Is(err, vault.ErrErased) {
		t.Errorf("storing a secret: got %v, want ErrErased", err)
	}
}

func TestErasingALinkedAccountUnlinksItAndDestroysItsKeyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req, access, account, sealed := b.linkWithRecord(t)
	first, err := b.here.EraseAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if first.ErasedAt == nil || first.UnlinkedAt == nil || first.Label != "" {
		t.Errorf("got %+v", first)
	}
	_, err = authorize(t, b.there, access, account)
	wantKind(t, err, contracts.Unauthorized)
	b.wantErased(t, req.AccountID, sealed)

	again, err := b.there.EraseAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	unlinked, err := b.there.UnlinkAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := b.there.GetAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for what, later := range map[string]*api.Account{"erasing again": again, "unlinking": unlinked, "showing": shown} {
		if diff := cmp.Diff(first, later); diff != "" {
			t.Errorf("%s (-erased +then):\n%s", what, diff)
		}
	}
	if err := b.there.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(whole, b.story(t, req.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	_, err = b.here.ReissueAccountToken(t.Context(), req)
	wantKind(t, err, contracts.NotFound)
}

func TestUnlinkedAccountCanBeErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req, _, _, sealed := b.linkWithRecord(t)
	unlinked, err := b.here.UnlinkAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	erased, err := b.there.EraseAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !erased.UnlinkedAt.Equal(*unlinked.UnlinkedAt) {
		t.Errorf("unlinked at %v, and after the erasure at %v", unlinked.UnlinkedAt, erased.UnlinkedAt)
	}
	b.wantErased(t, req.AccountID, sealed)
	if diff := cmp.Diff(whole, b.story(t, req.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestErasuresAndUnlinksAtOnceAreRecordedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req, _, _, sealed := b.linkWithRecord(t)
	var operators sync.WaitGroup
	for i := range 8 {
		operators.Go(func() {
			service, end := b.here, b.here.EraseAccount
			if i%2 == 1 {
				service, end = b.there, b.there.UnlinkAccount
			}
			if _, err := end(t.Context(), req); err != nil {
				t.Error(err)
			}
			if err := service.Settle(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	operators.Wait()
	b.wantErased(t, req.AccountID, sealed)
	if diff := cmp.Diff(whole, b.story(t, req.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var recorded string
	if err := b.pool.QueryRow(t.Context(), `select recorded from accounts`).Scan(&recorded); err != nil || recorded != "erased" {
		t.Errorf("the row says %q, %v", recorded, err)
	}
}

// The key is destroyed at once, whatever becomes of the events; each place at
// which the erasure can be cut short is one case.
func TestErasureCutShortIsFinishedLater(t *testing.T) {
	t.Parallel()
	down := func() error { return errors.New("the log is down") }
	for name, cut := range map[string]func(*faultyLog){
		"before account.unlinked is recorded": func(l *faultyLog) { l.before = down },
		"after account.unlinked is recorded":  func(l *faultyLog) { l.after = func() error { l.before = down; return nil } },
		"after account.erased is recorded": func(l *faultyLog) {
			appends := 0
			l.after = func() error {
				if appends++; appends == 2 {
					return down()
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			req, access, account, sealed := b.linkWithRecord(t)
			cut(b.log)
			_, err := b.here.EraseAccount(t.Context(), req)
			wantKind(t, err, contracts.Unavailable)
			_, err = authorize(t, b.there, access, account)
			wantKind(t, err, contracts.Unauthorized)
			b.wantErased(t, req.AccountID, sealed)
			b.log.before, b.log.after = nil, nil
			if err := b.there.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whole, b.story(t, req.AccountID)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// The process ended right after the row said what is to be done.
func TestErasureOfAProcessThatCrashedIsFinishedLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req, _, _, sealed := b.linkWithRecord(t)
	_, err := b.pool.Exec(t.Context(), `update accounts set erased_at = now(), unlinked_at = now(), token_hash = null, label = ''`)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.there.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.wantErased(t, req.AccountID, sealed)
	if diff := cmp.Diff(whole, b.story(t, req.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAccountThatWasNeverLinkedCannotBeErased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, id := range []string{"", "x", "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"} {
		_, err := b.here.EraseAccount(t.Context(), &api.AccountRequest{AccountID: id})
		wantKind(t, err, contracts.NotFound)
	}
}
