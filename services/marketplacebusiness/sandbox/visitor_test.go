package sandbox_test

import (
	"net/http"
	"net/url"
	"testing"

	kit "integration.gateway/pkg/sandbox"
	"integration.gateway/pkg/sandbox/sandboxtest"
	"integration.gateway/services/marketplacebusiness/sandbox"
)

// paper can be ordered by everybody, everywhere.
const paper = "B09H3R7QZ1"

// visitor is a person with a browser at a shop: it opens pages, and asks as
// their scripts do.
type visitor struct {
	*sandbox.Site
	*sandboxtest.Visitor
}

// visit opens a shop of its own, and signs in there.
func visit(t *testing.T, user kit.User) *visitor {
	t.Helper()
	v := enter(t)
	v.signIn(user)
	return v
}

func enter(t *testing.T) *visitor {
	t.Helper()
	site := sandbox.New()
	return &visitor{Site: site, Visitor: sandboxtest.Visit(t, site)}
}

func (v *visitor) signIn(user kit.User) {
	v.T.Helper()
	v.Open("/sign-in")
	v.Submit("/sign-in", url.Values{"email": {user.Username}, "password": {user.Password}})
}

func (v *visitor) post(path string, body any) {
	v.T.Helper()
	v.Send(http.MethodPost, path, body)
}

// list is a part of a list of the shop's.
type list struct {
	Rows []struct {
		OrderID, ASIN, Title, Price, Obstacle, Status, Note string
		Minimum                                             int
	} `json:"rows"`
	Total int    `json:"total"`
	Next  string `json:"next"`
}

// part gets the data behind a page of a list.
func (v *visitor) part(path string) (part list) {
	v.T.Helper()
	v.Open(path)
	if v.Status != http.StatusOK {
		v.T.Fatalf("%s: %d %s", path, v.Status, v.Page)
	}
	v.Decode(&part)
	return part
}

// all follows a list to its end.
func (v *visitor) all(path string) (whole list, batches int) {
	v.T.Helper()
	for path != "" {
		part := v.part(path)
		whole.Rows, whole.Total = append(whole.Rows, part.Rows...), part.Total
		path = part.Next
		batches++
	}
	return whole, batches
}
