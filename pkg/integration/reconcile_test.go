package integration

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/event"
	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/flow"
)

const inDoubt = "command.accepted effect.started effect.unknown"

// expectReconciled fails the test unless a command was settled so, and returns
// its end.
func (o *office) expectReconciled(events []event.Event, want event.EffectReconciled) event.CommandCompleted {
	o.Helper()
	if got := types(events); got != inDoubt+" effect.reconciled command.completed" {
		o.Fatalf("events %s", got)
	}
	got, err := event.PayloadOf[event.EffectReconciled](events[3])
	if err != nil || got.Applied != want.Applied || got.By != want.By {
		o.Errorf("reconciled %+v, %v; want %+v", got, err, want)
	}
	end, err := event.PayloadOf[event.CommandCompleted](events[4])
	o.must(err)
	if succeeded := end.Outcome == event.Succeeded; succeeded != want.Applied {
		o.Errorf("the end is %+v", end)
	}
	return end
}

// result opens the result that a command ended with.
func (o *office) result(end event.CommandCompleted) (order marketplace.Order) {
	o.Helper()
	if end.Result == nil {
		o.Fatal("the command ended without a result")
	}
	opened, err := o.vault.OpenFields(o.Context(), o.account, end.Result)
	o.must(err)
	o.must(json.Unmarshal(opened, &order))
	return order
}

func TestLostAnswerIsFoundToBeAnOrder(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	p := s.process(time.Hour, nil)
	s.application.mute.Store(true)
	id := s.doubtfulOrder()
	events := s.ended(id)
	order := s.result(s.expectReconciled(events, event.EffectReconciled{Applied: true, By: event.ByFlow}))
	if order.OrderID != "1" || order.ASIN != item || order.PaymentMethod != "Mastercard" || s.application.orders.Load() != 1 {
		t.Errorf("%+v, %d orders", order, s.application.orders.Load())
	}
	for _, e := range events {
		if data := string(e.Data); strings.Contains(data, "Elm") || strings.Contains(data, "Mastercard") {
			t.Errorf("%s holds personal data in clear: %s", e.Type, data)
		}
	}
	if text := p.journal.String(); !strings.Contains(text, "a command in doubt is settled") || strings.Contains(text, "Elm") {
		t.Errorf("the process log tells too little or too much: %s", text)
	}
}

func TestWhatWasReadBeforeTheBreakIsKeptAndCompleted(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(time.Hour, nil)
	s.application.terse.Store(true)
	events := s.ended(s.doubtfulOrder())
	unknown, err := event.PayloadOf[event.EffectUnknown](events[2])
	if err != nil || unknown.Partial == nil || strings.Contains(string(unknown.Partial), "Elm") {
		t.Errorf("%s, %v", events[2].Data, err)
	}
	order := s.result(s.expectReconciled(events, event.EffectReconciled{Applied: true, By: event.ByFlow}))
	if order.DeliveryAddress != "12 Elm" || order.PaymentMethod != "Mastercard" {
		t.Errorf("%+v", order)
	}
}

func TestLostOrderCountsAsNoneOnlyAfterTheSettleTime(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	const settle = 4 * time.Second
	s.process(settle, nil)
	s.application.deaf.Store(true)
	id := s.doubtfulOrder()
	s.application.deaf.Store(false)

	refused, _, err := s.order()
	e := contracts.AsError(err)
	if err == nil || e.Kind != contracts.Busy || !strings.Contains(e.Message, id) || types(s.told(refused)) != "command.accepted command.rejected" {
		t.Errorf("another order while one is in doubt: %+v, %s", e, types(s.told(refused)))
	}

	events := s.ended(id)
	s.expectReconciled(events, event.EffectReconciled{Applied: false, By: event.ByFlow})
	if took := events[3].Time.Sub(events[2].Time); took < settle {
		t.Errorf("not applied after %s; the application may take %s", took, settle)
	}
	if asked := s.application.history.Load(); asked < 2 {
		t.Errorf("the history was looked at %d times", asked)
	}
	if _, order, err := s.order(); err != nil || order.OrderID != "1" {
		t.Errorf("a new order: %+v, %v", order, err)
	}
}

// A flow that began to look before the settle time may have missed what came
// before it ended.
func TestLookThatBeganTooEarlyDoesNotCount(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.deaf.Store(true)
	out := in.order(item)
	const settle = 1500 * time.Millisecond
	recorder := in.recorder()
	r := newReconciler(in.player, recorder, shopService, settle)
	d, err := recorder.Doubt(t.Context(), out.id)
	in.must(err)
	held := func() { <-time.After(time.Until(d.Since.Add(settle + 100*time.Millisecond))) }
	in.application.meanwhile.Store(&held)
	if _, err := r.byFlow(t.Context(), d); !errors.Is(err, errTooEarly) {
		t.Fatalf("got %v", err)
	}
	applied, err := r.byFlow(t.Context(), d)
	in.must(err)
	if applied {
		t.Error("applied")
	}
	in.expectReconciled(in.told(out.id), event.EffectReconciled{Applied: false, By: event.ByFlow})
}

func TestPanicInALookEndsNothingElse(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.mute.Store(true)
	out := in.order(item)
	var processLog journal
	player := *in.player
	player.logger = slog.New(slog.NewTextHandler(&processLog, nil))
	player.browsers = nil
	r := newReconciler(&player, in.recorder(), shopService, 0)
	if !r.next(t.Context()) || !strings.Contains(processLog.String(), "panic") || types(in.told(out.id)) != inDoubt {
		t.Errorf("the log tells %s", processLog.String())
	}
	in.mustList()
}

func TestWhatIsToldOfALookQuotesNothing(t *testing.T) {
	t.Parallel()
	e := contracts.AsError(unclear(&flow.Failure{File: "look.yaml", Step: "3", Name: "fail", Message: "Sorry, Jane Roe", Quotes: true, Declared: true}))
	if e.Kind != contracts.Unavailable || e.Err != nil || strings.Contains(e.Message, "Jane") || !strings.Contains(e.Message, "look.yaml step 3") {
		t.Errorf("%+v", e)
	}
}

// forgetful is a log whose connection breaks once an effect is started.
type forgetful struct{ command.Log }

func (f forgetful) Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error) {
	if expected >= 2 {
		return nil, errors.New("the connection is broken")
	}
	return f.Log.Append(ctx, stream, expected, events...)
}

func TestNextProcessReconcilesWhatAnotherLeft(t *testing.T) {
	t.Parallel()
	for name, through := range map[string]func(command.Log) command.Log{
		"in the middle of a look":         nil,
		"without a word about the effect": func(log command.Log) command.Log { return forgetful{log} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			first := s.process(time.Hour, through)
			s.application.mute.Store(true)
			s.application.closed.Store(true)
			id := s.doubtfulOrder()
			if through == nil {
				s.eventually("a look", func() bool { return s.application.history.Load() > 0 })
			}
			first.close()
			s.application.closed.Store(false)
			s.process(time.Hour, nil)
			order := s.result(s.expectReconciled(s.ended(id), event.EffectReconciled{Applied: true, By: event.ByFlow}))
			if order.OrderID != "1" || s.application.orders.Load() != 1 {
				t.Errorf("%+v, %d orders", order, s.application.orders.Load())
			}
		})
	}
}

// Both processes look at the same time: the application answers the first only
// once the second has come.
func TestTwoProcessesMakeOneReconciliation(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	processes := []*process{s.process(time.Hour, nil), s.process(time.Hour, nil)}
	var both sync.WaitGroup
	both.Add(2)
	ctx := t.Context()
	meet := func() {
		if s.application.history.Load() > 2 {
			return
		}
		both.Done()
		met := make(chan struct{})
		go func() { defer close(met); both.Wait() }()
		select {
		case <-met:
		case <-ctx.Done():
		}
	}
	s.application.meanwhile.Store(&meet)
	s.application.mute.Store(true)
	id := s.doubtfulOrder()
	s.expectReconciled(s.ended(id), event.EffectReconciled{Applied: true, By: event.ByFlow})
	for _, p := range processes {
		p.close() // each has done with its look
	}
	if n := s.application.history.Load(); n != 2 {
		t.Errorf("%d looks, want 2", n)
	}
	if got := types(s.told(id)); strings.Count(got, event.TypeEffectReconciled) != 1 {
		t.Errorf("events %s", got)
	}
	for _, p := range processes {
		if text := p.journal.String(); strings.Contains(text, "stays in doubt") {
			t.Errorf("being second is told as an error: %s", text)
		}
	}
}

func TestDoubtThatNoFlowCanSettleWaitsForAPerson(t *testing.T) {
	t.Parallel()
	applied, notApplied := true, false
	for name, c := range map[string]struct {
		says  *bool
		erase bool
	}{
		"who says that it happened":       {says: &applied},
		"who says that it did not":        {says: &notApplied},
		"also when the account is erased": {says: &applied, erase: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			p := s.process(time.Hour, nil)
			s.application.mute.Store(true)
			s.application.closed.Store(true)
			id := s.doubtfulOrder()
			reason := "what became of the command could not be found out at the application"
			if c.erase {
				s.must(s.vault.Erase(t.Context(), s.account))
				s.application.closed.Store(false)
				reason = "the account is erased"
			}
			s.eventually("the log of a look", func() bool {
				text := p.journal.String()
				return strings.Contains(text, "a command stays in doubt") && strings.Contains(text, reason)
			})
			s.settlesAsSaid(id, *c.says, c.erase)
		})
	}
}

// settlesAsSaid has a person settle a command in doubt.
func (s *street) settlesAsSaid(id string, applied, erased bool) {
	s.Helper()
	res, err := s.settle(&audit.SettleRequest{CommandID: id, Applied: &applied, Note: "Jane says so on the telephone"})
	if err != nil || res.Applied != applied {
		s.Fatalf("%+v, %v", res, err)
	}
	events := s.told(id)
	end := s.expectReconciled(events, event.EffectReconciled{Applied: applied, By: event.ByOperator})
	if end.Result != nil {
		s.Errorf("a person gave a result: %s", end.Result)
	}
	settled, err := event.PayloadOf[event.EffectReconciled](events[3])
	s.must(err)
	if (settled.Evidence == nil) != erased || strings.Contains(string(settled.Evidence), "Jane") {
		s.Errorf("evidence %s", settled.Evidence)
	}
	if _, err := s.settle(&audit.SettleRequest{CommandID: id, Applied: &applied}); contracts.AsError(err).Kind != contracts.Invalid {
		s.Errorf("settled twice: %v", err)
	}
}

func TestSettlingByFlowAtOnce(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(time.Hour, nil)
	s.application.deaf.Store(true)
	id := s.doubtfulOrder()
	for _, c := range []struct {
		closed bool
		words  string
	}{{true, "buy-now.reconcile.yaml step 2"}, {false, "that counts from "}} {
		s.application.closed.Store(c.closed)
		_, err := s.settle(&audit.SettleRequest{CommandID: id})
		if e := contracts.AsError(err); err == nil || e.Kind != contracts.Unavailable || !strings.Contains(e.Message, c.words) {
			t.Errorf("want %q: %+v", c.words, e)
		}
	}
	if got := types(s.told(id)); got != inDoubt {
		t.Errorf("events %s", got)
	}
	s.application.orders.Add(1) // it was at work on it after all
	if res, err := s.settle(&audit.SettleRequest{CommandID: id}); err != nil && !errors.Is(err, command.ErrSettled) || err == nil && !res.Applied {
		t.Errorf("%+v, %v", res, err)
	}
	s.expectReconciled(s.ended(id), event.EffectReconciled{Applied: true, By: event.ByFlow})
}

func TestOperationWithoutAReconcileFlowWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	in := s.instance()
	out := run(t.Context(), in, marketplace.AddToCart, &marketplace.AddToCartRequest{Body: marketplace.ItemChoice{ASIN: item}})
	if out.events != inDoubt {
		t.Fatalf("%+v, %s", out.err, out.events)
	}
	p := s.process(0, nil)
	s.eventually("the log of a look", func() bool { return strings.Contains(p.journal.String(), "a command stays in doubt") })
	_, err := s.settle(&audit.SettleRequest{CommandID: out.id})
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.Invalid || !strings.Contains(e.Message, "has no flow") {
		t.Errorf("%+v", e)
	}
	s.settlesAsSaid(out.id, false, false)
}

// The requests by which a person settles commands are none themselves.
func TestSettlingIsNoCommand(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.process(time.Hour, nil)
	_, err := s.settle(&audit.SettleRequest{CommandID: "00000000-0000-4000-8000-000000000000"})
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.NotFound {
		t.Errorf("%+v", e)
	}
	var n int
	s.must(s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n))
	if n != 0 {
		t.Errorf("%d events", n)
	}
}

// lapsing is a log that takes so long to record the start of an effect that
// others may take the instance for dead.
type lapsing struct {
	*eventlog.Log
	in *instance
}

func (l lapsing) Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error) {
	recorded, err := l.Log.Append(ctx, stream, expected, events...)
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

func (l late) Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error) {
	recorded, err := l.Log.Append(ctx, stream, expected, events...)
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
	if out.err == nil || out.err.Kind != contracts.Unavailable || !strings.Contains(out.err.Message, "nothing was done") || in.application.orders.Load() != 0 {
		t.Errorf("%+v, %d orders", out.err, in.application.orders.Load())
	}
	if out.events != "command.accepted effect.started effect.not-applied command.completed" {
		t.Errorf("events %s", out.events)
	}
}
