package bus_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
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
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	nc := connect(t, testenv.NATSURL(t))
	cfg.Name, cfg.Version = "greeter", "1.0.0"
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
	return nc, srv
}

func connect(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := bus.Connect(url, t.Name(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
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

func TestWordsOfTheApplicationStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	const words = "Jane Roe accepts no messages"
	var log bytes.Buffer
	nc, srv := serve(t, bus.Config{Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))},
		func(context.Context, *greetRequest) (*greeting, error) {
			return nil, &contracts.Error{Kind: contracts.Rejected, Message: words, Quotes: true, Err: errors.New("step 2: " + words)}
		})
	if _, err := call(t, nc); err == nil || err.Error() != words {
		t.Errorf("the caller is told %v", err)
	}
	if err := srv.Drain(t.Context()); err != nil { // after which the log is whole
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "greeter-greet") || strings.Contains(text, "Jane") {
		t.Errorf("log: %s", text)
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
			nc, _ := serve(t, bus.Config{Workers: 1, Queue: 1}, method)
			for range 2 { // the worker survives
				_, err := call(t, nc)
				if kindOf(t, err) != contracts.Fault || strings.Contains(err.Error(), "secret") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func TestMethodSeesTheCommandsDeadline(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1}, func(ctx context.Context, _ *greetRequest) (*greeting, error) {
		<-ctx.Done()
		return nil, contracts.Errorf(contracts.Timeout, "%v", context.Cause(ctx))
	})
	op := greet.Info()
	op.Timeout = time.Second
	err := bus.Call(t.Context(), nc, op, &greetRequest{}, &greeting{})
	// The service answers, not the caller's own limit.
	if kindOf(t, err) != contracts.Timeout || err.Error() != context.DeadlineExceeded.Error() {
		t.Errorf("got %v", err)
	}
}

func TestMalformedRequestsNeverReachTheMethod(t *testing.T) {
	t.Parallel()
	nc, _ := serve(t, bus.Config{Workers: 1, Queue: 1}, func(context.Context, *greetRequest) (*greeting, error) {
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
