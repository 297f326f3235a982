package bus_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

func TestServiceThatHasStartedIsKnownToEveryConnection(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	logger := slog.New(slog.DiscardHandler)
	client := connect(t, url)
	for range 20 {
		nc := connect(t, url)
		srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Queue: 1, Logger: logger})
		bus.Handle(srv, greet, func(context.Context, *greetRequest) (*greeting, error) { return &greeting{}, nil })
		if err := srv.Start(nc); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, client); err != nil {
			t.Errorf("right after the start: %v", err)
		}
		if err := srv.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		nc.Close()
	}
}

func TestStartThatFailsLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	misnamed := greet
	misnamed.Name = "not a name"
	srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Logger: slog.New(slog.DiscardHandler)})
	method := func(context.Context, *greetRequest) (*greeting, error) { return &greeting{}, nil }
	bus.Handle(srv, greet, method)
	bus.Handle(srv, misnamed, method)
	if err := srv.Start(nc); err == nil {
		t.Fatal("the service has started")
	}
	if _, err := call(t, nc); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("got %v, want that nobody listens", err)
	}
}

func TestWorkersBoundWhatRunsAtOnceAndTheRestIsBusy(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 8), make(chan struct{})
	nc, _ := serve(t, bus.Config{Workers: 2, Queue: 1}, func(context.Context, *greetRequest) (*greeting, error) {
		begun <- struct{}{}
		<-release
		return &greeting{}, nil
	})
	var calls sync.WaitGroup
	results := make(chan error, 3)
	for range 2 {
		calls.Go(func() { _, err := call(t, nc); results <- err })
		<-begun
	}
	// Two are under way. Of the next two, one waits in the queue and the other
	// is refused while both workers are still held.
	busy := make(chan error, 2)
	for range 2 {
		calls.Go(func() { _, err := call(t, nc); busy <- err })
	}
	if err := <-busy; kindOf(t, err) != contracts.Busy {
		t.Errorf("got %v, want Busy", err)
	}
	close(release)
	calls.Wait()
	if err := <-busy; err != nil {
		t.Errorf("the queued request failed: %v", err)
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("a running request failed: %v", err)
		}
	}
}

func TestDrainFinishesWhatWasTaken(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	nc, srv := serve(t, bus.Config{Workers: 1}, func(context.Context, *greetRequest) (*greeting, error) {
		close(begun)
		<-release
		return &greeting{Text: "done"}, nil
	})
	result := make(chan error, 1)
	go func() { _, err := call(t, nc); result <- err }()
	<-begun
	drained := make(chan error, 1)
	go func() { drained <- srv.Drain(t.Context()) }()
	close(release)
	if err := <-result; err != nil {
		t.Errorf("the request under way failed: %v", err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

func TestDrainCancelsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	nc, srv := serve(t, bus.Config{Workers: 1}, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
		close(begun)
		<-ctx.Done()
		return nil, contracts.Errorf(contracts.Timeout, "stopped")
	})
	result := make(chan error, 1)
	go func() { _, err := call(t, nc); result <- err }()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := srv.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the drain was cut short", err)
	}
	if err := <-result; kindOf(t, err) != contracts.Timeout {
		t.Errorf("got %v", err)
	}
}

func TestNobodyWaitsInVainForAServiceThatEnds(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	client := connect(t, url)
	ctx, stop := context.WithCancel(t.Context())
	answered := make(chan struct{}, 1)
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for ctx.Err() == nil {
				op := greet.Info()
				op.Timeout = time.Second
				var e *contracts.Error
				switch err := bus.Call(t.Context(), client, op, &greetRequest{}, &greeting{}); {
				case err == nil:
					select {
					case answered <- struct{}{}:
					default:
					}
				case !errors.As(err, &e) || e.Kind != contracts.Busy && !errors.Is(err, nats.ErrNoResponders):
					t.Errorf("got %v", err)
				}
			}
		})
	}
	for range 30 {
		nc := connect(t, url)
		srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 2, Queue: 8, Logger: slog.New(slog.DiscardHandler)})
		bus.Handle(srv, greet, func(context.Context, *greetRequest) (*greeting, error) { return &greeting{}, nil })
		if err := srv.Start(nc); err != nil {
			t.Fatal(err)
		}
		<-answered
		if err := srv.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		nc.Close()
	}
	stop()
	callers.Wait()
}

type brittleRequest struct{}

func (*brittleRequest) Validate() error { panic("secret detail") }

func TestPanicWhileDecodingIsAFault(t *testing.T) {
	t.Parallel()
	nc := connect(t, testenv.NATSURL(t))
	op := contracts.Operation[brittleRequest, greeting]{Integration: "greeter", Name: "break", Timeout: 20 * time.Second}
	srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Queue: 1, Logger: slog.New(slog.DiscardHandler)})
	bus.Handle(srv, op, func(context.Context, *brittleRequest) (*greeting, error) { return &greeting{}, nil })
	if err := srv.Start(nc); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the worker survives
		err := bus.Call(t.Context(), nc, op.Info(), &brittleRequest{}, &greeting{})
		if kindOf(t, err) != contracts.Fault || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
	if err := srv.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestServiceIsDiscoverable(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1}, nil)
	subject, err := micro.ControlSubject(micro.InfoVerb, "greeter", "")
	if err != nil {
		t.Fatal(err)
	}
	reply, err := nc.RequestWithContext(t.Context(), subject, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(reply.Data), greet.Info().Subject()) {
		t.Errorf("the service's description lacks its operation: %s", reply.Data)
	}
}

// Of a question that is asked again and again, as readiness probes do, the log
// tells when its answer changes.
func TestAPolledOperationIsLoggedWhenItsOutcomeChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var down atomic.Bool
	nc := connect(t, testenv.NATSURL(t))
	op := greet
	op.Polled = true
	srv := bus.NewServer(bus.Config{Name: "greeter", Version: "1.0.0", Workers: 1, Queue: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	bus.Handle(srv, op, func(context.Context, *greetRequest) (*greeting, error) {
		if down.Load() {
			return nil, contracts.Errorf(contracts.Unavailable, "the database is down")
		}
		return &greeting{}, nil
	})
	if err := srv.Start(nc); err != nil {
		t.Fatal(err)
	}
	for _, is := range []bool{false, false, true, true, false, false} {
		down.Store(is)
		var res greeting
		if err := bus.Call(t.Context(), nc, op.Info(), &greetRequest{Name: "Ada"}, &res); (err != nil) != is {
			t.Errorf("down %v: got %v", is, err)
		}
	}
	if err := srv.Drain(t.Context()); err != nil { // after which the log is whole
		t.Fatal(err)
	}
	if text := log.String(); strings.Count(text, "request failed") != 1 || strings.Count(text, "request answered") != 1 {
		t.Errorf("log: %s", text)
	}
}
