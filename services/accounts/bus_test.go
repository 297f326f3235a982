package accounts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	api "integration.gateway/contracts/accounts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/services/accounts"
)

// serve starts the service on the bus and returns a client's connection.
func (b *bundle) serve(t *testing.T) *nats.Conn {
	t.Helper()
	logger := b.logger()
	srv := bus.NewServer(bus.Config{Name: "accounts", Version: "1.0.0", Workers: 2, Queue: 2, Chain: accounts.Chain, Logger: logger})
	b.here.Bind(srv)
	if err := srv.Start(b.nats); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
	return b.nats
}

// call carries out one operation over the bus, as the gateway does.
func call[Req, Res any](t *testing.T, nc *nats.Conn, op contracts.Operation[Req, Res], req *Req) *Res {
	t.Helper()
	ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: "command-1"})
	res := new(Res)
	if err := bus.Call(ctx, nc, op.Info(), req, res); err != nil {
		t.Fatalf("%s: %v", op.Name, err)
	}
	return res
}

// A store that cannot be reached is a fault that passes, and says so.
func TestAStoreThatIsAwayIsNoInternalError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nc := b.serve(t)
	caller := call(t, nc, api.CreateCaller, &api.CreateCallerRequest{Body: api.NewCaller{Name: "Assistant"}})
	b.log.before = func() error { return errors.New("the log is away") }
	ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: "command-1"})
	err := bus.Call(ctx, nc, api.LinkAccount.Info(), newAccount(caller.CallerID, "marketplace"), new(api.LinkedAccount))
	if e := contracts.AsError(err); e.Kind != contracts.Unavailable || e.RetryAfter == 0 || strings.Contains(e.Message, "internal error") {
		t.Errorf("%+v", e)
	}
}

func TestEveryOperationIsServedOnTheBus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nc := b.serve(t)

	caller := call(t, nc, api.CreateCaller, &api.CreateCallerRequest{Body: api.NewCaller{Name: "Assistant"}})
	token := call(t, nc, api.IssueToken, &api.IssueTokenRequest{CallerID: caller.CallerID})
	linked := call(t, nc, api.LinkAccount, newAccount(caller.CallerID, "marketplace"))
	authorization := call(t, nc, api.Authorize, &api.AuthorizeRequest{
		Integration: "marketplace", AccessTokenHash: api.HashToken(token.AccessToken), AccountTokenHash: api.HashToken(linked.AccountToken),
	})
	if authorization.AccountID != linked.AccountID || authorization.CallerID != caller.CallerID {
		t.Errorf("got %+v", authorization)
	}
	grants := &api.CheckGrantsRequest{Grants: []string{authorization.Grant}}
	if got := call(t, nc, api.CheckGrants, grants); len(got.Ended) != 0 {
		t.Errorf("a new grant has ended: %v", got.Ended)
	}
	account := &api.AccountRequest{AccountID: linked.AccountID}
	reissued := call(t, nc, api.ReissueAccountToken, account)
	call(t, nc, api.GetAccount, account)
	if got := call(t, nc, api.ListCallers, &api.ListCallersRequest{}); len(got.Callers) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := call(t, nc, api.ListAccounts, &api.ListAccountsRequest{}); len(got.Accounts) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := call(t, nc, api.ListTokens, &api.ListTokensRequest{CallerID: caller.CallerID}); len(got.Tokens) != 1 {
		t.Errorf("got %+v", got)
	}
	call(t, nc, api.RevokeToken, &api.RevokeTokenRequest{CallerID: caller.CallerID, TokenID: token.TokenID})
	call(t, nc, api.UnlinkAccount, account)
	call(t, nc, api.EraseAccount, account)

	events, err := b.log.Stream(t.Context(), event.AccountStream(linked.AccountID))
	if err != nil || len(events) != 3 || events[0].Command != "command-1" {
		t.Errorf("got events %+v, %v", events, err)
	}
	failed := newAccount(caller.CallerID, "nowhere")
	if err := bus.Call(t.Context(), nc, api.LinkAccount.Info(), failed, new(api.LinkedAccount)); err == nil {
		t.Error("an account was linked nowhere")
	}
	if !strings.Contains(b.processLog.String(), "accounts-link-account") {
		t.Error("the process log does not tell that an account was linked")
	}
	for _, secret := range []string{token.AccessToken, linked.AccountToken, reissued.AccountToken, username, password} {
		if strings.Contains(b.processLog.String(), secret) {
			t.Errorf("%s is in the process log", secret)
		}
	}
}

func TestEveryAdminOperationIsListedAndUnderAdmin(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, entry := range api.Operations {
		info := entry.Info()
		route := info.Method + " " + info.Path
		if info.Access != contracts.AdminToken || !strings.HasPrefix(info.Path, "/admin/v1/") || seen[route] {
			t.Errorf("%s: %s with access %d", info.Name, route, info.Access)
		}
		seen[route] = true
		req, res := entry.New()
		contracts.FillExample(req) // panics when an example does not fit
		contracts.FillExample(res)
		if v, ok := req.(contracts.Validator); ok && v.Validate() != nil {
			t.Errorf("the example of %s is not valid: %v", info.Name, v.Validate())
		}
	}
}
