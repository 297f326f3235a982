package sandbox_test

import (
	"net/url"
	"testing"

	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/agency/sandbox"
)

// visitor is a person with a browser at an agency's application.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// visit opens an application of its own, and signs Jane in there.
func visit(t *testing.T) *visitor {
	t.Helper()
	v := enter(t)
	v.Open("/sign-in?return=/employees")
	v.Submit("/sign-in", url.Values{"user": {sandbox.Jane.Username}, "password": {sandbox.Jane.Password}})
	if v.Path != "/employees" {
		t.Fatalf("after the sign-in at %s", v.Path)
	}
	return v
}

// enter opens an application of its own, and goes there as a stranger.
func enter(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

// by returns the employees who have a status.
func (v *visitor) by(status string) []sandbox.Employee {
	var found []sandbox.Employee
	for _, e := range v.Employees() {
		if e.Status == status {
			found = append(found, e)
		}
	}
	return found
}
