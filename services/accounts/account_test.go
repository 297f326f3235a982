package accounts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/signin"
	"integration.gateway/pkg/vault"
)

func TestLinkedAccountHasSealedCredentialsAndAnEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	linked := b.link(t, caller, "marketplace")

	raw, err := b.vault.Get(t.Context(), linked.AccountID, api.CredentialsName)
	if err != nil {
		t.Fatal(err)
	}
	var got api.Credentials
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := api.Credentials{Username: username, Password: password, OneTimeSecret: "JBSWY3DPEHPK3PXP", Site: "sandbox"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("credentials (-want +got):\n%s", diff)
	}
	events, err := b.log.Stream(t.Context(), event.AccountStream(linked.AccountID))
	if err != nil || len(events) != 1 {
		t.Fatalf("got %d events, %v", len(events), err)
	}
	if e := events[0]; e.Type != event.TypeAccountLinked || e.Integration != "marketplace" || e.Caller != caller || e.Account != linked.AccountID {
		t.Errorf("got event %+v", e)
	}
}

// Everything that the database holds is searched for the secrets, as text and
// as the bytes that binary columns are shown as.
func TestNoTokenAndNoCredentialIsInTheDatabaseOrAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	reissued, err := b.here.ReissueAccountToken(t.Context(), &api.AccountRequest{AccountID: linked.AccountID})
	if err != nil {
		t.Fatal(err)
	}
	b.log.before = func() error { return errors.New("the log is down") }
	if _, err := b.here.LinkAccount(t.Context(), newAccount(caller, "marketplace")); err == nil || strings.Contains(err.Error(), "PRIVATE") {
		t.Errorf("got %v", err)
	}
	stored := b.everythingStored(t)
	if !strings.Contains(stored, strings.ToUpper(api.HashToken(token.AccessToken))) {
		t.Fatal("the search does not see what is there")
	}
	for name, secret := range map[string]string{
		"access token": token.AccessToken, "account token": linked.AccountToken, "reissued token": reissued.AccountToken,
		"user name": username, "password": password, "one-time-code secret": api.NormalSecret(secret),
		"random part of the access token": strings.TrimPrefix(token.AccessToken, "igw_at_"),
	} {
		if strings.Contains(stored, secret) || strings.Contains(stored, fmt.Sprintf("%X", secret)) {
			t.Errorf("the %s is in the database", name)
		}
	}
}

func (b *bundle) everythingStored(t *testing.T) string {
	t.Helper()
	conn, err := b.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `set xmlbinary = hex`); err != nil {
		t.Fatal(err)
	}
	var all string
	err = conn.QueryRow(t.Context(), `select string_agg(query_to_xml(format('select * from %I', relname), true, false, '')::text, '')
		from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestUnlinkDeletesSecretsAndRecordsItOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	req := &api.AccountRequest{AccountID: linked.AccountID}
	sealed, err := b.vault.SealFields(t.Context(), linked.AccountID, newAccount(caller, "marketplace").Body)
	if err != nil {
		t.Fatal(err)
	}
	first, err := b.here.UnlinkAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.there.UnlinkAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" || first.UnlinkedAt == nil {
		t.Errorf("unlinking again changed something (-first +second):\n%s", diff)
	}
	if _, err := b.vault.Get(t.Context(), linked.AccountID, api.CredentialsName); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("credentials: got %v, want ErrNotFound", err)
	}
	if _, err := b.vault.OpenFields(t.Context(), linked.AccountID, sealed); err != nil {
		t.Errorf("what the event log holds of the account does not open: %v", err)
	}
	if diff := cmp.Diff([]string{event.TypeAccountLinked, event.TypeAccountUnlinked}, b.story(t, linked.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	shown, err := b.here.GetAccount(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, shown); diff != "" {
		t.Errorf("shown account (-want +got):\n%s", diff)
	}
	_, err = b.here.ReissueAccountToken(t.Context(), req)
	wantKind(t, err, contracts.NotFound)
}

func TestUnlinkIsRecordedThoughOthersAppendMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	interferences := 2
	b.log.before = func() error {
		if interferences == 0 {
			return nil
		}
		interferences--
		e, err := event.New(event.AccountSignedIn{Site: "sandbox"})
		if err != nil {
			return err
		}
		e.Integration, e.Account = "marketplace", linked.AccountID
		last, err := b.log.Last(context.Background(), event.AccountStream(linked.AccountID))
		if err != nil {
			return err
		}
		_, err = b.log.Log.Append(context.Background(), event.AccountStream(linked.AccountID), last, e)
		return err
	}
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: linked.AccountID}); err != nil {
		t.Fatal(err)
	}
	want := []string{event.TypeAccountLinked, event.TypeAccountSignedIn, event.TypeAccountSignedIn, event.TypeAccountUnlinked}
	if diff := cmp.Diff(want, b.story(t, linked.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestUnlinkThatCannotBeRecordedStopsTheTokenAndIsFinishedLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	b.log.before = func() error { return errors.New("the log is down") }
	_, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: linked.AccountID})
	wantKind(t, err, contracts.Unavailable)
	_, err = authorize(t, b.there, token.AccessToken, linked.AccountToken)
	wantKind(t, err, contracts.Unauthorized)
	if err := b.here.Settle(t.Context()); err == nil {
		t.Error("Settle hides that the log is down")
	}
	b.log.before = nil
	if err := b.there.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{event.TypeAccountLinked, event.TypeAccountUnlinked}, b.story(t, linked.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A link that fails before or after its event is no account, and is cleared
// away with its credentials, later when it cannot be done at once.
func TestLinkCutShortIsClearedAway(t *testing.T) {
	t.Parallel()
	down := func() error { return errors.New("the log is down") }
	for name, c := range map[string]struct {
		cut  func(*faultyLog)
		want []string
	}{
		"before its event": {func(l *faultyLog) { l.before = down }, []string{}},
		"after its event":  {func(l *faultyLog) { l.after = func() error { l.before = down; return down() } }, []string{event.TypeAccountLinked, event.TypeAccountUnlinked}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			caller, token := b.caller(t)
			c.cut(b.log)
			if _, err := b.here.LinkAccount(t.Context(), newAccount(caller, "marketplace")); err == nil {
				t.Fatal("the link succeeded")
			}
			b.log.before, b.log.after = nil, nil
			var id string
			if err := b.pool.QueryRow(t.Context(), `select id from accounts`).Scan(&id); err != nil {
				t.Fatal(err)
			}
			listed, err := b.here.ListAccounts(t.Context(), &api.ListAccountsRequest{})
			if err != nil || len(listed.Accounts) != 0 {
				t.Errorf("accounts: got %+v, %v", listed, err)
			}
			_, err = b.here.Authorize(t.Context(), &api.AuthorizeRequest{
				Integration: "marketplace", AccessTokenHash: api.HashToken(token.AccessToken), SoleAccount: true,
			})
			wantKind(t, err, contracts.Invalid)

			if err := b.there.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err = b.vault.Get(t.Context(), id, api.CredentialsName); !errors.Is(err, vault.ErrNotFound) {
				t.Errorf("credentials: got %v, want ErrNotFound", err)
			}
			if diff := cmp.Diff(c.want, b.story(t, id)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Another instance may be in the middle of a link: Settle waits until it cannot
// be under way any more.
func TestLinkUnderWayIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	b.log.before = func() error { return b.there.Settle(t.Context()) }
	linked := b.link(t, caller, "marketplace")
	if _, err := authorize(t, b.there, token.AccessToken, linked.AccountToken); err != nil {
		t.Error(err)
	}
	// This one crashed: nothing more was done after the row and the vault.
	_, err := b.pool.Exec(t.Context(), `update accounts set recorded = 'nothing', linked_at = linked_at - interval '6 minutes'`)
	if err != nil {
		t.Fatal(err)
	}
	b.log.before = nil
	if err := b.there.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.vault.Get(t.Context(), linked.AccountID, api.CredentialsName); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("credentials of a link that crashed: got %v, want ErrNotFound", err)
	}
	if diff := cmp.Diff([]string{event.TypeAccountLinked, event.TypeAccountUnlinked}, b.story(t, linked.AccountID)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A command that was under way when its account was unlinked must not leave
// the state of its browser behind.
func TestUnlinkedAccountTakesNoMoreSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: linked.AccountID}); err != nil {
		t.Fatal(err)
	}
	if err := b.vault.Put(t.Context(), linked.AccountID, "state", []byte("cookies")); !errors.Is(err, vault.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestLinkRefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	for name, spoil := range map[string]func(*api.NewAccount){
		"integration that is not in the catalogue": func(a *api.NewAccount) { a.Integration = "nowhere" },
		"caller that does not exist":               func(a *api.NewAccount) { a.CallerID = "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11" },
		"caller that is no id":                     func(a *api.NewAccount) { a.CallerID = "x\x00" },
		"label that the database cannot hold":      func(a *api.NewAccount) { a.Label = "a\x00b" },
		"site that would break a line":             func(a *api.NewAccount) { a.Site = "a\nb" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := newAccount(caller, "marketplace")
			spoil(&req.Body)
			_, err := b.here.LinkAccount(t.Context(), req)
			wantKind(t, err, contracts.Invalid)
		})
	}
	t.Cleanup(func() {
		var rows int
		if err := b.pool.QueryRow(context.Background(), `select count(*) from accounts`).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows are left, %v", rows, err)
		}
	})
}

func TestOneTimeSecretMustBeBase32(t *testing.T) {
	t.Parallel()
	for secret, ok := range map[string]bool{"": true, "JBSWY3DP EHPK3PXP": true, "jbsw y3dp====": true, "JBSWY3D1": false, "otpauth://totp/x?secret=JBSWY3DP": false} {
		req := newAccount("x", "marketplace")
		req.Body.OneTimeSecret = secret
		if err := req.Validate(); (err == nil) != ok {
			t.Errorf("%q: got %v", secret, err)
		} else if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func TestUnknownIDsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	_, theirs := b.caller(t)
	for _, id := range []string{"", "x", "a\x00b", "019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11", "urn:uuid:019a8f3e-7c1d-7bb2-9d0a-0d6c2f0f3a11"} {
		for name, call := range map[string]func() error{
			"get": func() error { _, err := b.here.GetAccount(t.Context(), &api.AccountRequest{AccountID: id}); return err },
			"unlink": func() error {
				_, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: id})
				return err
			},
			"reissue": func() error {
				_, err := b.here.ReissueAccountToken(t.Context(), &api.AccountRequest{AccountID: id})
				return err
			},
			"issue": func() error {
				_, err := b.here.IssueToken(t.Context(), &api.IssueTokenRequest{CallerID: id})
				return err
			},
			"tokens": func() error {
				_, err := b.here.ListTokens(t.Context(), &api.ListTokensRequest{CallerID: id})
				return err
			},
			"revoke": func() error {
				_, err := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: caller, TokenID: id})
				return err
			},
		} {
			if err := call(); err == nil {
				t.Errorf("%s %q succeeded", name, id)
			} else {
				wantKind(t, err, contracts.NotFound)
			}
		}
	}
	_, err := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: caller, TokenID: theirs.TokenID})
	wantKind(t, err, contracts.NotFound)
}

func TestListsAreInOrderFilteredAndPaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann, _ := b.caller(t)
	bob, _ := b.caller(t)
	var want []string
	for _, a := range [][2]string{{ann, "marketplace"}, {bob, "marketplace"}, {ann, "agency"}, {ann, "marketplace"}, {ann, "marketplace"}} {
		linked := b.link(t, a[0], a[1])
		if a[0] == ann && a[1] == "marketplace" {
			want = append(want, linked.AccountID)
		}
	}
	gone := b.link(t, ann, "marketplace")
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: gone.AccountID}); err != nil {
		t.Fatal(err)
	}
	req := &api.ListAccountsRequest{CallerID: ann, Integration: "marketplace", Page: api.Page{Limit: 2}}
	var got []string
	for {
		part, err := b.here.ListAccounts(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range part.Accounts {
			got = append(got, a.AccountID)
		}
		if req.After = part.Next; part.Next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	all, err := b.here.ListAccounts(t.Context(), &api.ListAccountsRequest{})
	if err != nil || len(all.Accounts) != 5 {
		t.Errorf("without filters: got %d accounts, %v", len(all.Accounts), err)
	}
	callers, err := b.here.ListCallers(t.Context(), &api.ListCallersRequest{})
	if err != nil || len(callers.Callers) != 2 || callers.Callers[0].CallerID != ann {
		t.Errorf("callers: got %+v, %v", callers, err)
	}
	for _, page := range []api.Page{{After: "x"}, {Limit: -1}, {Limit: 501}} {
		_, err := b.here.ListCallers(t.Context(), &api.ListCallersRequest{Page: page})
		wantKind(t, err, contracts.Invalid)
	}
	_, err = b.here.ListAccounts(t.Context(), &api.ListAccountsRequest{Integration: "nowhere"})
	wantKind(t, err, contracts.Invalid)
}

func TestListedTokensTellWhichAreRevokedAndNothingMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, first := b.caller(t)
	second, err := b.here.IssueToken(t.Context(), &api.IssueTokenRequest{CallerID: caller, Body: api.NewToken{Label: "second"}})
	if err != nil {
		t.Fatal(err)
	}
	revoked, err := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: caller, TokenID: first.TokenID})
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.there.ListTokens(t.Context(), &api.ListTokensRequest{CallerID: caller})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&api.Tokens{Tokens: []api.Token{*revoked, second.Token}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefusedPasswordIsTriedAgainWhenAPersonSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, _ := b.caller(t)
	linked := b.link(t, caller, "marketplace")
	register := signin.New(b.pool, func() string { return "one" })
	if err := register.Refuse(t.Context(), "password"); err != nil {
		t.Fatal(err)
	}
	if account, err := b.here.RetrySignIn(t.Context(), &api.AccountRequest{AccountID: linked.AccountID}); err != nil || account.AccountID != linked.AccountID {
		t.Errorf("%+v, %v", account, err)
	}
	for _, want := range []bool{false, true} { // once
		if refused, err := register.Refused(t.Context(), "password", linked.AccountID); err != nil || refused != want {
			t.Errorf("kept back: %t, %v; want %t", refused, err, want)
		}
	}
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: linked.AccountID}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.here.RetrySignIn(t.Context(), &api.AccountRequest{AccountID: linked.AccountID}); contracts.AsError(err).Kind != contracts.NotFound {
		t.Errorf("of an account that is not linked: %v", err)
	}
}
