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
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/signin"
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
	r := newReconciler(in.player, in.sites, recorder, shopService, settle)
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

// The user has a new password, which nobody has told us: each look that signs
// in brings the account closer to being locked.
func TestLooksDoNotTryRefusedCredentialsAgain(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.mute.Store(true)
	out := in.order(item)
	in.link("wrong horse")
	in.application.session.Add(1) // signs everybody out
	r := newReconciler(in.player, in.sites, in.recorder(), shopService, 0)
	d, err := in.recorder().Doubt(t.Context(), out.id)
	in.must(err)
	for range 3 {
		if _, err := r.withoutPanic(t.Context(), d); err == nil || strings.Contains(err.Error(), "This password is wrong") {
			t.Errorf("a look with the wrong password: %v", err)
		}
	}
	if n := in.application.strangers.Load(); n != 1 {
		t.Errorf("%d sign-ins were refused, want 1", n)
	}
	if _, err := r.settleByHand(t.Context(), &audit.SettleRequest{CommandID: out.id}); err == nil || in.application.strangers.Load() != 1 {
		t.Errorf("a look that a person asks for: %v", err)
	}
	in.must(signin.Retry(t.Context(), in.pool, in.account))
	if _, err := r.settleByHand(t.Context(), &audit.SettleRequest{CommandID: out.id}); err == nil || in.application.strangers.Load() != 2 {
		t.Errorf("a look that a person has allowed: %v", err)
	}

	in.link(password)
	applied, err := r.withoutPanic(t.Context(), d)
	if err != nil || !applied {
		t.Errorf("with the new password: %t, %v", applied, err)
	}
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
	r := newReconciler(&player, in.sites, in.recorder(), shopService, 0)
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
