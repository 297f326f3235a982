package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/eventlog"
)

// events reads the stream of the command that a response belongs to.
func (g *gateway) events(r response) []event.Event {
	g.Helper()
	return g.stream(event.CommandStream(r.header.Get(contracts.CommandIDHeader)))
}

func (g *gateway) stream(name string) []event.Event {
	g.Helper()
	pool, err := pgxpool.New(g.Context(), g.env.DatabaseURL)
	if err != nil {
		g.Fatal(err)
	}
	defer pool.Close()
	events, err := eventlog.New(pool).Stream(g.Context(), name)
	if err != nil {
		g.Fatal(err)
	}
	return events
}

// expectEvents checks the events of a response's command and their chain.
func (g *gateway) expectEvents(r response, want ...string) {
	g.Helper()
	events := g.events(r)
	var got []string
	for _, e := range events {
		got = append(got, e.Type)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		g.Errorf("events (-want +got):\n%s", diff)
	}
	if err := event.VerifyStream(events); err != nil {
		g.Error(err)
	}
}

// endLimit is how long a command in doubt may take to be settled.
const endLimit = time.Minute

// awaitEnd waits until a response's command has ended in the log.
func (g *gateway) awaitEnd(r response) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), endLimit)
	defer cancel()
	await(ctx, g.T, func() error {
		events := g.events(r)
		if last := events[len(events)-1]; last.Type != event.TypeCommandCompleted {
			return fmt.Errorf("the last event is %s", last.Type)
		}
		return nil
	})
}

// reconciled says whether the effect of a response's command, which was in
// doubt, was found to have happened.
func (g *gateway) reconciled(r response) bool {
	g.Helper()
	for _, e := range g.events(r) {
		if p, err := event.PayloadOf[event.EffectReconciled](e); err == nil {
			return p.Applied
		}
	}
	g.Fatal("nothing was reconciled")
	return false
}

func TestSubscriberSeesAnOrderAsCloudEvents(t *testing.T) {
	g := share(t)
	nc, err := nats.Connect(g.env.NATSURL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync("evt.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	item := g.item("coffee")
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: item.ASIN})
	if r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}

	want := []string{"command.accepted", "effect.started", "effect.confirmed", "command.completed"}
	var got []string
	for len(got) < len(want) {
		msg, err := sub.NextMsg(10 * time.Second)
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		if !strings.HasPrefix(msg.Subject, "evt.marketplace.buy-now.") {
			continue
		}
		e, err := event.Decode(msg.Subject, msg.Header, msg.Data)
		if err != nil {
			t.Fatal(err)
		}
		if e.Command != r.header.Get(contracts.CommandIDHeader) {
			continue // another test's
		}
		if msg.Header.Get("ce-specversion") != "1.0" || msg.Header.Get("ce-id") != e.ID {
			t.Errorf("%s lacks its ce- headers: %v", msg.Subject, msg.Header)
		}
		got = append(got, e.Type)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestServicesAreListedOnTheBus(t *testing.T) {
	g := share(t)
	nc, err := nats.Connect(g.env.NATSURL)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, name := range []string{"audit", "accounts", "marketplace"} {
		subject, err := micro.ControlSubject(micro.InfoVerb, name, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nc.RequestWithContext(t.Context(), subject, nil); err != nil {
			t.Errorf("%s does not answer discovery: %v", name, err)
		}
	}
}
