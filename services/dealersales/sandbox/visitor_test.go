package sandbox_test

import (
	"net/url"
	"testing"

	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/dealersales/sandbox"
)

// What every application has when it is started.
const (
	springfield = "D-014"
	customer    = "C-88012" // of that dealer
	lead        = "L-330871"
	seller      = "U-205"
)

// visitor is a person with a browser at the application.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// visit opens an application of its own and goes there.
func visit(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

// enter opens an application and signs in there.
func enter(t *testing.T) *visitor {
	t.Helper()
	v := visit(t)
	v.Open("/sign-in")
	v.Submit("/sign-in", url.Values{"user": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
	v.Sees(`id="user-menu"`)
	return v
}
