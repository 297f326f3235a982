package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/command"
)

// create is an operation whose effect creates an order with an id.
var create = contracts.Operation[orderRequest, order]{Integration: "shop", Name: "create", Effect: contracts.Order, Creates: "id"}.Info()

// creating is a request of it, for an account.
func creating(account string) request {
	q := newRequest()
	q.op, q.account = create, account
	return q
}

// placing starts the effect and answers with an order of that id.
func placing(id string) act {
	return func(ctx context.Context, c *command.Command) (*order, error) {
		c.Knew(map[string]any{"ordersBefore": []any{"1", 2}})
		return &order{ID: id}, start(ctx, c)
	}
}

// settleBy tries to settle a command by what a flow has found.
func settleBy(t *testing.T, p parts, r command.Recorder, id string, v command.Verdict) error {
	t.Helper()
	v.By, v.Creates = event.ByFlow, create.Creates
	d, err := r.Doubt(t.Context(), id)
	if err == nil {
		err = r.Open(t.Context(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = r.Settle(t.Context(), d, v)
	if events := types(p.events(t, id)); err != nil && events[len(events)-1] != event.TypeEffectUnknown {
		t.Errorf("it is not settled, and its events are %v", events)
	}
	return err
}

// stays fails the test unless a verdict did not settle its command, and a
// person is asked to look.
func stays(t *testing.T, what string, err error) {
	t.Helper()
	if e := contracts.AsError(err); err == nil || e.Kind != contracts.Invalid || !strings.Contains(e.Message, "look at the application") {
		t.Errorf("%s settled the command: %v", what, err)
	}
}

// One user is linked twice. An order of the one account is neither the result
// nor the evidence of the other's, in whatever way that is told.
func TestOrderBelongsToOneCommand(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	if _, err := creating("account-1").send(t.Context(), r, placing("7")); err != nil {
		t.Fatal(err)
	}
	if _, err := creating("account-2").send(t.Context(), r, placing("7")); err != nil {
		t.Errorf("order 7 of another user: %v", err)
	}

	q := creating("account-1b")
	answer, err := q.send(t.Context(), r, placing("7"))
	if contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatalf("it is answered with the other's order: %v, %v", answer, err)
	}
	if unknown := last[event.EffectUnknown](t, p, q.id); !strings.Contains(unknown.Message, "belongs to another command") {
		t.Errorf("got %+v", unknown)
	}
	stays(t, "the other's order", settleBy(t, p, r, q.id, command.Verdict{Applied: true, Evidence: map[string]string{"id": "7"}}))
	if err := settleBy(t, p, r, q.id, command.Verdict{Applied: true, Result: &order{ID: "8"}}); err != nil {
		t.Errorf("an order of its own: %v", err)
	}
	if _, err := creating("account-1").send(t.Context(), r, placing("8")); contracts.AsError(err).Kind != contracts.Unknown {
		t.Errorf("what a reconciliation found belongs to nobody: %v", err)
	}
}

// Others have put the effect in doubt when its own instance comes back, with
// the order of another command.
func TestOrderOfAnotherCommandSettlesNothingAfterwards(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	if _, err := creating("account-1").send(t.Context(), p.recorder(t), placing("7")); err != nil {
		t.Fatal(err)
	}
	q, r, others := creating("account-1b"), p.recorder(t), p.recorder(t)
	_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
		result, err := placing("7")(ctx, c)
		bury(t, p, r.Instance)
		sweep(t, others)
		return result, err
	})
	if contracts.AsError(err).Kind != contracts.Unknown || !strings.Contains(err.Error(), "belongs to another command") {
		t.Errorf("got %v", err)
	}
	last[event.EffectUnknown](t, p, q.id)
}

func TestWhatWasThereBeforeIsNotTheOrder(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for _, old := range []string{"1", "2"} {
		q := creating("account-" + old)
		answer, err := q.send(t.Context(), r, placing(old))
		if contracts.AsError(err).Kind != contracts.Unknown || !strings.Contains(last[event.EffectUnknown](t, p, q.id).Message, "was there before") {
			t.Fatalf("it is answered with order %s: %v, %v", old, answer, err)
		}
		if old == "1" { // which the log has among what was known
			stays(t, "what was there before", settleBy(t, p, r, q.id, command.Verdict{Applied: true, Result: &order{ID: old}}))
		}
	}
}

func TestWritesOfAUserWaitThroughWhicheverAccount(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	finish := hold(t, p, creating("account-1"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := creating("account-1b").send(ctx, r, func(context.Context, *command.Command) (*order, error) {
		t.Error("a write of the same user was begun")
		return nil, nil
	})
	if contracts.AsError(err).Kind != contracts.Busy {
		t.Errorf("got %v", err)
	}
	if err := finish(); err != nil {
		t.Fatal(err)
	}

	doubt := creating("account-1")
	if _, err := doubt.send(t.Context(), r, breakOff); contracts.AsError(err).Kind != contracts.Unknown {
		t.Fatal(err)
	}
	q := creating("account-1b")
	_, err = q.send(t.Context(), r, confirm)
	if e := contracts.AsError(err); e.Kind != contracts.Busy || e.RetryAfter == 0 || e.Outcome != contracts.NothingDone || strings.Contains(e.Message, doubt.id) {
		t.Errorf("beside a doubt of another account of the user: %v", err)
	}
	// It was accepted before its user was known.
	old := creating("account-3")
	accept(t, p, old)
	if p.count(t, `SELECT granted::integer FROM lease_user($1, 1)`, old.id) != 1 {
		t.Fatal("no lease")
	}
	for version, payload := range []event.Payload{event.EffectStarted{Effect: contracts.Order}, event.EffectUnknown{}} {
		appendTo(t, p, event.CommandStream(old.id), int64(version+1), "account-3", payload)
	}
	if _, err := creating("account-3").send(t.Context(), r, confirm); contracts.AsError(err).Kind != contracts.Busy || !strings.Contains(err.Error(), old.id) {
		t.Errorf("beside a doubt of the same account whose user is not known: %v", err)
	}
}

// appendTo appends an event of an account to a stream.
func appendTo(t *testing.T, p parts, stream string, version int64, account string, payload event.Payload) {
	t.Helper()
	e, err := event.New(payload)
	if err != nil {
		t.Fatal(err)
	}
	e.Integration, e.Account = "shop", account
	if _, err := p.log.Append(t.Context(), stream, version, e); err != nil {
		t.Fatal(err)
	}
}

func TestWriteWhoseUserIsNotKnownIsNotBegun(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	r.User = func(context.Context) (string, error) { return "", errors.New("the vault is away") }
	_, err := q.send(t.Context(), r, confirm)
	if e := contracts.AsError(err); e.Kind != contracts.Unavailable || e.RetryAfter == 0 || e.Outcome != contracts.NotBegun {
		t.Errorf("got %v", err)
	}
	if events := p.events(t, q.id); len(events) != 0 {
		t.Errorf("the log holds %v", types(events))
	}
	q.op = read
	if _, err := q.send(t.Context(), r, succeed); err != nil {
		t.Errorf("a read: %v", err)
	}
}

// A person may have done by hand what a flow finds, in a session that was open
// beside the command, through another account of the user.
func TestSessionOfTheUserLeavesTheDoubtToAPerson(t *testing.T) {
	t.Parallel()
	opened, closed := event.SessionOpened{User: userOf("account-1")}, event.SessionClosed{Reason: event.SessionReleased}
	for name, c := range map[string]struct {
		before, beside, after []event.Payload // of the effect, in the session's stream
		attended              bool
	}{
		"there was none":                     {},
		"it had ended before":                {before: []event.Payload{opened, closed}},
		"it was open all the time":           {before: []event.Payload{opened}, attended: true},
		"it ended beside the effect":         {before: []event.Payload{opened}, beside: []event.Payload{closed}, attended: true},
		"it was opened and ended in between": {after: []event.Payload{opened, closed}, attended: true},
		"it was opened after the effect":     {after: []event.Payload{opened}, attended: true},
		"it is another user's":               {after: []event.Payload{event.SessionOpened{User: "another"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, session := newParts(t), event.SessionStream(uuid.NewString())
			r, version := p.recorder(t), int64(0)
			happens := func(payloads []event.Payload) {
				for _, payload := range payloads {
					appendTo(t, p, session, version, "account-1b", payload)
					version++
				}
			}
			happens(c.before)
			doubtful := func() string {
				q := creating("account-1")
				_, err := q.send(t.Context(), r, func(ctx context.Context, c2 *command.Command) (*order, error) {
					result, err := breakOff(ctx, c2)
					happens(c.beside)
					return result, err
				})
				if contracts.AsError(err).Kind != contracts.Unknown {
					t.Fatal(err)
				}
				happens(c.after)
				return q.id
			}
			id := doubtful()
			err := settleBy(t, p, r, id, command.Verdict{Applied: true, Result: &order{ID: "7"}})
			if !c.attended {
				if err != nil {
					t.Error(err)
				}
				return
			}
			stays(t, "what may be a person's order", err)
			if err := settleBy(t, p, r, id, command.Verdict{Applied: true, Named: true, Result: &order{ID: "7"}}); err != nil {
				t.Errorf("by the command's own id: %v", err)
			}
			c.before, c.beside, c.after = nil, nil, nil
			if version == 1 { // a session that is still open
				id = doubtful()
				stays(t, "what may be a person's order", settleBy(t, p, r, id, command.Verdict{Applied: true, Result: &order{ID: "8"}}))
				if err := settleBy(t, p, r, id, command.Verdict{}); err != nil {
					t.Errorf("not applied: %v", err)
				}
			}
		})
	}
}

func TestEachDoubtMakesTheBrowserStateOlder(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	r := p.recorder(t)
	for doubts := range int64(3) {
		q := creating("account-1")
		_, err := q.send(t.Context(), r, func(ctx context.Context, c *command.Command) (*order, error) {
			if c.Generation != doubts {
				t.Errorf("a write learns generation %d, want %d", c.Generation, doubts)
			}
			return breakOff(ctx, c)
		})
		if contracts.AsError(err).Kind != contracts.Unknown {
			t.Fatal(err)
		}
		if n, err := p.register.Generation(t.Context(), "account-1"); n != doubts+1 || err != nil {
			t.Errorf("generation %d, %v, after %d doubts", n, err, doubts+1)
		}
		settle(t, p, q.id, command.Verdict{By: event.ByFlow})
	}
	if n, err := p.register.Generation(t.Context(), "account-2"); n != 0 || err != nil {
		t.Errorf("generation %d, %v, without any doubt", n, err)
	}
}
