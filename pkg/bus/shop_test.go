package bus_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

// patience bounds what must happen, however busy the machine is.
const patience = 20 * time.Second

var (
	put = contracts.Operation[greetRequest, greeting]{
		Integration: "shop", Name: "put", Method: http.MethodPost, Effect: contracts.Cart, Timeout: patience,
	}
	get = contracts.Operation[greetRequest, greeting]{
		Integration: "shop", Name: "get", Method: http.MethodGet, Timeout: patience,
	}
	brief = contracts.Operation[greetRequest, greeting]{
		Integration: "shop", Name: "brief", Method: http.MethodPost, Effect: contracts.Cart, Timeout: 50 * time.Millisecond,
	}
)

// shop is a service with writes and a read. Each request says that it has begun,
// and stays under way until the test ends it, or its context does.
type shop struct {
	nc     *nats.Conn // of the callers
	server *bus.Server
	begun  chan visit
	ended  chan error // what the service's own part of the chain sees
	closed chan struct{}
}

// waits begins the name of a request that gives its worker back and waits.
const waits = "waits"

// visit is a request under way.
type visit struct {
	name string
	ctx  context.Context
	end  chan struct{}
}

func openShop(t *testing.T, url string, cfg bus.Config) *shop {
	t.Helper()
	s := &shop{nc: connect(t, url), begun: make(chan visit, 100), ended: make(chan error, 100), closed: make(chan struct{})}
	cfg.Name, cfg.Version, cfg.Logger = "shop", "1.0.0", slog.New(slog.DiscardHandler)
	cfg.Chain = func(contracts.Info) endpoint.Middleware {
		return func(next endpoint.Endpoint) endpoint.Endpoint {
			return func(ctx context.Context, request any) (any, error) {
				result, err := next(ctx, request)
				s.ended <- err
				return result, err
			}
		}
	}
	s.server = bus.NewServer(cfg)
	bus.Handle(s.server, put, s.serve)
	bus.Handle(s.server, get, s.serve)
	bus.Handle(s.server, brief, s.serve)
	if err := s.server.Start(connect(t, url)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		close(s.closed)
		if err := s.server.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
	})
	return s
}

func (s *shop) serve(ctx context.Context, req *greetRequest) (*greeting, error) {
	if strings.HasPrefix(req.Name, waits) {
		if err := bus.GiveWorkerBack(ctx); err != nil {
			return nil, err
		}
	}
	v := visit{name: req.Name, ctx: ctx, end: make(chan struct{})}
	s.begun <- v
	select {
	case <-v.end:
		return &greeting{Text: req.Name}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.closed:
		return &greeting{}, nil
	}
}

// next returns the request that begins next, which must have the name.
func (s *shop) next(t *testing.T, name string) visit {
	t.Helper()
	select {
	case v := <-s.begun:
		if v.name != name {
			t.Fatalf("%s has begun, want %s", v.name, name)
		}
		return v
	case <-time.After(patience):
		t.Fatalf("%s has not begun", name)
	}
	return visit{}
}

// none fails the test when a request has begun.
func (s *shop) none(t *testing.T) {
	t.Helper()
	select {
	case v := <-s.begun:
		t.Errorf("%s has begun", v.name)
	default:
	}
}

// answers are the replies to requests that were sent one after the other.
type answers struct {
	t   *testing.T
	nc  *nats.Conn
	sub *nats.Subscription
}

func (s *shop) answers(t *testing.T) answers {
	t.Helper()
	sub, err := s.nc.SubscribeSync(nats.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	return answers{t: t, nc: s.nc, sub: sub}
}

// send sends a request of an account; limit is the time it has, if any.
func (a answers) send(op contracts.Info, account, name string, limit ...time.Duration) {
	a.t.Helper()
	msg := nats.NewMsg(op.Subject())
	msg.Reply = a.sub.Subject
	msg.Header.Set("Account-Id", account)
	msg.Header.Set("Command-Id", name)
	for _, d := range limit {
		msg.Header.Set("Time-Left-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	msg.Data = []byte(`{"name":"` + name + `"}`)
	if err := a.nc.PublishMsg(msg); err != nil {
		a.t.Fatal(err)
	}
}

// next returns the next answer: the result's text, or the error's kind and message.
func (a answers) next() string {
	a.t.Helper()
	msg, err := a.sub.NextMsg(patience)
	if err != nil {
		a.t.Fatal(err)
	}
	if kind := msg.Header.Get(micro.ErrorCodeHeader); kind != "" {
		return kind + " " + string(msg.Data)
	}
	var res greeting
	if err := json.Unmarshal(msg.Data, &res); err != nil {
		a.t.Fatal(err)
	}
	return res.Text
}

// want fails the test unless the next answers are these.
func (a answers) want(texts ...string) {
	a.t.Helper()
	for _, want := range texts {
		if got := a.next(); got != want {
			a.t.Errorf("the answer is %q, want %q", got, want)
		}
	}
}

// arrived waits until every request of an operation that was sent before has
// come to the service: one that is over already is answered after them.
func (s *shop) arrived(t *testing.T, op contracts.Info) {
	t.Helper()
	a := s.answers(t)
	a.send(op, "", "late", 0)
	a.want(waited)
}

const (
	waited      = "busy shop: the request waited for its whole time limit"
	full        = "busy shop: the service is busy"
	accountFull = "busy shop: too many requests of this account wait already"
	stopping    = "busy shop: the service is stopping"
)

// sharedShop is a shop on the server of all tests.
func sharedShop(t *testing.T, workers, queue int) *shop {
	t.Helper()
	return openShop(t, testenv.NATSURL(t), bus.Config{Workers: workers, Queue: queue})
}
