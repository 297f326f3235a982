package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/testenv"
)

// TestOrderIsNotPlacedAgainAfterARollback brings the database back to a time
// before an order, as a backup or a standby that lagged does, and repeats the
// order's request.
func TestOrderIsNotPlacedAgainAfterARollback(t *testing.T) {
	t.Parallel()
	server := testenv.OwnPostgres(t)
	g := start(t, "STACK_DATABASE_URL="+server.URL)
	choice := marketplace.ItemChoice{ASIN: g.item("coffee").ASIN}
	buy := func() response {
		return g.sendWithKey("order-4711", marketplace.BuyNow.Path, g.demonstration(), choice)
	}
	restart := func(meanwhile func()) {
		server.Kill()
		meanwhile()
		server.Start()
	}
	restart(server.SaveStore)
	g.awaitReady(http.StatusOK)
	first := g.awaitAnswer(buy)
	order := result[marketplace.Order](g, first)
	g.awaitLog(func(s audit.LogState) error {
		if s.Unsequenced > 0 || s.Copied < s.Head {
			return errors.New("the copy lags")
		}
		return nil
	})
	restart(server.RestoreStore)

	g.awaitReady(http.StatusServiceUnavailable)
	if again := buy(); again.status != http.StatusInternalServerError || !strings.Contains(string(again.body), "not begun") || again.header.Get("Retry-After") == "" {
		t.Errorf("the request, repeated, is answered %d %s", again.status, again.body)
	}
	g.awaitLog(func(s audit.LogState) error {
		if text := strings.Join(s.Problems, "; "); !strings.Contains(text, "igw audit recover") {
			return fmt.Errorf("the problems are %q", text)
		}
		return nil
	})
	recoverLog(t, server.URL, g.env.NATSURL)
	g.awaitReady(http.StatusOK)
	g.expectSame(first, g.awaitAnswer(buy))
	if orders := g.state().Orders; len(orders) != 1 || orders[0].ID != order.OrderID {
		t.Errorf("the shop has %+v, the answer is %+v", orders, order)
	}
}

// recoverLog does what igw audit recover does.
func recoverLog(t *testing.T, databaseURL, natsURL string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pool, err := pgxpool.New(t.Context(), databaseURL)
	must(err)
	defer pool.Close()
	nc, err := nats.Connect(natsURL)
	must(err)
	defer nc.Close()
	r, err := eventlog.NewRecovery(pool, nc, eventlog.DefaultStream)
	must(err)
	r.Rebuild = command.Rebuild
	loss, err := r.Assess(t.Context())
	must(err)
	must(r.Restore(t.Context(), loss))
}

// awaitAnswer sends a request again for as long as it is not begun: a service
// whose lease ran out with the database has to renew it first.
func (g *gateway) awaitAnswer(send func() response) (r response) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), startLimit)
	defer cancel()
	await(ctx, g.T, func() error {
		if r = send(); strings.Contains(string(r.body), "not begun") {
			return fmt.Errorf("the answer is %s", r.body)
		}
		return nil
	})
	return r
}

// awaitReady waits until the gateway says of its readiness what is wanted.
func (g *gateway) awaitReady(status int) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), startLimit)
	defer cancel()
	await(ctx, g.T, func() error {
		r := g.send(http.MethodGet, "/readyz", tokens{}, nil)
		if r.status != status {
			return fmt.Errorf("/readyz answers %d %s", r.status, r.body)
		}
		return nil
	})
}
