package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"integration.gateway/contracts/accounts"
	"integration.gateway/services/marketplace/sandbox"
)

// account is a linked account of one of the shop's users.
type account struct {
	id          string
	token       string
	user        string
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

// link makes an account for each of the shop's users and a second one for the
// buyers, the last one of another caller, and waits until each of them can be
// used.
func (w *world) link() {
	w.Helper()
	caller := w.newCaller("Chaos")
	other := w.newCaller("Chaos, too")
	for lane := range lanes {
		user := sandbox.Users[lane%len(sandbox.Users)]
		if lane == lanes-1 {
			caller = other
		}
		var linked accounts.LinkedAccount
		w.must(w.call(w.Context(), adminToken, http.MethodPost, accounts.LinkAccount.Path, accounts.NewAccount{
			CallerID: caller.id, Integration: "marketplace", Username: user.Username, Password: user.Password,
		}, &linked))
		a := &account{id: linked.AccountID, token: linked.AccountToken, user: user.Username, accessToken: caller.accessToken}
		w.lanes = append(w.lanes, a)
		first := &request{trial: &trial{world: w, account: a, plan: plan{operation: search}}}
		w.eventually(startLimit, func(ctx context.Context) error {
			first.send(ctx, 0, patience)
			if first.succeeded() {
				return nil
			}
			return fmt.Errorf("a first search of %s: %v", a.user, first.all())
		})
	}
}
