package accounts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann, annToken := b.caller(t)
	bob, bobToken := b.caller(t)
	_, loneToken := b.caller(t)
	_, revokedToken := b.caller(t)
	if _, err := b.here.RevokeToken(t.Context(), &api.RevokeTokenRequest{CallerID: revokedToken.CallerID, TokenID: revokedToken.TokenID}); err != nil {
		t.Fatal(err)
	}
	annShop := b.link(t, ann, "marketplace")
	annShop2 := b.link(t, ann, "marketplace")
	annAgency := b.link(t, ann, "agency")
	bobShop := b.link(t, bob, "marketplace")
	unlinked := b.link(t, bob, "marketplace")
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: unlinked.AccountID}); err != nil {
		t.Fatal(err)
	}

	const (
		access  = "the access token is unknown or revoked"
		account = "the account token is not valid for this caller and integration"
	)
	for name, c := range map[string]struct {
		access, account string
		integration     string
		sole, alone     bool
		want            api.Authorization
		kind            contracts.Kind
		message         string
	}{
		"own account":                        {access: annToken.AccessToken, account: annShop.AccountToken, want: api.Authorization{CallerID: ann, AccountID: annShop.AccountID, Site: "sandbox"}},
		"own second account":                 {access: annToken.AccessToken, account: annShop2.AccountToken, want: api.Authorization{CallerID: ann, AccountID: annShop2.AccountID, Site: "sandbox"}},
		"own account chosen among several":   {access: annToken.AccessToken, account: annShop2.AccountToken, sole: true, want: api.Authorization{CallerID: ann, AccountID: annShop2.AccountID, Site: "sandbox"}},
		"sole account without a token":       {access: bobToken.AccessToken, sole: true, want: api.Authorization{CallerID: bob, AccountID: bobShop.AccountID, Site: "sandbox"}},
		"sole account of another kind":       {access: annToken.AccessToken, integration: "agency", sole: true, want: api.Authorization{CallerID: ann, AccountID: annAgency.AccountID, Site: "sandbox"}},
		"no account for sole":                {access: loneToken.AccessToken, sole: true, kind: contracts.Invalid, message: "no account of marketplace is linked for this caller; one must be linked first"},
		"several accounts for sole":          {access: annToken.AccessToken, sole: true, kind: contracts.Invalid, message: "several accounts of marketplace are linked for this caller; choose one with the header X-Account-Token"},
		"account token missing":              {access: bobToken.AccessToken, kind: contracts.Invalid, message: "the header X-Account-Token is missing"},
		"access token unknown":               {access: "igw_at_x", account: annShop.AccountToken, kind: contracts.Unauthorized, message: access},
		"access token unknown, sole":         {access: "igw_at_x", sole: true, kind: contracts.Unauthorized, message: access},
		"access token unknown, none":         {access: "igw_at_x", kind: contracts.Unauthorized, message: access},
		"access token revoked":               {access: revokedToken.AccessToken, sole: true, kind: contracts.Unauthorized, message: access},
		"account token as access token":      {access: annShop.AccountToken, account: annShop.AccountToken, kind: contracts.Unauthorized, message: access},
		"account token unknown":              {access: annToken.AccessToken, account: "igw_acc_x", kind: contracts.Unauthorized, message: account},
		"account token revoked":              {access: bobToken.AccessToken, account: unlinked.AccountToken, kind: contracts.Unauthorized, message: account},
		"account token of another caller":    {access: annToken.AccessToken, account: bobShop.AccountToken, kind: contracts.Unauthorized, message: account},
		"account token of another kind":      {access: annToken.AccessToken, account: annAgency.AccountToken, kind: contracts.Unauthorized, message: account},
		"another caller's token, sole":       {access: bobToken.AccessToken, account: annShop.AccountToken, sole: true, kind: contracts.Unauthorized, message: account},
		"access token as account token":      {access: annToken.AccessToken, account: annToken.AccessToken, kind: contracts.Unauthorized, message: account},
		"unknown integration":                {access: annToken.AccessToken, account: annShop.AccountToken, integration: "nowhere", kind: contracts.Unauthorized, message: account},
		"unknown integration, sole":          {access: annToken.AccessToken, integration: "nowhere", sole: true, kind: contracts.Invalid, message: "no account of nowhere is linked for this caller; one must be linked first"},
		"the caller alone":                   {access: annToken.AccessToken, alone: true, want: api.Authorization{CallerID: ann}},
		"alone, without any account":         {access: loneToken.AccessToken, alone: true, want: api.Authorization{CallerID: loneToken.CallerID}},
		"alone, with an account":             {access: annToken.AccessToken, account: annShop.AccountToken, alone: true, want: api.Authorization{CallerID: ann, AccountID: annShop.AccountID, Site: "sandbox"}},
		"alone, with one of another kind":    {access: annToken.AccessToken, account: annAgency.AccountToken, alone: true, want: api.Authorization{CallerID: ann, AccountID: annAgency.AccountID, Site: "sandbox"}},
		"alone, another caller's account":    {access: annToken.AccessToken, account: bobShop.AccountToken, alone: true, kind: contracts.Unauthorized, message: account},
		"alone, account token revoked":       {access: bobToken.AccessToken, account: unlinked.AccountToken, alone: true, kind: contracts.Unauthorized, message: account},
		"alone, account token unknown":       {access: annToken.AccessToken, account: "igw_acc_x", alone: true, kind: contracts.Unauthorized, message: account},
		"alone, access token revoked":        {access: revokedToken.AccessToken, alone: true, kind: contracts.Unauthorized, message: access},
		"alone, access token unknown":        {access: "igw_at_x", alone: true, kind: contracts.Unauthorized, message: access},
		"both tokens unknown: access counts": {access: "igw_at_x", account: "igw_acc_x", kind: contracts.Unauthorized, message: access},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := &api.AuthorizeRequest{Integration: "marketplace", AccessTokenHash: api.HashToken(c.access), SoleAccount: c.sole, CallerAlone: c.alone}
			if c.integration != "" {
				req.Integration = c.integration
			}
			if c.account != "" {
				req.AccountTokenHash = api.HashToken(c.account)
			}
			got, err := b.there.Authorize(t.Context(), req)
			if c.kind != "" {
				wantKind(t, err, c.kind)
				if err != nil && err.Error() != c.message {
					t.Errorf("got message %q, want %q", err, c.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (got.Grant != "") != (got.AccountID != "") {
				t.Errorf("the grant is %q", got.Grant)
			}
			got.Grant = "" // its tests are TestGrant…
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMalformedHashesAreUnknownTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	b.link(t, caller, "marketplace")
	for _, hash := range []string{"zz", "00", token.AccessToken, api.HashToken("x") + "00"} {
		_, err := b.here.Authorize(t.Context(), &api.AuthorizeRequest{Integration: "marketplace", AccessTokenHash: hash, SoleAccount: true})
		wantKind(t, err, contracts.Unauthorized)
		_, err = b.here.Authorize(t.Context(), &api.AuthorizeRequest{
			Integration: "marketplace", AccessTokenHash: api.HashToken(token.AccessToken), AccountTokenHash: hash, SoleAccount: true,
		})
		wantKind(t, err, contracts.Unauthorized)
	}
}

func TestRevokedAccessTokenStopsAtOnceAtEveryInstance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account := b.link(t, caller, "marketplace")
	second, err := b.here.IssueToken(t.Context(), &api.IssueTokenRequest{CallerID: caller})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authorize(t, b.there, token.AccessToken, account.AccountToken); err != nil {
		t.Fatal(err)
	}
	req := &api.RevokeTokenRequest{CallerID: caller, TokenID: token.TokenID}
	first, err := b.here.RevokeToken(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = authorize(t, b.there, token.AccessToken, account.AccountToken)
	wantKind(t, err, contracts.Unauthorized)
	if _, err := authorize(t, b.there, second.AccessToken, account.AccountToken); err != nil {
		t.Errorf("the caller's other token: %v", err)
	}
	again, err := b.there.RevokeToken(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("revoking again changed something (-first +second):\n%s", diff)
	}
}

func TestUnlinkedAccountStopsAtOnceAtEveryInstance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account := b.link(t, caller, "marketplace")
	if _, err := authorize(t, b.there, token.AccessToken, account.AccountToken); err != nil {
		t.Fatal(err)
	}
	if _, err := b.here.UnlinkAccount(t.Context(), &api.AccountRequest{AccountID: account.AccountID}); err != nil {
		t.Fatal(err)
	}
	_, err := authorize(t, b.there, token.AccessToken, account.AccountToken)
	wantKind(t, err, contracts.Unauthorized)
}

func TestReissuedAccountTokenReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caller, token := b.caller(t)
	account := b.link(t, caller, "marketplace")
	reissued, err := b.here.ReissueAccountToken(t.Context(), &api.AccountRequest{AccountID: account.AccountID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(account.Account, reissued.Account); diff != "" {
		t.Errorf("the account changed (-before +after):\n%s", diff)
	}
	_, err = authorize(t, b.there, token.AccessToken, account.AccountToken)
	wantKind(t, err, contracts.Unauthorized)
	if _, err := authorize(t, b.there, token.AccessToken, reissued.AccountToken); err != nil {
		t.Error(err)
	}
}
