package integration

import (
	"context"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/command"
)

func TestOrderIsConfirmed(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	out := in.order(item)
	if out.err != nil || out.res.OrderID != "1" || in.application.orders.Load() != 1 {
		t.Fatalf("%+v, %+v", out.res, out.err)
	}
	if out.events != "command.accepted effect.started effect.confirmed command.completed" {
		t.Errorf("events %s", out.events)
	}
}

func TestRefusedOrderIsNotApplied(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.refuses.Store(true)
	out := in.order(item)
	if out.err == nil || out.err.Kind != contracts.Rejected || !strings.Contains(out.err.Message, "declined") {
		t.Errorf("%+v", out.err)
	}
	if out.events != "command.accepted effect.started effect.not-applied command.completed" || strings.Contains(out.stored, "Jane") {
		t.Errorf("events %s: %s", out.events, out.stored)
	}
}

func TestOperationWithoutAFlowIsNotImplemented(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	out := run(t.Context(), in, marketplace.Search, &marketplace.SearchRequest{Query: "x"})
	if out.err == nil || out.err.Kind != contracts.NotImplemented {
		t.Errorf("%+v", out.err)
	}
	in.expectSignIns(0)
}

func TestCommandWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.mustList()
	in.application.slow.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	out := run(ctx, in, marketplace.BuyAgain, &marketplace.BuyAgainRequest{})
	if out.err == nil || out.err.Kind != contracts.Timeout || !strings.Contains(out.err.Message, "buy-again.yaml step 1") {
		t.Errorf("%+v", out.err)
	}
	if out.events != "command.accepted command.completed" {
		t.Errorf("events %s", out.events)
	}
	in.application.slow.Store(false)
	in.mustList()
}

// panicking is a log that panics where an effect starts.
type panicking struct{ command.Log }

func (p panicking) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if events[0].Type == event.TypeEffectStarted {
		panic("effect")
	}
	return p.Log.Append(ctx, stream, last, events...)
}

func TestPanicGivesThePageBack(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*instance){
		"in a step": func(in *instance) { in.log = panicking{in.log} },
		"restoring the state": func(in *instance) {
			player := *in.player
			in.player, player.register = &player, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := newOffice(t).instance()
			spoilt := *in
			spoil(&spoilt)
			for range 3 { // more often than an account has pages
				if out := spoilt.order(item); out.err == nil || !strings.Contains(out.err.Message, "panic") {
					t.Fatalf("nothing panicked: %+v", out.err)
				}
			}
			in.mustList()
			if n := in.application.orders.Load(); n != 0 {
				t.Errorf("%d orders", n)
			}
		})
	}
}
