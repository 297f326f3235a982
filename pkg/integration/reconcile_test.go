package integration

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

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
		if data := string(e.Data); strings.Contains(data, "12 Elm") || strings.Contains(data, "Mastercard") {
			t.Errorf("%s holds personal data in clear: %s", e.Type, data)
		}
	}
	if text := p.journal.String(); !strings.Contains(text, "a command in doubt is settled") || strings.Contains(text, "12 Elm") {
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
	if err != nil || unknown.Partial == nil || strings.Contains(string(unknown.Partial), "12 Elm") {
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
	const settle = 2 * time.Second
	p := s.process(settle, nil, time.Hour)
	s.application.deaf.Store(true) // which is an answer that breaks off
	id := s.doubtfulOrder()
	s.application.deaf.Store(false)

	refused, _, err := s.order()
	e := contracts.AsError(err)
	if err == nil || e.Kind != contracts.Busy || !strings.Contains(e.Message, id) || types(s.told(refused)) != "command.accepted command.rejected" {
		t.Errorf("another order while one is in doubt: %+v, %s", e, types(s.told(refused)))
	}

	events := s.ended(id)
	end := s.expectReconciled(events, event.EffectReconciled{Applied: false, By: event.ByFlow})
	if took := events[3].Time.Sub(events[2].Time); took < settle {
		t.Errorf("not applied after %s; the application may take %s", took, settle)
	}
	if asked := s.application.history.Load(); asked < 2 {
		t.Errorf("the history was looked at %d times", asked)
	}
	if strings.Contains(end.Message, "nothing was done") || !strings.Contains(end.Message, "the application showed no order of it by ") {
		t.Errorf("the caller is told %q", end.Message)
	}
	if _, _, err := s.order(); err == nil || contracts.AsError(err).Kind != contracts.Busy || !strings.Contains(err.Error(), contracts.DuplicateRiskHeader+": "+id) {
		t.Errorf("the same order: %v", err)
	}
	if order, err := s.orderAs(uuid.NewString(), id); err != nil || order.OrderID != "1" {
		t.Errorf("the same order at its caller's risk: %+v, %v", order, err)
	}
	if text := p.journal.String(); strings.Contains(text, "appeared after") {
		t.Errorf("the process log tells %s", text)
	}
}

// A shop completes an order after it was settled that there was none. The caller
// has not ordered again, is told the truth, and somebody is alerted.
func TestOrderThatAppearsAfterTheVerdictIsFoundLate(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	p := s.process(time.Second, nil, time.Second, 3*time.Second, time.Hour)
	s.application.deaf.Store(true)
	id := s.doubtfulOrder()
	s.application.deaf.Store(false)
	s.expectReconciled(s.ended(id), event.EffectReconciled{Applied: false, By: event.ByFlow})
	seen := s.application.history.Load()
	s.eventually("a late check that finds nothing", func() bool {
		return s.application.history.Load() > seen && strings.Contains(p.journal.String(), "still shows no trace")
	})
	if _, _, err := s.order(); err == nil || contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("the same order again: %v", err)
	}
	s.application.orders.Add(1) // it comes through at last
	s.eventually("the order to be found", func() bool { return len(s.told(id)) == 6 })
	found, err := event.PayloadOf[event.EffectFoundLate](s.told(id)[5])
	if err != nil || found.By != event.ByFlow || found.Evidence == nil || found.Result == nil {
		t.Errorf("%+v, %v", found, err)
	}
	if order, err := s.orderAs(id, ""); err != nil || order.OrderID != "1" || s.application.orders.Load() != 1 {
		t.Errorf("a repeat of the order: %+v, %v", order, err)
	}
	text := p.journal.String()
	if !strings.Contains(text, "level=ERROR") || !strings.Contains(text, "an effect has appeared after it had been settled that there was none") || strings.Contains(text, "12 Elm") {
		t.Errorf("the process log tells %s", text)
	}
	if err := testutil.GatherAndCompare(p.metrics, strings.NewReader(`
		# HELP effects_found_late_total Effects that appeared at the application after it had been settled that there was none.
		# TYPE effects_found_late_total counter
		effects_found_late_total 1
	`), "effects_found_late_total"); err != nil {
		t.Error(err)
	}
}

// A flow that began to look before the settle time may have missed what came
// before it ended. That time is as long as the site says, and longer where the
// application has not answered. No clock that is set makes it pass.
func TestLookThatBeganTooEarlyDoesNotCount(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.deaf.Store(true)
	out := in.order(item)
	recorder := in.recorder()
	const settle = 1500 * time.Millisecond
	r := newReconciler(in.player, in.sites, recorder, shopService, Config{ReconcileSettle: settle})
	d, err := recorder.Doubt(t.Context(), out.id)
	in.must(err)
	if !d.Answered {
		t.Error("the application is said not to have answered")
	}
	site, err := in.sites.Get("shop")
	in.must(err)
	slow := *site
	slow.Settle = time.Hour
	if r.settleTime(site, d) != settle || r.settleTime(&slow, d) != time.Hour || r.settleTime(site, &command.Doubt{}) != unansweredFactor*settle {
		t.Error("the settle time does not follow from the site, the setting and the answer")
	}

	r.next(t.Context()) // sees it in doubt
	seen := time.Now()
	d.Since = d.Since.Add(-2 * time.Minute) // the database's clock is set ahead
	held := func() { <-time.After(time.Until(seen.Add(settle + 100*time.Millisecond))) }
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
	r := newReconciler(in.player, in.sites, in.recorder(), shopService, Config{})
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
	r := newReconciler(&player, in.sites, in.recorder(), shopService, Config{})
	looks := r.next(t.Context())
	if len(looks) != 1 || !r.look(t.Context(), looks[0]) || !strings.Contains(processLog.String(), "panic") || types(in.told(out.id)) != inDoubt {
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

func (f forgetful) Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error) {
	if last.Version >= 2 {
		return nil, errors.New("the connection is broken")
	}
	return f.Log.Append(ctx, stream, last, events...)
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

// The application answers the first look only once the second has come.
func TestLooksForTwoAccountsAreMadeAtOnce(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	first := s.process(time.Hour, nil)
	s.application.mute.Store(true)
	s.application.closed.Store(true) // so that both stay in doubt
	commands := []string{s.doubtfulOrder()}
	s.account = uuid.NewString()
	s.linkAs("amir", password)
	commands = append(commands, s.doubtfulOrder())
	first.close()
	s.application.closed.Store(false)
	_, err := s.pool.Exec(t.Context(), `UPDATE open_commands SET look_at = clock_timestamp()`)
	s.must(err)

	var looks atomic.Int32
	second := make(chan struct{})
	meet := func() {
		switch looks.Add(1) {
		case 1:
			select {
			case <-second:
			case <-time.After(20 * time.Second):
				t.Error("a look waits for the end of another account's")
			}
		case 2:
			close(second)
		}
	}
	s.application.meanwhile.Store(&meet)
	s.process(time.Hour, nil)
	for _, id := range commands {
		s.ended(id)
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

// What a late check has found is looked for again for as long as only another
// command of the user stands in the way.
func TestLateCheckThatWaitsForAnotherCommandIsNotGivenUp(t *testing.T) {
	t.Parallel()
	in := newOffice(t).instance()
	in.application.deaf.Store(true)
	out := in.order(item)
	r := newReconciler(in.player, in.sites, in.recorder(), shopService, Config{LateChecks: []time.Duration{time.Millisecond}})
	d, err := in.recorder().Doubt(t.Context(), out.id)
	in.must(err)
	in.must(r.recorder.Settle(t.Context(), d, command.Verdict{By: event.ByFlow, ChecksAfter: r.checks}))
	_, err = in.pool.Exec(t.Context(), `UPDATE late_checks SET since = since - interval '1 h', tries = 3`)
	in.must(err)
	checks := func() (n int) {
		in.must(in.pool.QueryRow(t.Context(), `SELECT count(*) FROM late_checks`).Scan(&n))
		return n
	}
	look := command.Look{ID: out.id, Late: true}
	r.checked(t.Context(), look, contracts.Errorf(contracts.Busy, "another command is about to do the same"))
	if checks() != 1 {
		t.Error("it is not looked for any more")
	}
	r.checked(t.Context(), look, contracts.Errorf(contracts.Unavailable, "the application is away"))
	if checks() != 0 {
		t.Error("the looks never end")
	}
}
