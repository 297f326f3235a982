package e2e_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/accounts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/deploy/stack"
)

// TestSameKeyOrdersOnce sends one order eight times at once, with one key, and
// then after a restart, which tokens, keys and events survive.
func TestSameKeyOrdersOnce(t *testing.T) {
	t.Parallel()
	cfg := configure(t)
	first, err := stack.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{T: t, env: first.Env}
	choice := marketplace.ItemChoice{ASIN: g.item("coffee").ASIN}
	const key = "order-4711"

	answers := make([]response, 8)
	var clients sync.WaitGroup
	for i := range answers {
		clients.Go(func() { answers[i] = g.sendWithKey(key, marketplace.BuyNow.Path, g.demonstration(), choice) })
	}
	clients.Wait()
	order := result[marketplace.Order](g, answers[0])
	for _, r := range answers {
		g.expectSame(answers[0], r)
	}
	g.expectEvents(answers[0], "command.accepted", "effect.started", "effect.confirmed", "command.completed")
	if orders := g.state().Orders; len(orders) != 1 || orders[0].ID != order.OrderID {
		t.Errorf("the shop has %+v, the answer is %+v", orders, order)
	}

	other := g.sendWithKey(key, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: g.item("tea").ASIN})
	if message := denied(g, other, http.StatusBadRequest); !strings.Contains(message, contracts.IdempotencyKeyHeader) {
		t.Errorf("another request with the key: %s", message)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}

	g = startOn(t, cfg)
	if g.env.AccessToken != first.Env.AccessToken || g.env.AdminToken != first.Env.AdminToken || g.env.CheckpointVerifier != first.Env.CheckpointVerifier {
		t.Error("the restarted stack has other tokens or another key")
	}
	g.expectEvents(answers[0], "command.accepted", "effect.started", "effect.confirmed", "command.completed")
	g.expectSame(answers[0], g.sendWithKey(key, marketplace.BuyNow.Path, g.demonstration(), choice))
	if orders := g.state().Orders; len(orders) != 0 {
		t.Errorf("the shop, which began anew, has %+v", orders)
	}
	r := g.sendWithKey("order-4712", marketplace.BuyNow.Path, g.demonstration(), choice)
	elsewhere := result[marketplace.Order](g, r)
	g.expectEvents(r, "command.accepted", "effect.started", "effect.confirmed", "command.completed")
	if orders := g.state().Orders; len(orders) != 1 || orders[0].ID != elsewhere.OrderID {
		t.Errorf("with another key, the shop has %+v", orders)
	}
}

// expectSame checks that a repeated request has the answer of the first.
func (g *gateway) expectSame(first, again response) {
	g.Helper()
	if again.status != first.status || !bytes.Equal(again.body, first.body) {
		g.Errorf("got %d %s, at first %d %s", again.status, again.body, first.status, first.body)
	}
	if a, b := again.header.Get(contracts.CommandIDHeader), first.header.Get(contracts.CommandIDHeader); a != b {
		g.Errorf("got the command %s, at first %s", a, b)
	}
}

// TestCallerLooksItsCommandUp asks what became of a command: as its caller, as
// another caller, and as the operator.
func TestCallerLooksItsCommandUp(t *testing.T) {
	g := share(t)
	who, admin := g.demonstration(), tokens{access: g.env.AdminToken}
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, who, marketplace.ItemChoice{ASIN: g.item("coffee").ASIN})
	order := result[marketplace.Order](g, r)
	path := "/admin/v1/commands/" + r.header.Get(contracts.CommandIDHeader)

	for name, asker := range map[string]tokens{"its caller": {access: who.access}, "the operator": admin} {
		answer := g.send(http.MethodGet, path, asker, nil)
		story := result[audit.CommandStory](g, answer)
		if story.Command == nil || story.Command.State != "succeeded" || story.Command.EffectState != "confirmed" {
			t.Errorf("%s is told %s", name, answer.body)
		}
		if strings.Contains(string(answer.body), order.DeliveryAddress) {
			t.Errorf("%s sees personal data in clear without having asked", name)
		}
	}
	opened := g.send(http.MethodGet, path+"?open=true", who, nil)
	if result[audit.CommandStory](g, opened); !strings.Contains(string(opened.body), order.OrderID) || !strings.Contains(string(opened.body), order.DeliveryAddress) {
		t.Errorf("opened with the account's token: %s", opened.body)
	}
	denied(g, g.send(http.MethodGet, path+"?open=true", tokens{access: who.access}, nil), http.StatusBadRequest)

	stranger := result[accounts.Caller](g, g.send(http.MethodPost, "/admin/v1/callers", admin, accounts.NewCaller{Name: "Another product"}))
	token := result[accounts.IssuedToken](g, g.send(http.MethodPost, "/admin/v1/callers/"+stranger.CallerID+"/tokens", admin, accounts.NewToken{}))
	foreign := denied(g, g.send(http.MethodGet, path, tokens{access: token.AccessToken}, nil), http.StatusNotFound)
	nowhere := "/admin/v1/commands/00000000-0000-7000-8000-000000000000"
	if missing := denied(g, g.send(http.MethodGet, nowhere, tokens{access: token.AccessToken}, nil), http.StatusNotFound); missing != foreign {
		t.Errorf("another caller's command answers %q, none at all %q", foreign, missing)
	}
}
