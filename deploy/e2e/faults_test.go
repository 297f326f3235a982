package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts/marketplace"
)

// TestTroubledSite orders at a shop with each of its faults. Every answer is
// an error within the command's time that says what to do next, and the shop's
// state bears it out. What is not known at first is found out afterwards.
func TestTroubledSite(t *testing.T) {
	t.Parallel()
	const again, unknown = "command.completed", "effect.unknown"
	for name, c := range map[string]struct {
		faults string
		ends   string // the command's last event
		says   string
		orders int
	}{
		"slow page":            {`{"slow": [{"path": "/dp/*", "delayMs": 60000}]}`, again, "open-item.json step 1.then.1 (navigate", 0},
		"slow order":           {`{"slow": [{"path": "/buy-now", "delayMs": 60000}]}`, unknown, "not known", 0},
		"slow answer":          {`{"slow": [{"path": "/buy-now", "delayMs": 60000, "when": "after"}]}`, unknown, "not known", 1},
		"failing page":         {`{"failing": [{"path": "/dp/*", "status": 503}]}`, again, "open-item.json step", 0},
		"failing order":        {`{"failing": [{"path": "/buy-now", "status": 500}]}`, unknown, "not known", 0},
		"order that hangs up":  {`{"hangUp": [{"path": "/buy-now"}]}`, unknown, "not known", 0},
		"answer that hangs up": {`{"hangUp": [{"path": "/buy-now", "when": "after"}]}`, unknown, "not known", 1},
		"sign-in that is slow": {`{"slow": [{"method": "POST", "path": "/sign-in", "delayMs": 60000}]}`, again, "sign-in.json step 4", 0},
		"sign-in that fails":   {`{"failing": [{"path": "/sign-in", "status": 500}]}`, again, "tells neither that the account is signed in nor", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, "RECONCILE_SETTLE=3s")
			item := g.item("coffee")
			g.faults(c.faults)
			started := time.Now()
			r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
			took := time.Since(started)
			message := refusal(g, r, http.StatusInternalServerError)
			if !strings.Contains(message, c.says) || took > marketplace.BuyNow.Timeout || strings.Contains(message, "hangs") {
				t.Errorf("after %s: %s", took, message)
			}
			if c.ends == unknown {
				g.awaitEnd(r)
				g.expectEvents(r, "command.accepted", "effect.started", unknown, "effect.reconciled", "command.completed")
				if applied := g.reconciled(r); applied != (c.orders == 1) {
					t.Errorf("reconciled as applied: %v", applied)
				}
			} else {
				g.expectEvents(r, "command.accepted", c.ends)
			}
			if orders := g.state().Orders; len(orders) != c.orders {
				t.Errorf("the shop has %+v", orders)
			}
		})
	}
}
