package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp/totp"

	"integration.gateway/pkg/sandbox"
)

const (
	annsSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	bobsSecret = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"
)

func newKitWithCodes() *sandbox.Kit {
	return sandbox.New(sandbox.Config{Name: "codes", Users: []sandbox.User{
		{Username: "ann", OneTimeSecret: annsSecret}, {Username: "bob", OneTimeSecret: bobsSecret}, {Username: "cleo"},
	}})
}

func codeAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestCodeIsTakenOnceAndOneStepAround(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration // of the code, from now
		want  bool
	}{
		"now":            {0, true},
		"one step late":  {-30 * time.Second, true},
		"one step early": {30 * time.Second, true},
		"two steps late": {-60 * time.Second, false},
		"two steps soon": {60 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				kit := newKitWithCodes()
				code := codeAt(t, annsSecret, time.Now().Add(c.after))
				if kit.CheckCode("bob", code) {
					t.Error("taken for another user's")
				}
				if got := kit.CheckCode("ann", code); got != c.want {
					t.Errorf("taken: %v, want %v", got, c.want)
				}
				if kit.CheckCode("ann", code) {
					t.Error("taken a second time")
				}
				want := 2
				if !c.want {
					want = 3
				}
				if got := kit.Traffic().RejectedCodes; got != want {
					t.Errorf("%d codes were rejected, want %d", got, want)
				}
			})
		})
	}
}

func TestNextCodeIsTakenAfterTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kit := newKitWithCodes()
		for range 3 {
			if !kit.CheckCode("ann", codeAt(t, annsSecret, time.Now())) || !kit.CheckCode("bob", codeAt(t, bobsSecret, time.Now())) {
				t.Fatal("a fresh code was not taken")
			}
			time.Sleep(30 * time.Second)
		}
	})
}

func TestOnlyUsersWithASecretAreAskedForCodes(t *testing.T) {
	t.Parallel()
	kit := newKitWithCodes()
	if !kit.HasSecret("ann") || kit.HasSecret("cleo") || kit.HasSecret("nobody") {
		t.Error("others are asked than those with a secret")
	}
	emptys := codeAt(t, "", time.Now())
	for _, user := range []string{"cleo", "nobody"} {
		if kit.CheckCode(user, emptys) || kit.CheckCode(user, "") {
			t.Errorf("%s has no secret, and a code is taken", user)
		}
	}
}

func TestAwaitedIsNotSignedIn(t *testing.T) {
	t.Parallel()
	kit := newKitWithCodes()
	w := httptest.NewRecorder()
	session := kit.Session(w, httptest.NewRequest(http.MethodGet, "/", nil))
	session.AwaitCode("ann")
	if session.User() != "" || session.Awaited() != "ann" || kit.Traffic().SignedIn != 0 {
		t.Errorf("signed in as %q, awaited %q", session.User(), session.Awaited())
	}
	if cookies := w.Result().Cookies(); len(cookies) != 2 || cookies[0].Value == cookies[1].Value {
		t.Errorf("cookies %v, want a new one after the password", cookies)
	}
	session.SignIn("ann")
	if session.User() != "ann" || session.Awaited() != "" {
		t.Errorf("signed in as %q, awaited %q", session.User(), session.Awaited())
	}
}
