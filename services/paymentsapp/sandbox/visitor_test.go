package sandbox_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/paymentsapp/sandbox"
)

// visitor is a person with a browser at an application of its own.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

func visit(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

var frameAddress = regexp.MustCompile(`<iframe [^>]*src="([^"]+)"`)

// givePassword opens a page as a guest, types the password into the frame of the
// sign-in page, and follows where that leads.
func (v *visitor) givePassword(path string, user kit.User) {
	v.T.Helper()
	v.Open(path)
	frame := frameAddress.FindStringSubmatch(v.Page)
	if frame == nil {
		v.T.Fatalf("%s is no sign-in page", v.Path)
	}
	v.Open(html.UnescapeString(frame[1]))
	v.Submit("/sign-in/form", url.Values{"email": {user.Username}, "password": {user.Password}})
	if next := v.Attributes("data-next"); len(next) != 0 {
		v.Open(next[0])
	}
}

func (v *visitor) giveCode(code string) {
	v.T.Helper()
	v.Submit("/sign-in/code", url.Values{"digit": strings.Split(code, "")})
}

func codeOf(t *testing.T, user kit.User) string {
	t.Helper()
	code, err := totp.GenerateCode(user.OneTimeSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}
