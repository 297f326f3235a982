package sandbox_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/clinicrecords/sandbox"
)

// visitor is a browser's script at a site.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// shared is the site of all tests that book nothing.
var shared = sync.OnceValue(sandbox.New)

func visit(t *testing.T, site *sandbox.Site) *visitor {
	t.Helper()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

// signedIn is a visitor who has signed in as Jane.
func signedIn(t *testing.T, site *sandbox.Site) *visitor {
	t.Helper()
	v := visit(t, site)
	v.Open("/")
	v.Answered(http.StatusOK)
	var me struct{ Email, Token string }
	typed := map[string]string{"email": sandbox.Jane.Username, "password": sandbox.Jane.Password}
	v.want(http.StatusOK, http.MethodPost, "/api/session", typed, &me)
	if me.Email != sandbox.Jane.Username {
		t.Fatalf("signed in as %+v", me)
	}
	v.Token = me.Token
	return v
}

// want makes a request that must be answered with a status, and decodes the
// answer.
func (v *visitor) want(status int, method, path string, body, into any) {
	v.T.Helper()
	v.Send(method, path, body)
	if v.Status != status {
		v.T.Fatalf("%s %s: got %d %s, want %d", method, path, v.Status, v.Page, status)
	}
	v.Decode(into)
}

// refused makes a request to which the site must say no, in these words.
func (v *visitor) refused(status int, method, path string, body any, words string) {
	v.T.Helper()
	var no struct{ Errors []struct{ Message string } }
	v.want(status, method, path, body, &no)
	if len(no.Errors) != 1 || !strings.Contains(no.Errors[0].Message, words) {
		v.T.Errorf("%s %s: %+v, want %q", method, path, no, words)
	}
}
