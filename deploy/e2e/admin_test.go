package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
)

// awaitLog waits until the log's state passes a check.
func (g *gateway) awaitLog(check func(audit.LogState) error) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), startLimit)
	defer cancel()
	await(ctx, g.T, func() error {
		return check(result[audit.LogState](g, g.admin(audit.GetLog.Path)))
	})
}

// admin asks something as the operator.
func (g *gateway) admin(path string) response {
	g.Helper()
	return g.send(http.MethodGet, path, tokens{access: g.env.AdminToken}, nil)
}

func TestOperatorReadsWhatBecameOfAnOrder(t *testing.T) {
	g := share(t)
	item := g.item("coffee")
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
	order := result[marketplace.Order](g, r)
	id := r.header.Get(contracts.CommandIDHeader)
	mine := audit.ListCommands.Path + "?callerId=" + g.callerID()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	await(ctx, t, func() error {
		listed := result[audit.Commands](g, g.admin(mine+"&operation=buy-now"))
		if len(listed.Commands) != 1 || listed.Commands[0].CommandID != id || listed.Commands[0].State != "succeeded" || listed.Commands[0].EffectState != "confirmed" {
			return fmt.Errorf("the commands are %+v", listed)
		}
		return nil
	})
	events := result[audit.Events](g, g.admin(audit.ListEvents.Path+"?commandId="+id+"&type=effect.confirmed"))
	if len(events.Events) != 1 || events.Events[0].Stream != "command/"+id {
		t.Errorf("the events are %+v", events)
	}

	path := strings.ReplaceAll(audit.GetCommand.Path, "{commandId}", id)
	closed := g.admin(path)
	story := result[audit.CommandStory](g, closed)
	var types []string
	for _, e := range story.Events {
		types = append(types, e.Type)
	}
	if diff := cmp.Diff([]string{"command.accepted", "account.signed-in", "effect.started", "effect.confirmed", "command.completed"}, types); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	open := g.admin(path + "?open=true")
	for text, r := range map[string]response{"as it is": closed, "opened": open} {
		if shown := strings.Contains(string(r.body), order.DeliveryAddress); shown != (text == "opened") {
			t.Errorf("%s, the address is shown: %t", text, shown)
		}
	}
	if listed := result[audit.Commands](g, g.admin(mine+"&limit=1&after="+url.QueryEscape(id))); len(listed.Commands) != 1 || listed.Commands[0].Operation != "search" {
		t.Errorf("before the order there was %+v", listed)
	}
}

func TestNobodyButTheOperatorReadsTheLog(t *testing.T) {
	g := share(t)
	callers := []tokens{{}, g.demonstration(), {access: "igw_admin_wrong"}}
	for _, operation := range audit.Operations {
		info := operation.Info()
		path := strings.ReplaceAll(info.Path, "{commandId}", "019a9f02-6a5e-7c40-8f11-2b3c4d5e6f70")
		for who := range slices.Values(callers) {
			want := http.StatusUnauthorized
			if info.Access == contracts.CallerOrAdmin && who == g.demonstration() {
				want = http.StatusNotFound // it is let in, and has no such command
			}
			denied(g, g.send(info.Method, path, who, nil), want)
		}
	}
}
