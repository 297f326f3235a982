package bus_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

type greetRequest struct {
	Name string `json:"name"`
}

type greeting struct {
	Text string `json:"text"`
}

var greet = contracts.Operation[greetRequest, greeting]{
	Integration: "greeter", Name: "greet", Timeout: 20 * time.Second,
}

type greeter func(context.Context, *greetRequest) (*greeting, error)

// serve starts a service with one operation and returns a client's connection
// and the server, which is drained when the test ends.
func serve(t *testing.T, cfg bus.Config, method greeter) (*nats.Conn, *bus.Server) {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	nc, err := bus.Connect(testenv.NATSURL(t), t.Name(), logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	cfg.Name, cfg.Version, cfg.Logger = "greeter", "1.0.0", logger
	srv := bus.NewServer(cfg)
	bus.Handle(srv, greet, method)
	if err := srv.Start(nc); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return nc, srv
}

func call(t *testing.T, nc *nats.Conn) (greeting, error) {
	t.Helper()
	var res greeting
	err := bus.Call(t.Context(), nc, greet.Info(), &greetRequest{Name: "Ada"}, &res)
	return res, err
}

func kindOf(t *testing.T, err error) contracts.Kind {
	t.Helper()
	var e *contracts.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *contracts.Error", err)
	}
	return e.Kind
}

func TestCallCarriesRequestResultAndIdentity(t *testing.T) {
	t.Parallel()
	got := make(chan bus.Identity, 1)
	nc, _ := serve(t, bus.Config{Workers: 1}, func(ctx context.Context, req *greetRequest) (*greeting, error) {
		got <- bus.IdentityFrom(ctx)
		return &greeting{Text: "Hello " + req.Name}, nil
	})
	want := bus.Identity{CommandID: "c-1", CallerID: "caller-1", AccountID: "account-1"}
	var res greeting
	err := bus.Call(bus.WithIdentity(t.Context(), want), nc, greet.Info(), &greetRequest{Name: "Ada"}, &res)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, <-got); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if res.Text != "Hello Ada" {
		t.Errorf("got %q", res.Text)
	}
}

func TestErrorsArriveAsTheyWereMade(t *testing.T) {
	t.Parallel()
	for _, want := range []*contracts.Error{
		{Kind: contracts.Invalid, Message: "provide asin or itemUrl"},
		{Kind: contracts.NotFound, Message: "no such item: “é” 100%\nsecond line"},
		{Kind: contracts.Busy, Message: "try later", RetryAfter: 1500 * time.Millisecond},
		{Kind: contracts.Unknown, Message: "outcome unknown"},
		{Kind: contracts.Rejected, Message: "Jane Roe accepts no messages", Quotes: true},
	} {
		t.Run(string(want.Kind), func(t *testing.T) {
			t.Parallel()
			nc, _ := serve(t, bus.Config{Workers: 1}, func(context.Context, *greetRequest) (*greeting, error) {
				return nil, want
			})
			_, err := call(t, nc)
			if diff := cmp.Diff(error(want), err); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherErrorsAndPanicsAreFaultsThatTellNothing(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]greeter{
		"error": func(context.Context, *greetRequest) (*greeting, error) { return nil, errors.New("secret detail") },
		"panic": func(context.Context, *greetRequest) (*greeting, error) { panic("secret detail") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc, _ := serve(t, bus.Config{Workers: 1}, method)
			for range 2 { // the worker survives
				_, err := call(t, nc)
				if kindOf(t, err) != contracts.Fault || strings.Contains(err.Error(), "secret") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func TestServiceThatDoesNotRunIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	nc, err := bus.Connect(testenv.NATSURL(t), t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_, err = call(t, nc)
	if !errors.Is(err, nats.ErrNoResponders) || kindOf(t, err) != contracts.Unavailable {
		t.Errorf("got %v, want an Unavailable error because nobody listens", err)
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

func TestMethodSeesTheCommandsDeadline(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1}, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
		<-ctx.Done()
		return nil, contracts.Errorf(contracts.Timeout, "%v", context.Cause(ctx))
	})
	op := greet.Info()
	op.Timeout = 50 * time.Millisecond
	err := bus.Call(t.Context(), nc, op, &greetRequest{}, &greeting{})
	// The service answers, not the caller's own limit.
	if kindOf(t, err) != contracts.Timeout || err.Error() != context.DeadlineExceeded.Error() {
		t.Errorf("got %v", err)
	}
}

func TestMalformedRequestsNeverReachTheMethod(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1}, func(context.Context, *greetRequest) (*greeting, error) {
		t.Error("the method was called")
		return &greeting{}, nil
	})
	for _, body := range []string{``, `{`, `[]`, `{"name":1}`, `{"name":"a","extra":true}`, `{"name":"a"} {}`, "{\"name\":\"a\"}x"} {
		reply, err := nc.RequestWithContext(t.Context(), greet.Info().Subject(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := reply.Header.Get(micro.ErrorCodeHeader); got != string(contracts.Invalid) {
			t.Errorf("%q: got error code %q", body, got)
		}
	}
}

func TestResultBeyondTheBusLimitIsAClearError(t *testing.T) {
	t.Parallel()
	var size atomic.Int64
	nc, _ := serve(t, bus.Config{Workers: 1}, func(context.Context, *greetRequest) (*greeting, error) {
		return &greeting{Text: strings.Repeat("x", int(size.Load()))}, nil
	})
	size.Store(nc.MaxPayload())
	_, err := call(t, nc)
	if kindOf(t, err) != contracts.Fault || !strings.Contains(err.Error(), "ask for less") {
		t.Errorf("got %v", err)
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
