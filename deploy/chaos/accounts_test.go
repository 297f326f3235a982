package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"integration.gateway/contracts/accounts"
)

// account is a linked account of a user of an application.
type account struct {
	application *application
	user        string
	id          string
	token       string
	accessToken string // of its caller

	trying sync.Mutex // held by the one trial that uses the account
}

// caller is one that may act on accounts.
type caller struct{ id, accessToken string }

func (w *world) newCaller(name string) caller {
	w.Helper()
	var c accounts.Caller
	w.eventually(startLimit, func(ctx context.Context) error {
		return w.call(ctx, adminToken, http.MethodPost, accounts.CreateCaller.Path, accounts.NewCaller{Name: name}, &c)
	})
	var token accounts.IssuedToken
	path := strings.Replace(accounts.IssueToken.Path, "{callerId}", url.PathEscape(c.CallerID), 1)
	w.must(w.call(w.Context(), adminToken, http.MethodPost, path, accounts.NewToken{}, &token))
	return caller{c.CallerID, token.AccessToken}
}

// link makes an account for each lane of the applications, the last one of each
// of another caller, and waits until each of them can be used.
func (w *world) link() {
	w.Helper()
	caller := w.newCaller("Chaos")
	other := w.newCaller("Chaos, too")
	for _, app := range w.applications {
		for i, l := range app.lanes {
			c := caller
			if i == len(app.lanes)-1 {
				c = other
			}
			var linked accounts.LinkedAccount
			w.eventually(startLimit, func(ctx context.Context) error { // an account too many would do no harm
				return w.call(ctx, adminToken, http.MethodPost, accounts.LinkAccount.Path, accounts.NewAccount{
					CallerID: c.id, Integration: app.name, Username: l.user.Username, Password: l.user.Password,
				}, &linked)
			})
			a := &account{application: app, user: l.user.Username, id: linked.AccountID, token: linked.AccountToken, accessToken: c.accessToken}
			w.lanes = append(w.lanes, a)
			if app.read != nil {
				w.firstRead(a)
			}
		}
	}
}

func (w *world) firstRead(a *account) {
	w.Helper()
	read := a.application.read
	first := &request{trial: &trial{world: w, account: a, wish: read.wish(0), plan: plan{operation: read}}}
	w.eventually(startLimit, func(ctx context.Context) error {
		first.send(ctx, 0, patience)
		if first.succeeded() {
			return nil
		}
		return fmt.Errorf("a first %s of %s: %v", read.ID(), a.user, first.all())
	})
}
