package sandbox_test

import (
	"net/http"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/dispatch/sandbox"
)

// visitor is a page at an application of its own, asking its API.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// answer is what the API says.
type answer struct {
	Status   int
	Errors   []string
	ID       string
	Total    int
	Customer sandbox.Customer
	Activity []sandbox.Activity
	Jobs     []sandbox.Job
}

func visit(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	v := &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
	v.Open("/sign-in")
	return v
}

// ask asks the API.
func (v *visitor) ask(method, path string, body any) answer {
	v.T.Helper()
	v.Send(method, "/api"+path, body)
	a := answer{Status: v.Status}
	v.Decode(&a)
	return a
}

func (v *visitor) signIn(user kit.User) {
	v.T.Helper()
	a := v.ask(http.MethodPost, "/session", map[string]string{"email": user.Username, "password": user.Password})
	if a.Status != http.StatusOK {
		v.T.Fatalf("sign-in: %+v", a)
	}
	v.Open("/board") // which has a token of the new session
}
