package e2e_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/services/marketplace/sandbox"
)

// troubledAtOnce bounds how many orders a busy machine has to carry at a time.
const troubledAtOnce = 5

// trouble is a fault of a shop and what becomes of an order there.
type trouble struct {
	faults string
	ends   string // the command's last event; unknown: before it is settled
	says   string
	orders int
}

const again, unknown = event.TypeCommandCompleted, event.TypeEffectUnknown

// TestTroubledSite orders at a shop with each of its faults. Every answer is
// an error within the command's time that says what to do next, and the shop's
// state bears it out. What is not known at first is found out afterwards.
func TestTroubledSite(t *testing.T) {
	t.Parallel()
	cases := map[string]trouble{
		"slow page":            {`{"slow": [{"path": "/dp/*", "delayMs": 60000}]}`, again, "open-item.json step 1.then.1 (navigate", 0},
		"slow order":           {`{"slow": [{"path": "/buy-now", "delayMs": 60000}]}`, unknown, "not known", 0},
		"slow answer":          {`{"slow": [{"path": "/buy-now", "delayMs": 60000, "when": "after"}]}`, unknown, "not known", 1},
		"failing page":         {`{"failing": [{"path": "/dp/*", "status": 503}]}`, again, "open-item.json step", 0},
		"failing order":        {`{"failing": [{"path": "/buy-now", "status": 500}]}`, unknown, "not known", 0},
		"order that hangs up":  {`{"hangUp": [{"path": "/buy-now"}]}`, unknown, "not known", 0},
		"answer that hangs up": {`{"hangUp": [{"path": "/buy-now", "when": "after"}]}`, unknown, "not known", 1},
		"sign-in that is slow": {`{"slow": [{"method": "POST", "path": "/sign-in", "delayMs": 60000}]}`, again, "sign-in.json step 4", 0},
		"sign-in that fails":   {`{"failing": [{"path": "/sign-in", "status": 500}]}`, again, "tells neither that the account is signed in nor", 0},
	}
	sites, shops := newSites(t), map[string]string{}
	for name := range cases {
		shops[name] = openShop(t, sites, siteName(name), sandbox.New())
	}
	whole := start(t, "RECONCILE_SETTLE=3s", "SITES_DIR="+sites)
	item := whole.item("coffee") // every shop has it
	// Most of the time they wait for a shop: beside each other, without each
	// taking one of the few places for parallel tests.
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, troubledAtOnce)
	for name, c := range cases {
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) { c.check(whole.of(t).at(siteName(name), shops[name]), item.ASIN) })
		})
	}
}

// check orders at a shop that is then given its fault.
func (c trouble) check(g *gateway, asin string) {
	g.Helper()
	g.faults(c.faults)
	started := time.Now()
	r := g.order(g.demonstration(), asin)
	took := time.Since(started)
	message := denied(g, r, http.StatusInternalServerError)
	if !strings.Contains(message, c.says) || took > marketplace.BuyNow.Timeout || strings.Contains(message, "hangs") {
		g.Errorf("after %s: %s", took, message)
	}
	if c.ends == unknown {
		g.awaitEnd(r)
		g.expectEvents(r, "command.accepted", "effect.started", unknown, "effect.reconciled", "command.completed")
		if applied := g.reconciled(r); applied != (c.orders == 1) {
			g.Errorf("reconciled as applied: %v", applied)
		}
	} else {
		g.expectEvents(r, "command.accepted", c.ends)
	}
	if orders := g.state().Orders; len(orders) != c.orders {
		g.Errorf("the shop has %+v", orders)
	}
}
