package sandbox_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/photosocial/sandbox"
)

// browser is a person's browser at a network of its own, as far as its scripts
// can be done without.
type browser struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// open opens a network's first page.
func open(t *testing.T) *browser {
	t.Helper()
	site := sandbox.New()
	b := &browser{Site: site, Visitor: sandboxtest.Visit(t, site)}
	b.Open("/")
	return b
}

// answer is what the API may answer, all of it.
type answer struct {
	Error  string
	Token  string
	Member *struct{ Handle, Name, Picture string }

	AwaitsCode bool
	Own        bool
	Likes      int
	Liked      bool
	Next       string
	Posts      []struct {
		ID, Picture string
		By          struct{ Handle string }
		PostedAt    time.Time
	}
	Stories []struct{ Picture string }
}

// call calls the API, which must answer with the status.
func (b *browser) call(want int, method, path string, body any) answer {
	b.T.Helper()
	b.Send(method, path, body)
	var a answer
	if b.Decode(&a); b.Status != want || (want >= 400) != (a.Error != "") {
		b.T.Fatalf("%s %s: %d %s, want %d", method, path, b.Status, b.Page, want)
	}
	if a.Token != "" {
		b.Token = a.Token
	}
	return a
}

// givePassword does the first step of the sign-in.
func (b *browser) givePassword(want int, user kit.User) answer {
	b.T.Helper()
	return b.call(want, http.MethodPost, "/api/sign-in", map[string]string{"email": user.Username, "password": user.Password})
}

func (b *browser) giveCode(want int, code string) answer {
	b.T.Helper()
	return b.call(want, http.MethodPost, "/api/sign-in/code", map[string]string{"code": code})
}

func codeOf(t *testing.T, user kit.User) string {
	t.Helper()
	code, err := totp.GenerateCode(user.OneTimeSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}
