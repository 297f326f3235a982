package accounts_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
)

// grant authorizes a call and returns its grant.
func (b *bundle) grant(t *testing.T, accessToken, accountToken string) string {
	t.Helper()
	authorization, err := authorize(t, b.there, accessToken, accountToken)
	if err != nil {
		t.Fatal(err)
	}
	return authorization.Grant
}

// ended returns which grants another instance than the one that changes
// anything finds ended.
func (b *bundle) ended(t *testing.T, grants ...string) []string {
	t.Helper()
	got, err := b.there.CheckGrants(t.Context(), &api.CheckGrantsRequest{Grants: grants})
	if err != nil {
		t.Fatal(err)
	}
	return got.Ended
}

// told fails the test unless the end of a grant was told once.
func told(t *testing.T, grants *nats.Subscription) {
	t.Helper()
	msg, err := grants.NextMsg(20 * time.Second)
	if err != nil {
		t.Fatalf("nothing was told: %v", err)
	}
	if len(msg.Data) != 0 || len(msg.Header) != 0 {
		t.Errorf("more was told than that a grant has ended: %q, %v", msg.Data, msg.Header)
	}
}

func TestGrantEndsWithEachOfItsTokensAndWithItsAccount(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, b *bundle, token *api.IssuedToken, account *api.LinkedAccount) error{
		"access token revoked": func(ctx context.Context, b *bundle, token *api.IssuedToken, _ *api.LinkedAccount) error {
			_, err := b.here.RevokeToken(ctx, &api.RevokeTokenRequest{CallerID: token.CallerID, TokenID: token.TokenID})
			return err
		},
		"account token replaced": func(ctx context.Context, b *bundle, _ *api.IssuedToken, account *api.LinkedAccount) error {
			_, err := b.here.ReissueAccountToken(ctx, &api.AccountRequest{AccountID: account.AccountID})
			return err
		},
		"account unlinked": func(ctx context.Context, b *bundle, _ *api.IssuedToken, account *api.LinkedAccount) error {
			_, err := b.here.UnlinkAccount(ctx, &api.AccountRequest{AccountID: account.AccountID})
			return err
		},
		"account erased": func(ctx context.Context, b *bundle, _ *api.IssuedToken, account *api.LinkedAccount) error {
			_, err := b.here.EraseAccount(ctx, &api.AccountRequest{AccountID: account.AccountID})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			caller, token := b.caller(t)
			other, otherToken := b.caller(t)
			account := b.link(t, caller, "marketplace")
			otherAccount := b.link(t, other, "marketplace")
			grant := b.grant(t, token.AccessToken, account.AccountToken)
			others := b.grant(t, otherToken.AccessToken, otherAccount.AccountToken)
			if ended := b.ended(t, grant, others); len(ended) != 0 {
				t.Fatalf("ended from the start: %v", ended)
			}
			grants, err := b.nats.SubscribeSync(api.GrantsSubject)
			if err != nil {
				t.Fatal(err)
			}
			if err := end(t.Context(), b, token, account); err != nil {
				t.Fatal(err)
			}
			told(t, grants)
			if diff := cmp.Diff([]string{grant}, b.ended(t, others, grant)); diff != "" {
				t.Errorf("ended (-want +got):\n%s", diff)
			}
		})
	}
}

// Another access token of the caller, and a grant made anew, are grants of their own.
func TestGrantOutlivesWhatItWasNotMadeOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	second, err := b.here.IssueToken(t.Context(), &api.IssueTokenRequest{CallerID: caller})
	if err != nil {
		t.Fatal(err)
	}
	account, neighbour := b.link(t, caller, "marketplace"), b.link(t, caller, "marketplace")
	first := b.grant(t, token.AccessToken, account.AccountToken)
	if again := b.grant(t, token.AccessToken, account.AccountToken); again != first {
		t.Errorf("the same tokens gave %q, then %q", first, again)
	}
	kept := []string{
		b.grant(t, second.AccessToken, account.AccountToken),
		b.grant(t, second.AccessToken, neighbour.AccountToken),
	}
	if _, err := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: caller, TokenID: token.TokenID}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{first}, b.ended(t, append(kept, first)...)); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
	reissued, err := b.here.ReissueAccountToken(t.Context(), &api.AccountRequest{AccountID: account.AccountID})
	if err != nil {
		t.Fatal(err)
	}
	anew := b.grant(t, second.AccessToken, reissued.AccountToken)
	if diff := cmp.Diff([]string{kept[0]}, b.ended(t, kept[0], kept[1], anew)); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}

func TestGrantOfASoleAccountEndsWithTheAccountsToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account := b.link(t, caller, "marketplace")
	sole, err := b.here.Authorize(t.Context(), &api.AuthorizeRequest{
		Integration: "marketplace", AccessTokenHash: api.HashToken(token.AccessToken), SoleAccount: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if ended := b.ended(t, sole.Grant); len(ended) != 0 {
		t.Errorf("ended from the start: %v", ended)
	}
	if _, err := b.here.ReissueAccountToken(t.Context(), &api.AccountRequest{AccountID: account.AccountID}); err != nil {
		t.Fatal(err)
	}
	if ended := b.ended(t, sole.Grant); len(ended) != 1 {
		t.Error("it goes on")
	}
}

func TestWhatWasNeverAGrantHasEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	stranger, strangersToken := b.caller(t)
	account := b.link(t, caller, "marketplace")
	grant := b.grant(t, token.AccessToken, account.AccountToken)
	parts := strings.Split(grant, ".")
	never := []string{
		"", ".", "..", "a\x00b", "\xff", "%", "'; drop table accounts; --", grant + ".", grant + " ", strings.ToUpper(grant), grant[:len(grant)-1],
		parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1],
		strangersToken.TokenID + "." + parts[1] + "." + parts[2], // another caller's access token
		stranger + "." + parts[1] + "." + parts[2],
		strings.Repeat("x", 10_000),
	}
	got := b.ended(t, append(never, grant)...)
	set := map[string]bool{}
	for _, g := range got {
		set[g] = true
	}
	for _, g := range never {
		if !set[g] {
			t.Errorf("%.40q counts as a grant", g)
		}
	}
	if set[grant] || len(got) != len(never) {
		t.Errorf("%d have ended, of %d that never were", len(got), len(never))
	}
}

func TestGrantsAreBoundedAndNoSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account := b.link(t, caller, "marketplace")
	grant := b.grant(t, token.AccessToken, account.AccountToken)
	for _, secret := range []string{token.AccessToken, account.AccountToken, api.HashToken(token.AccessToken), api.HashToken(account.AccountToken)} {
		for _, part := range strings.Split(grant, ".") {
			if strings.Contains(secret, part) || strings.Contains(part, secret) {
				t.Errorf("%s is of %s", part, secret)
			}
		}
	}
	// What is in a grant opens nothing, not even for a service that asks by hash.
	for _, part := range strings.Split(grant, ".") {
		_, err := b.here.Authorize(t.Context(), &api.AuthorizeRequest{Integration: "marketplace", AccessTokenHash: part, SoleAccount: true})
		wantKind(t, err, contracts.Unauthorized)
	}

	many := make([]string, 1001)
	for i := range many {
		many[i] = grant + strconv.Itoa(i)
	}
	many[0] = grant
	if got := b.ended(t, many[:1000]...); len(got) != 999 {
		t.Errorf("%d of 999 have ended", len(got))
	}
	_, err := b.here.CheckGrants(t.Context(), &api.CheckGrantsRequest{Grants: many})
	wantKind(t, err, contracts.Invalid)
	if got := b.ended(t); got == nil || len(got) != 0 {
		t.Errorf("of none, %v have ended", got)
	}
}

// Whoever is told can read in the log why a grant has ended, and is told also
// when the rest of the work has failed.
func TestGrantsEndIsToldOnceTheLogSaysWhy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account, second := b.link(t, caller, "marketplace"), b.link(t, caller, "marketplace")
	grant := b.grant(t, token.AccessToken, second.AccountToken)
	grants, err := b.nats.SubscribeSync(api.GrantsSubject)
	if err != nil {
		t.Fatal(err)
	}
	b.log.after = func() error {
		if err := b.nats.Flush(); err != nil {
			t.Error(err)
		}
		if pending, _, _ := grants.Pending(); pending != 0 {
			t.Error("it was told before the log said why")
		}
		return nil
	}
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: account.AccountID}); err != nil {
		t.Fatal(err)
	}
	told(t, grants)
	if got := b.story(t, account.AccountID); got[len(got)-1] != event.TypeAccountUnlinked {
		t.Errorf("the log says %v", got)
	}

	b.log.before = func() error { return errors.New("the log is away") }
	_, err = b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: second.AccountID})
	wantKind(t, err, contracts.Unavailable)
	told(t, grants)
	if got := b.ended(t, grant); len(got) != 1 {
		t.Error("the grant goes on")
	}
}

func TestRefusedChangesTellNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	grants, err := b.nats.SubscribeSync(api.GrantsSubject)
	if err != nil {
		t.Fatal(err)
	}
	nobody := &api.AccountRequest{AccountID: "019a8f45-3c2b-7d1e-9f80-a1b2c3d4e5f6"}
	_, revoke := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: nobody.AccountID, TokenID: nobody.AccountID})
	_, reissue := b.here.ReissueAccountToken(t.Context(), nobody)
	_, unlink := b.here.UnlinkAccount(t.Context(), nobody)
	_, erase := b.here.EraseAccount(t.Context(), nobody)
	for _, err := range []error{revoke, reissue, unlink, erase} {
		wantKind(t, err, contracts.NotFound)
	}
	if err := b.nats.Flush(); err != nil {
		t.Fatal(err)
	}
	if pending, _, _ := grants.Pending(); pending != 0 {
		t.Errorf("%d messages", pending)
	}
}
