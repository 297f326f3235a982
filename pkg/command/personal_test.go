package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/vault"
)

// desk records commands of one account, which can be erased meanwhile.
type desk struct {
	parts   parts
	log     *eventlog.Log
	vault   *vault.Vault
	account string
	request any
	sealer  command.Sealer

	patience time.Duration // 0: the recorder's own
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	p := newParts(t)
	return &desk{
		parts: p, log: p.log, vault: p.vault, account: "account-1",
		request: &orderRequest{Item: "tea", Address: "12 Elm Street"}, sealer: p.vault,
	}
}

// record is the function of the same name, on the desk's stores.
func (d *desk) record(t *testing.T, act act) ([]event.Event, error) {
	t.Helper()
	recorder := d.parts.recorder(t)
	recorder.Sealer = d.sealer
	if d.patience > 0 {
		recorder = recorder.WithPatience(d.patience)
	}
	id := uuid.NewString()
	ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: id, CallerID: "caller-1", AccountID: d.account})
	_, err := recorder.Middleware(place)(func(ctx context.Context, _ any) (any, error) {
		return act(ctx, command.From(ctx))
	})(ctx, d.request)
	events, readErr := d.log.Stream(t.Context(), event.CommandStream(id))
	if readErr != nil {
		t.Fatal(readErr)
	}
	return events, err
}

// words are an answer of an application that names a person.
const words = "The card of Jane Roe was declined"

// The ways in which the application's own words end a command, with the events
// that follow command.accepted.
var refusals = map[string]struct {
	act  act
	want []string
}{
	"refused before the effect": {
		func(context.Context, *command.Command) (*order, error) { return nil, quoting(contracts.Rejected) },
		[]string{event.TypeCommandRejected},
	},
	"failed before the effect": {
		func(context.Context, *command.Command) (*order, error) { return nil, quoting(contracts.Fault) },
		[]string{event.TypeCommandCompleted},
	},
	"refused at the effect": {
		func(ctx context.Context, c *command.Command) (*order, error) {
			if err := start(ctx, c); err != nil {
				return nil, err
			}
			c.Refuse()
			return nil, quoting(contracts.Rejected)
		},
		[]string{event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted},
	},
	"in doubt": {
		func(ctx context.Context, c *command.Command) (*order, error) {
			if err := start(ctx, c); err != nil {
				return nil, err
			}
			return nil, quoting(contracts.Unknown)
		},
		[]string{event.TypeEffectStarted, event.TypeEffectUnknown},
	},
}

func quoting(kind contracts.Kind) error {
	return &contracts.Error{Kind: kind, Message: words, Quotes: true}
}

func types(events []event.Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Type)
	}
	return all
}

func TestWordsOfTheApplicationAreSealedInTheLog(t *testing.T) {
	t.Parallel()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			events, err := d.record(t, c.act)
			if err == nil || err.Error() != words {
				t.Errorf("the caller is told %v", err)
			}
			if diff := cmp.Diff(append([]string{event.TypeCommandAccepted}, c.want...), types(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			for _, e := range events {
				quotes := e.Type != event.TypeCommandAccepted && e.Type != event.TypeEffectStarted
				if strings.Contains(string(e.Data), "Jane") || quotes != strings.Contains(string(e.Data), `"message":"the application refused`) {
					t.Errorf("%s: %s", e.Type, e.Data)
				}
				opened, err := d.vault.OpenFields(t.Context(), d.account, e.Data)
				if err != nil || quotes != strings.Contains(string(opened), `"quote":"`+words+`"`) {
					t.Errorf("%s opens as %s, %v", e.Type, opened, err)
				}
			}
		})
	}
}

func TestWordsForNoAccountAreWithheld(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.account, d.request = "", &struct{}{}
	events, err := d.record(t, refusals["refused before the effect"].act)
	if err == nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	rejected, err := event.PayloadOf[event.CommandRejected](events[1])
	if err != nil || rejected.Quote != nil || strings.Contains(rejected.Message, "Jane") {
		t.Errorf("%+v, %v", rejected, err)
	}
}

// The account is erased while the command is under way: its end is recorded all
// the same, without what can be sealed no more.
func TestCommandOfAnAccountThatIsErasedMeanwhileEndsInTheLog(t *testing.T) {
	t.Parallel()
	erasing := func(d *desk, act act) act {
		return func(ctx context.Context, c *command.Command) (*order, error) {
			if err := d.vault.Erase(ctx, d.account); err != nil {
				return nil, err
			}
			return act(ctx, c)
		}
	}
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			events, err := d.record(t, erasing(d, c.act))
			if err == nil || err.Error() != words {
				t.Errorf("the caller is told %v", err)
			}
			if diff := cmp.Diff(append([]string{event.TypeCommandAccepted}, c.want...), types(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if last := string(events[len(events)-1].Data); strings.Contains(last, "quote") || strings.Contains(last, "Jane") {
				t.Errorf("the last event holds %s", last)
			}
		})
	}
	t.Run("succeeded", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		events, err := d.record(t, erasing(d, func(ctx context.Context, c *command.Command) (*order, error) {
			return &order{ID: "7", Address: "12 Elm Street"}, start(ctx, c)
		}))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted}
		if diff := cmp.Diff(want, types(events)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		completed, err := event.PayloadOf[event.CommandCompleted](events[3])
		if err != nil || completed.Outcome != event.Succeeded || completed.Result != nil {
			t.Errorf("got %+v, %v", completed, err)
		}
	})
}

func TestErasedAccountAcceptsNoCommand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := d.vault.Erase(t.Context(), d.account); err != nil {
		t.Fatal(err)
	}
	events, err := d.record(t, func(context.Context, *command.Command) (*order, error) {
		t.Error("the command was carried out")
		return nil, nil
	})
	var e *contracts.Error
	if !errors.As(err, &e) || e.Kind != contracts.Unauthorized || !strings.Contains(e.Message, "erased") {
		t.Errorf("got %v", err)
	}
	if len(events) != 0 {
		t.Errorf("%d events", len(events))
	}
}

// stuck is a sealer whose database stops answering after some calls.
type stuck struct {
	command.Sealer
	left int
}

func (s *stuck) answer(ctx context.Context) error {
	if s.left--; s.left >= 0 {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *stuck) SealFields(ctx context.Context, account string, v any) (json.RawMessage, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	return s.Sealer.SealFields(ctx, account, v)
}

func (s *stuck) SealValue(ctx context.Context, account string, v any) (json.RawMessage, error) {
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	return s.Sealer.SealValue(ctx, account, v)
}

func TestEndIsRecordedThoughNothingCanBeSealed(t *testing.T) {
	t.Parallel()
	succeeds := act(func(ctx context.Context, c *command.Command) (*order, error) {
		return &order{ID: "7", Address: "12 Elm Street"}, start(ctx, c)
	})
	for name, c := range map[string]struct {
		act  act
		want []string
	}{
		"succeeded": {succeeds, []string{event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted}},
		"refused":   refusals["refused at the effect"],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.sealer, d.patience = &stuck{d.vault, 1}, time.Millisecond // 1: of the request
			events, err := d.record(t, c.act)
			if (err == nil) != (name == "succeeded") || err != nil && err.Error() != words {
				t.Errorf("the caller is told %v", err)
			}
			if diff := cmp.Diff(append([]string{event.TypeCommandAccepted}, c.want...), types(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResultThatIsTooLongToBeKeptIsNotSealed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.sealer = &stuck{d.vault, 1} // 1: of the request
	events, err := d.record(t, func(ctx context.Context, c *command.Command) (*order, error) {
		return &order{ID: "7", Address: strings.Repeat("x", event.MaxDataBytes)}, start(ctx, c)
	})
	if err != nil || len(events) != 4 {
		t.Errorf("%v after %v", err, types(events))
	}
}

// away is a sealer whose database cannot be reached for some calls.
type away struct {
	command.Sealer
	calls, from, to int
}

func (a *away) SealFields(ctx context.Context, account string, v any) (json.RawMessage, error) {
	if a.calls++; a.calls > a.from && a.calls <= a.to {
		return nil, errors.New("connection refused")
	}
	return a.Sealer.SealFields(ctx, account, v)
}

// A result that could not be sealed at first is kept all the same: who repeats
// the request gets it.
func TestResultIsKeptOnceTheVaultIsBack(t *testing.T) {
	t.Parallel()
	p, q := newParts(t), newRequest()
	r := p.recorder(t)
	r.Sealer = &away{Sealer: p.vault, from: 1, to: 3}
	if _, err := q.send(t.Context(), r, confirm); contracts.AsError(err).Kind != contracts.Unknown {
		t.Errorf("the caller is told %v before the result is kept", err)
	}
	until(t, "the end is recorded", func() bool { return len(p.events(t, q.id)) == 4 })
	if end := last[event.CommandCompleted](t, p, q.id); len(end.Result) == 0 {
		t.Error("the result was not kept")
	}
}
