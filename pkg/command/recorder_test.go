package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
)

type orderRequest struct {
	Item    string `json:"item"`
	Address string `json:"address" sensitive:"true"`
}

type order struct {
	ID      string `json:"id"`
	Address string `json:"address" sensitive:"true"`
}

// The operations of the tests.
var (
	place = contracts.Operation[orderRequest, order]{Integration: "shop", Name: "place", Effect: contracts.Order}.Info()
	fill  = contracts.Operation[orderRequest, order]{Integration: "shop", Name: "fill", Effect: contracts.Cart}.Info()
	read  = contracts.Operation[orderRequest, order]{Integration: "shop", Name: "show"}.Info()
)

// act is what an operation does while it is recorded.
type act func(ctx context.Context, c *command.Command) (*order, error)

// record carries out a command whose operation does what act says, and returns
// its events as the log holds them and its error.
func record(t *testing.T, act act) ([]event.Event, error) {
	t.Helper()
	p := newParts(t)
	recorder, log := p.recorder(t), p.log
	id := uuid.NewString()
	ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: id, CallerID: "caller-1", AccountID: "account-1"})
	_, err := recorder.Middleware(place)(func(ctx context.Context, _ any) (any, error) {
		return act(ctx, command.From(ctx))
	})(ctx, &orderRequest{Item: "tea", Address: "12 Elm Street"})
	events, readErr := log.Stream(t.Context(), event.CommandStream(id))
	if readErr != nil {
		t.Fatal(readErr)
	}
	return events, err
}

func start(ctx context.Context, c *command.Command) error {
	return c.Start(ctx, contracts.Order, []byte(`{"known":["1"]}`))
}

func TestEventsTellHowACommandEnded(t *testing.T) {
	t.Parallel()
	refusal := contracts.Errorf(contracts.Rejected, "the card was declined")
	for name, c := range map[string]struct {
		act  act
		want []string
	}{
		"a read that succeeds": {
			func(context.Context, *command.Command) (*order, error) { return &order{}, nil },
			[]string{event.TypeCommandAccepted, event.TypeCommandCompleted},
		},
		"a request that the application refuses": {
			func(context.Context, *command.Command) (*order, error) { return nil, refusal },
			[]string{event.TypeCommandAccepted, event.TypeCommandRejected},
		},
		"a failure before the effect": {
			func(context.Context, *command.Command) (*order, error) { return nil, errors.New("browser died") },
			[]string{event.TypeCommandAccepted, event.TypeCommandCompleted},
		},
		"an effect that is confirmed": {
			func(ctx context.Context, c *command.Command) (*order, error) { return &order{}, start(ctx, c) },
			[]string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectConfirmed, event.TypeCommandCompleted},
		},
		"an effect that the application refuses": {
			func(ctx context.Context, c *command.Command) (*order, error) {
				if err := start(ctx, c); err != nil {
					return nil, err
				}
				c.Refuse()
				return nil, refusal
			},
			[]string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted},
		},
		"a failure after the effect started": {
			func(ctx context.Context, c *command.Command) (*order, error) {
				return nil, errors.Join(start(ctx, c), errors.New("browser died"))
			},
			[]string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown},
		},
		"a deadline that passes meanwhile": {
			func(ctx context.Context, c *command.Command) (*order, error) {
				ctx, cancel := context.WithCancel(ctx)
				err := start(ctx, c)
				cancel()
				return nil, errors.Join(err, ctx.Err())
			},
			[]string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectUnknown},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, _ := record(t, c.act)
			var got []string
			for _, e := range events {
				got = append(got, e.Type)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if err := event.VerifyStream(events); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEventsNameTheirOriginAndHidePersonalData(t *testing.T) {
	t.Parallel()
	events, err := record(t, func(context.Context, *command.Command) (*order, error) {
		return &order{ID: "7", Address: "12 Elm Street"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Integration != "shop" || e.Operation != "place" || e.Caller != "caller-1" || e.Account != "account-1" {
			t.Errorf("%s names another origin: %+v", e.Type, e)
		}
		if strings.Contains(string(e.Data), "Elm") {
			t.Errorf("%s holds personal data: %s", e.Type, e.Data)
		}
	}
	accepted, err := event.PayloadOf[event.CommandAccepted](events[0])
	if err != nil {
		t.Fatal(err)
	}
	if accepted.Site != "corner-shop" || accepted.SiteHash != "abc" || !strings.Contains(string(accepted.Request), `"item":"tea"`) {
		t.Errorf("got %+v", accepted)
	}
}

func TestCallerIsNeverToldThatACommandInDoubtIsSafe(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{
		errors.New("decode the result"), context.DeadlineExceeded,
		&contracts.Error{Kind: contracts.Timeout, Message: "trying again is safe"},
	} {
		_, err := record(t, func(ctx context.Context, c *command.Command) (*order, error) {
			if err := start(ctx, c); err != nil {
				return nil, err
			}
			return nil, cause
		})
		if got := contracts.AsError(err); got.Kind != contracts.Unknown || !errors.Is(err, cause) || strings.Contains(got.Message, "safe") {
			t.Errorf("%v becomes %s: %v", cause, got.Kind, err)
		}
	}
}

func TestResultTooLongForAnEventReachesTheCaller(t *testing.T) {
	t.Parallel()
	for name, effect := range map[string]bool{"read": false, "effect": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := record(t, func(ctx context.Context, c *command.Command) (*order, error) {
				result := &order{Address: strings.Repeat("x", event.MaxDataBytes)}
				if effect {
					return result, start(ctx, c)
				}
				return result, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			completed, err := event.PayloadOf[event.CommandCompleted](events[len(events)-1])
			if err != nil || completed.Outcome != event.Succeeded || completed.Result != nil {
				t.Errorf("got %+v, %v", completed, err)
			}
		})
	}
}

func TestEffectWithTooMuchToRecordIsNotStarted(t *testing.T) {
	t.Parallel()
	events, err := record(t, func(ctx context.Context, c *command.Command) (*order, error) {
		return nil, c.Start(ctx, contracts.Order, []byte(`"`+strings.Repeat("x", event.MaxDataBytes)+`"`))
	})
	if got := contracts.AsError(err).Kind; got != contracts.Fault {
		t.Errorf("got %v", err)
	}
	if last := events[len(events)-1]; len(events) != 2 || last.Type != event.TypeCommandCompleted {
		t.Errorf("the last of %d events is %s", len(events), last.Type)
	}
}

func TestSecondEffectIsRefused(t *testing.T) {
	t.Parallel()
	events, _ := record(t, func(ctx context.Context, c *command.Command) (*order, error) {
		if err := start(ctx, c); err != nil {
			return nil, err
		}
		if err := start(ctx, c); !errors.Is(err, command.ErrEffectTwice) {
			t.Errorf("got %v", err)
		}
		return &order{}, nil
	})
	if len(events) != 4 {
		t.Errorf("got %d events", len(events))
	}
}

func TestAppendThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script []step
		effect bool
		want   contracts.Kind
		acts   bool
	}{
		"of accepted: nothing is done":            {nil, true, contracts.Unavailable, false},
		"of effect.started: the act must not be":  {[]step{kept}, true, contracts.Unavailable, false},
		"of the end after an effect: unknown":     {[]step{kept, kept}, true, contracts.Unknown, true},
		"of the end of a read: safe to try again": {[]step{kept}, false, contracts.Unavailable, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorder := newParts(t).recorder(t)
			recorder.Log = &scripted{Log: recorder.Log, steps: c.script, then: lost}
			acted := false
			ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: uuid.NewString(), AccountID: "account-1"})
			_, err := recorder.Middleware(place)(func(ctx context.Context, _ any) (any, error) {
				if !c.effect {
					return &order{}, nil
				}
				if err := start(ctx, command.From(ctx)); err != nil {
					return nil, err
				}
				acted = true
				return &order{}, nil
			})(ctx, &orderRequest{})
			if got := contracts.AsError(err).Kind; got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
			if acted != c.acts {
				t.Errorf("acted: %v", acted)
			}
		})
	}
}

func TestEffectWhoseStartWasNotAcknowledgedIsNotApplied(t *testing.T) {
	t.Parallel()
	for _, outcome := range []step{unheard, lost} {
		p := newParts(t)
		recorder, log := p.recorder(t), p.log
		recorder.Log = &scripted{Log: log, steps: []step{kept, outcome}}
		id := uuid.NewString()
		ctx := bus.WithIdentity(t.Context(), bus.Identity{CommandID: id, AccountID: "account-1"})
		_, err := recorder.Middleware(place)(func(ctx context.Context, _ any) (any, error) {
			return nil, start(ctx, command.From(ctx))
		})(ctx, &orderRequest{})
		if got := contracts.AsError(err).Kind; got != contracts.Unavailable {
			t.Errorf("got %v", err)
		}
		events, err := log.Stream(t.Context(), event.CommandStream(id))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			got = append(got, e.Type)
		}
		want := []string{event.TypeCommandAccepted, event.TypeEffectStarted, event.TypeEffectNotApplied, event.TypeCommandCompleted}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("outcome %v: events (-want +got):\n%s", outcome, diff)
		}
	}
}

func TestRequestWithoutCommandIDIsRefused(t *testing.T) {
	t.Parallel()
	recorder := newParts(t).recorder(t)
	_, err := recorder.Middleware(place)(func(context.Context, any) (any, error) {
		t.Error("the operation was carried out")
		return nil, nil
	})(t.Context(), &orderRequest{})
	if got := contracts.AsError(err).Kind; got != contracts.Invalid {
		t.Errorf("got %v", err)
	}
}
