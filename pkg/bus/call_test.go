package bus_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

func TestServiceThatDoesNotRunIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	_, err := call(t, nc)
	if !errors.Is(err, nats.ErrNoResponders) || kindOf(t, err) != contracts.Unavailable {
		t.Errorf("got %v, want an Unavailable error because nobody listens", err)
	}
}

func TestMethodEndsAtItsOperationsLimitWhateverTheRequestSays(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	op := greet
	op.Timeout = time.Second
	srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Logger: slog.New(slog.DiscardHandler)})
	bus.Handle(srv, op, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > op.Timeout {
			t.Errorf("the method may run until %v", deadline)
		}
		return &greeting{}, nil
	})
	if err := srv.Start(nc); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, nc); err != nil { // which asks for an answer within 20 s
		t.Error(err)
	}
	if err := srv.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// The end of a command is recorded after its deadline, and that takes a while.
func TestAnswerThatComesSomewhatLateIsStillTheServices(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1}, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
		<-ctx.Done()
		<-time.After(3 * time.Second)
		return &greeting{Text: "late"}, nil
	})
	op := greet.Info()
	op.Timeout = time.Second
	var res greeting
	if err := bus.Call(t.Context(), nc, op, &greetRequest{}, &res); err != nil || res.Text != "late" {
		t.Errorf("got %q, %v", res.Text, err)
	}
}

// What a service records of a read is what its caller gets.
func TestResultBeyondTheBusLimitIsAClearError(t *testing.T) {
	t.Parallel()
	var size atomic.Int64
	var recorded atomic.Value
	record := func(contracts.Info) endpoint.Middleware {
		return func(next endpoint.Endpoint) endpoint.Endpoint {
			return func(ctx context.Context, request any) (any, error) {
				response, err := next(ctx, request)
				recorded.Store(fmt.Sprint(err))
				return response, err
			}
		}
	}
	nc, _ := serve(t, bus.Config{Workers: 1, Chain: record}, func(context.Context, *greetRequest) (*greeting, error) {
		return &greeting{Text: strings.Repeat("x", int(size.Load()))}, nil
	})
	if nc.MaxPayload() != contracts.MaxMessageBytes {
		t.Errorf("the NATS server carries %d bytes", nc.MaxPayload())
	}
	size.Store(nc.MaxPayload())
	_, err := call(t, nc)
	if kindOf(t, err) != contracts.Fault || !strings.Contains(err.Error(), "ask for less") {
		t.Errorf("got %v", err)
	}
	if got := recorded.Load(); got != err.Error() {
		t.Errorf("recorded: %v, told: %v", got, err)
	}
	size.Store(nc.MaxPayload() - int64(len(`{"text":""}`)))
	if res, err := call(t, nc); err != nil || int64(len(res.Text)) != size.Load() {
		t.Errorf("a result that just fits is refused: %v", err)
	}
}

// An effect cannot be taken back: whatever becomes of the answer, the caller
// must not be told that trying again is safe.
func TestAnswerLostAfterAnEffectIsUnknown(t *testing.T) {
	t.Parallel()
	op := greet
	op.Effect = contracts.Message
	for name, c := range map[string]struct {
		method  func(ctx context.Context, limit int64) (*greeting, error)
		during  func(*nats.Conn)
		res     any
		outcome contracts.Outcome
	}{
		"too long": {
			method: func(_ context.Context, limit int64) (*greeting, error) {
				return &greeting{Text: strings.Repeat("x", int(limit))}, nil
			},
			outcome: contracts.Done,
		},
		"not what the caller expects": {
			method: func(context.Context, int64) (*greeting, error) { return &greeting{}, nil },
			res:    new(int), outcome: contracts.Done,
		},
		"connection closed": {
			method: func(ctx context.Context, _ int64) (*greeting, error) { <-ctx.Done(); return nil, ctx.Err() },
			during: (*nats.Conn).Close, outcome: contracts.NotKnown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testenv.NATSURL(t)
			client, server := connect(t, url), connect(t, url)
			srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Logger: slog.New(slog.DiscardHandler)})
			begun := make(chan struct{})
			bus.Handle(srv, op, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
				close(begun)
				return c.method(ctx, server.MaxPayload())
			})
			if err := srv.Start(server); err != nil {
				t.Fatal(err)
			}
			if c.during != nil {
				go func() { <-begun; c.during(client) }()
			}
			if c.res == nil {
				c.res = &greeting{}
			}
			caller := bus.WithIdentity(t.Context(), bus.Identity{CommandID: "command-1"})
			err := bus.Call(caller, client, op.Info(), &greetRequest{}, c.res)
			if got := contracts.AsError(err).Outcome; kindOf(t, err) != contracts.Unknown || got != c.outcome {
				t.Errorf("got %v, outcome %s, want Unknown, %s", err, got, c.outcome)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := srv.Drain(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

func TestMalformedURLIsNotShown(t *testing.T) {
	t.Parallel()
	_, err := bus.Connect("nats://user:sw%rdfish@127.0.0.1:4222", t.Name(), slog.New(slog.DiscardHandler))
	if err == nil || strings.Contains(err.Error(), "rdfish") || !strings.Contains(err.Error(), "NATS_URL") {
		t.Errorf("got %v", err)
	}
}
