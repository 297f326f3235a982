package integration

import (
	"context"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/eventlog"
)

// lapsing is a log that takes so long to record the start of an effect that
// others may take the instance for dead.
type lapsing struct {
	*eventlog.Log
	in *instance
}

func (l lapsing) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	recorded, err := l.Log.Append(ctx, stream, last, events...)
	if events[0].Type == event.TypeEffectStarted {
		id := l.in.instance.ID()
		l.in.die()
		l.in.eventually("the end of the lease", func() bool { return !l.in.instance.Holds(id) })
	}
	return recorded, err
}

// late is a log behind which a command's time is over once its effect is started.
type late struct {
	*eventlog.Log
	end context.CancelFunc
}

func (l late) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	recorded, err := l.Log.Append(ctx, stream, last, events...)
	if events[0].Type == event.TypeEffectStarted {
		l.end()
	}
	return recorded, err
}

func TestEffectThatWasNotActedOutIsNotInDoubt(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in.log = late{in.office.log, cancel}
	out := run(ctx, in, marketplace.BuyNow, &marketplace.BuyNowRequest{Body: marketplace.ItemChoice{ASIN: item}})
	if out.err == nil || out.err.Kind == contracts.Unknown || in.application.orders.Load() != 0 {
		t.Errorf("%+v, %d orders", out.err, in.application.orders.Load())
	}
	if out.events != "command.accepted effect.started effect.not-applied command.completed" {
		t.Errorf("events %s", out.events)
	}
}

func TestEffectIsNotActedOutOnceTheLeaseHasExpired(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.mustList()
	in.log = lapsing{in.office.log, in}
	out := in.order(item)
	if out.err == nil || out.err.Kind != contracts.Unavailable || out.err.Outcome != contracts.NothingDone || in.application.orders.Load() != 0 {
		t.Errorf("%+v, %d orders", out.err, in.application.orders.Load())
	}
	if out.events != "command.accepted effect.started effect.not-applied command.completed" {
		t.Errorf("events %s", out.events)
	}
}

// As when the process is stopped in the middle of the act.
func TestOrderDoesNotLeaveTheBrowserOnceTheLeaseHasExpired(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.mustList()
	pressed := func() {
		id := in.instance.ID()
		in.die()
		in.eventually("the end of the lease", func() bool { return !in.instance.Holds(id) })
	}
	in.application.pressed.Store(&pressed)
	out := in.order(item)
	if out.err == nil || out.err.Kind != contracts.Unknown || in.application.orders.Load() != 0 {
		t.Errorf("%+v, %d orders", out.err, in.application.orders.Load())
	}
	if out.events != inDoubt {
		t.Errorf("events %s", out.events)
	}
}
