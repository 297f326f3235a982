// Package sites_test plays the sign-in of the photo-social sandbox site on a
// real browser at the real stand-in.
package sites_test

import (
	"os"
	"testing"

	contracts "integration.gateway/contracts/photosocial"
	"integration.gateway/pkg/flow/flowtest"
	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/testenv"
	"integration.gateway/services/photosocial/sandbox"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestSignIn shares one browser; each case has a context and a network of its
// own, and a user of its own, for a one-time code is typed once.
func TestSignIn(t *testing.T) {
	t.Parallel()
	pool := flowtest.OpenPool(t)
	site := flowtest.LoadSite(t, os.DirFS("sandbox"), flowtest.Patient, contracts.Operations...)
	with := func(user kit.User, change func(*kit.User)) kit.User {
		change(&user)
		return user
	}
	for name, c := range map[string]struct {
		user    kit.User
		refused string // what the application says; empty when it signs in
		codes   int    // that it rejected
	}{
		"with a code":    {user: sandbox.Jane},
		"without a code": {user: sandbox.Mila},
		"wrong password": {
			user:    with(sandbox.Mila, func(u *kit.User) { u.Password = "x" }),
			refused: "Sorry, that e-mail address and password do not belong together.",
		},
		"suspended": {user: sandbox.Viktor, refused: "This account is suspended. It broke our community guidelines."},
		"another's secret": {
			user:    with(sandbox.Noor, func(u *kit.User) { u.OneTimeSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" }),
			refused: "That code is not right. Codes can be used once; wait for the next one.", codes: 1,
		},
		"no secret": {
			user:    with(sandbox.Tomas, func(u *kit.User) { u.OneTimeSecret = "" }),
			refused: "the application asks for a one-time code, and the account has no secret to make it with",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := sandbox.New()
			p := flowtest.Visit(t, pool, site, network, c.user.Username, c.user.Password)
			p.OneTimeSecret = c.user.OneTimeSecret
			switch failure := p.SignIn(t); {
			case c.refused == "" && failure != nil:
				t.Errorf("not signed in: %v", failure)
			case c.refused != "" && (failure == nil || !failure.SignIn || failure.Message != c.refused):
				t.Errorf("got %v, want a refusal: %s", failure, c.refused)
			}
			state := network.State()
			if in := state.SignedIn == 1; in != (c.refused == "") || state.RejectedCodes != c.codes {
				t.Errorf("signed in: %v, %d codes rejected", in, state.RejectedCodes)
			}
		})
	}
}
