package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
)

// day is when the last late check is made, and half when the first is.
const day, half = 24 * time.Hour, 12 * time.Hour

// unseen is the verdict of a flow that has found nothing.
var unseen = command.Verdict{By: event.ByFlow, ChecksAfter: []time.Duration{half, day}}

// notShown carries out a command that the application does not show: it is
// looked at again.
func notShown(t *testing.T, p parts, r command.Recorder) request {
	t.Helper()
	q := doubtful(t, p, r)
	settle(t, p, q.id, unseen)
	return q
}

// again is the same request as another command.
func (q request) again() request {
	q.id = newRequest().id
	return q
}

// sendAtRisk is send by a caller who accepts that what a command did is done twice.
func (q request) sendAtRisk(ctx context.Context, r command.Recorder, risk string, act act) (any, error) {
	ctx = bus.WithIdentity(ctx, bus.Identity{CommandID: q.id, CallerID: q.caller, AccountID: q.account, DuplicateRisk: risk})
	return r.Middleware(q.op)(func(ctx context.Context, _ any) (any, error) { return act(ctx, command.From(ctx)) })(ctx, q.body)
}

func TestWhatMayStillAppearIsNotDoneAgainUnknowingly(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	earlier := notShown(t, p, r)
	end := last[event.CommandCompleted](t, p, earlier.id)
	if strings.Contains(end.Message, "nothing was done") || !strings.Contains(end.Message, "the application showed no order of it by "+time.Now().UTC().Format(time.DateOnly)) {
		t.Errorf("the caller is told %q", end.Message)
	}

	same := earlier.again()
	_, err := same.send(t.Context(), r, confirm)
	e := contracts.AsError(err)
	if e.Kind != contracts.Busy || e.RetryAfter < day-time.Minute || e.RetryAfter > day ||
		e.Outcome != contracts.NothingDone || !strings.Contains(e.Message, contracts.DuplicateRiskHeader+": "+earlier.id) {
		t.Errorf("the same again: %+v", e)
	}
	if got := types(p.events(t, same.id)); !cmp.Equal(got, []string{event.TypeCommandAccepted, event.TypeCommandRejected}) {
		t.Errorf("events %v", got)
	}
	if _, err := earlier.again().sendAtRisk(t.Context(), r, newRequest().id, confirm); contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("at the risk of another command: %v", err)
	}
	for name, change := range map[string]func(*request){
		"another content":   func(q *request) { q.body = &orderRequest{Item: "coffee", Address: q.body.Address} },
		"another account":   func(q *request) { q.account = "account-2" },
		"another operation": func(q *request) { q.op = fill },
	} {
		q := earlier.again()
		change(&q)
		if _, err := q.send(t.Context(), r, succeed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	linked := earlier.again()
	linked.account = "account-1b" // with the same user
	_, err = linked.send(t.Context(), r, confirm)
	if e := contracts.AsError(err); e.Kind != contracts.Busy || strings.Contains(e.Message, earlier.id) {
		t.Errorf("the same through another account: %+v", e)
	}

	atRisk := earlier.again()
	if _, err := atRisk.sendAtRisk(t.Context(), r, earlier.id, confirm); err != nil {
		t.Errorf("with the caller's consent: %v", err)
	}
	accepted, err := event.PayloadOf[event.CommandAccepted](p.events(t, atRisk.id)[0])
	first, err2 := event.PayloadOf[event.CommandAccepted](p.events(t, earlier.id)[0])
	if errors.Join(err, err2) != nil || accepted.Risk != earlier.id || accepted.Content != first.Content || accepted.Content == "" {
		t.Errorf("%+v, %v, %v", accepted, err, err2)
	}
}

func TestEffectThatAppearsLateIsRecordedAndTold(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	var told []string
	r.Late = func(id string) { told = append(told, id) }
	q := notShown(t, p, r)
	late := p.looks(t)
	if len(late) != 0 {
		t.Errorf("checks at once: %v", late)
	}
	d, err := r.Doubt(t.Context(), q.id)
	if err != nil || !d.Late {
		t.Fatalf("%+v, %v", d, err)
	}
	found := command.Verdict{Applied: true, By: event.ByFlow, Evidence: "Jane Roe's order", Result: &order{ID: "7", Address: "12 Elm Street"}}
	if err := r.Settle(t.Context(), d, found); err != nil {
		t.Fatal(err)
	}
	if err := r.Settle(t.Context(), d, found); !errors.Is(err, command.ErrSettled) {
		t.Errorf("found twice: %v", err)
	}
	if _, err := r.Doubt(t.Context(), q.id); contracts.AsError(err).Kind != contracts.Invalid {
		t.Errorf("it can be settled again: %v", err)
	}
	events := p.events(t, q.id)
	if got := types(events); len(got) != 6 || got[5] != event.TypeEffectFoundLate || !cmp.Equal(told, []string{q.id}) {
		t.Errorf("events %v, told of %v", got, told)
	}
	if data := string(events[5].Data); strings.Contains(data, "Jane") || strings.Contains(data, "Elm") || !strings.Contains(data, "sealed") {
		t.Errorf("the log holds %s", data)
	}
	answer, err := q.send(t.Context(), r, confirm)
	if raw, _ := answer.(json.RawMessage); err != nil || !strings.Contains(string(raw), "12 Elm Street") {
		t.Errorf("a repeat is told %s, %v", raw, err)
	}
	if n := p.count(t, `SELECT count(*) FROM late_checks`); n != 0 {
		t.Errorf("%d late checks are left", n)
	}
	if _, err := q.again().send(t.Context(), r, confirm); err != nil {
		t.Errorf("the same again, once it is known: %v", err)
	}
}

// A person's word, and the application's own refusal, are final.
func TestOnlyAFlowsVerdictIsProvisional(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := doubtful(t, p, r)
	settle(t, p, q.id, command.Verdict{By: event.ByOperator})
	if _, err := q.again().send(t.Context(), r, confirm); err != nil {
		t.Error(err)
	}
}

// pass has the late checks stand as if so much time had passed.
func (p parts) pass(t *testing.T, interval string) {
	t.Helper()
	_, err := newPool(t, p.url).Exec(t.Context(), `
		UPDATE late_checks SET since = since - $1::text::interval, check_at = check_at - $1::text::interval`, interval)
	if err != nil {
		t.Fatal(err)
	}
}

// What callers are told is true at the time: before the last late check, while it
// is made again and again in vain, and after it.
func TestCallersAreToldUntilWhenAnEffectIsLookedFor(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := notShown(t, p, r)
	const before, overdue = "is looked for until", "could not be done and is tried again"
	says := func(when string, want, not string) {
		t.Helper()
		_, repeat := q.send(t.Context(), r, never(t))
		_, same := q.again().send(t.Context(), r, succeed)
		for _, err := range []error{repeat, same} {
			e := contracts.AsError(err)
			if !strings.Contains(e.Message, want) || strings.Contains(e.Message, not) || !strings.Contains(e.Message, contracts.DuplicateRiskHeader+": "+q.id) {
				t.Errorf("%s: %v", when, err)
			}
		}
		if e := contracts.AsError(repeat); e.Outcome != contracts.NotKnown || e.RetryAfter < time.Minute {
			t.Errorf("%s: %+v", when, e)
		}
	}
	says("before the last check", before, overdue)
	p.pass(t, "25 h")
	says("when the last check is late", overdue, before)
	if _, err := newPool(t, p.url).Exec(t.Context(), `DELETE FROM late_checks`); err != nil {
		t.Fatal(err)
	}
	_, err := q.send(t.Context(), r, never(t))
	if e := contracts.AsError(err); !e.Final || !strings.Contains(e.Message, "showed no order of it by") || strings.Contains(e.Message, "until") {
		t.Errorf("after the last check: %+v", e)
	}
}

func TestLateChecksComeAtTheirTimesAndEnd(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := notShown(t, p, r)
	pass := func(interval string) { p.pass(t, interval) }
	check := func() command.Look {
		l, due := p.looks(t)[q.id]
		if !due || !l.Late || !l.Due {
			t.Fatalf("no late check is due: %+v", l)
		}
		if mine, err := p.register.Claim(t.Context(), l); !mine || err != nil {
			t.Fatalf("not claimed: %v", err)
		}
		if mine, err := p.register.Claim(t.Context(), l); mine || err != nil {
			t.Errorf("claimed twice: %v", err)
		}
		return l
	}
	pass("13 h")
	first := check()
	for range 2 { // the second says nothing new
		if err := p.register.Checked(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	if l := p.looks(t); len(l) != 0 {
		t.Errorf("after the first check: %v", l)
	}
	pass("12 h")
	second := check() // breaks off
	if gaveUp, err := p.register.GiveUp(t.Context(), second); gaveUp || err != nil {
		t.Errorf("given up after one try, %v", err)
	}
	if _, err := q.again().send(t.Context(), r, confirm); contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("before the last check has told anything: %v", err)
	}
	pass("1 h")
	if err := p.register.Checked(t.Context(), check()); err != nil {
		t.Fatal(err)
	}
	if n := p.count(t, `SELECT count(*) FROM late_checks`); n != 0 {
		t.Errorf("%d late checks are left", n)
	}
	if _, err := q.again().send(t.Context(), r, confirm); err != nil {
		t.Errorf("after the last check: %v", err)
	}
}

// What is found late may have been done by hand meanwhile, too.
func TestWhatAPersonMayHaveDoneIsNotFoundLate(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for name, ended := range map[string]bool{"open": false, "closed": true} {
		t.Run(name, func(t *testing.T) {
			q := newRequest()
			q.account = "account-" + name
			if _, err := q.send(t.Context(), r, breakOff); err == nil {
				t.Fatal("it succeeded")
			}
			settle(t, p, q.id, unseen)
			session := event.SessionStream(uuid.NewString())
			appendTo(t, p, session, q.account, event.SessionOpened{User: userOf(q.account)})
			if ended {
				appendTo(t, p, session, q.account, event.SessionClosed{})
			}
			d, err := r.Doubt(t.Context(), q.id)
			if err != nil {
				t.Fatal(err)
			}
			found := command.Verdict{Applied: true, By: event.ByFlow, Result: &order{ID: "7"}}
			if err := r.Settle(t.Context(), d, found); contracts.AsError(err).Kind != contracts.Invalid {
				t.Errorf("got %v: %v", err, types(p.events(t, q.id)))
			}
			found.Named = true
			if err := r.Settle(t.Context(), d, found); err != nil {
				t.Error(err)
			}
		})
	}
}

// What another command is about to do must not be taken for what appeared late.
func TestLateCheckLeavesTheEffectOfACommandUnderWay(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	earlier := creating("account-1")
	if _, err := earlier.send(t.Context(), r, breakOff); err == nil {
		t.Fatal("it succeeded")
	}
	settle(t, p, earlier.id, unseen)
	same := earlier.again()
	_, err := same.sendAtRisk(t.Context(), r, earlier.id, func(ctx context.Context, c *command.Command) (*order, error) {
		if err := start(ctx, c); err != nil {
			return nil, err
		}
		d, err := r.Doubt(ctx, earlier.id)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Settle(ctx, d, command.Verdict{Applied: true, By: event.ByFlow, Creates: "id", Result: &order{ID: "7"}})
		if contracts.AsError(err).Kind != contracts.Busy {
			t.Errorf("the late check: %v", err)
		}
		return &order{ID: "7"}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Another command of the user begins and ends while a late check looks. What the
// check finds may be its effect, unless that tells whose it is.
func TestLateCheckLeavesTheEffectOfACommandThatHasEnded(t *testing.T) {
	t.Parallel()
	found := command.Verdict{Applied: true, By: event.ByFlow, Result: &order{ID: "7"}}
	named, identified := found, found
	named.Named, identified.Creates = true, "id"
	refuse := act(func(ctx context.Context, c *command.Command) (*order, error) {
		err := start(ctx, c)
		c.Refuse()
		return nil, errors.Join(err, contracts.Errorf(contracts.Rejected, "no"))
	})
	for name, c := range map[string]struct {
		change  func(*request) // of the command that is carried out meanwhile
		act     act
		rebuilt bool
		verdict command.Verdict
		leaves  bool
	}{
		"the same":                   {act: confirm, verdict: found, leaves: true},
		"another content":            {change: func(q *request) { q.body = &orderRequest{Item: "coffee"} }, act: confirm, verdict: found, leaves: true},
		"through another account":    {change: func(q *request) { q.account = "account-1b" }, act: confirm, verdict: found, leaves: true},
		"in doubt":                   {act: breakOff, verdict: found, leaves: true},
		"restored to the log":        {act: confirm, rebuilt: true, verdict: found, leaves: true},
		"refused":                    {act: refuse, verdict: found},
		"of another user":            {change: func(q *request) { q.account = "account-2" }, act: confirm, verdict: found},
		"of another kind":            {change: func(q *request) { q.op = fill }, act: succeed, verdict: found},
		"found by the command's id":  {act: confirm, verdict: named},
		"found with an order number": {act: confirm, verdict: identified},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newParts(t)
			r := p.recorder(t)
			earlier := notShown(t, p, r)
			d, err := r.Doubt(t.Context(), earlier.id)
			if err != nil {
				t.Fatal(err)
			}
			q := earlier.again()
			if c.change != nil {
				c.change(&q)
			}
			_, _ = q.sendAtRisk(t.Context(), r, earlier.id, c.act)
			if name == "in doubt" {
				settle(t, p, q.id, command.Verdict{By: event.ByFlow})
			}
			if c.rebuilt {
				if _, err := newPool(t, p.url).Exec(t.Context(), `UPDATE late_checks SET others = false`); err != nil {
					t.Fatal(err)
				}
				rebuild(t, p, q.id)
			}
			err = r.Settle(t.Context(), d, c.verdict)
			if contracts.AsError(err).Kind == contracts.Invalid != c.leaves || (err == nil) == c.leaves {
				t.Errorf("the late check: %v; the other's events are %v", err, types(p.events(t, q.id)))
			}
		})
	}
}

// The user can be unknown at the first attempt, as while its site is installed.
func TestLateEffectIsTheUsersOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	without := r
	without.User = func(context.Context) (string, error) { return "", nil }
	q := newRequest()
	if _, err := q.send(t.Context(), without, fails(contracts.NotImplemented)); contracts.AsError(err).Final {
		t.Fatal(err)
	}
	if _, err := q.send(t.Context(), r, breakOff); contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatal(err)
	}
	settle(t, p, q.id, unseen)
	if _, err := q.again().send(t.Context(), r, confirm); contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("got %v: the same is done again, while it may still appear", err)
	}
}

// settlesMeanwhile is a log in which an effect is found late right after a stream
// was read.
type settlesMeanwhile struct {
	command.Log
	find func()
}

func (l settlesMeanwhile) Stream(ctx context.Context, stream string) ([]event.Event, error) {
	events, err := l.Log.Stream(ctx, stream)
	l.find()
	return events, err
}

// The last word must not be that nothing was done, where the effect is found while
// the answer is read.
func TestAnswerIsNotTheVerdictThatAnEffectHasJustOvertaken(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	q := notShown(t, p, r)
	d, err := r.Doubt(t.Context(), q.id)
	if err != nil {
		t.Fatal(err)
	}
	find := sync.OnceFunc(func() {
		if err := r.Settle(t.Context(), d, command.Verdict{Applied: true, By: event.ByFlow, Result: &order{ID: "7"}}); err != nil {
			t.Error(err)
		}
	})
	slow := r
	slow.Log = settlesMeanwhile{r.Log, find}
	if _, err := q.send(t.Context(), slow, confirm); err != nil {
		t.Errorf("got %v", err)
	}
}
