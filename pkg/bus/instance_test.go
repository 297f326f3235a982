package bus_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

// soon is how long a caller waits at most for an instance that has died. The
// operations have half a minute.
const soon = 8 * time.Second

func TestCallersOfAnInstanceThatDiedAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	server := connect(t, url)
	s := &shop{nc: connect(t, url), begun: make(chan visit, 100), ended: make(chan error, 100), closed: make(chan struct{})}
	srv := bus.NewServer(bus.Config{Name: "shop", Version: "1.0.0", Workers: 2, Queue: 4, Logger: slog.New(slog.DiscardHandler)})
	bus.Handle(srv, put, s.serve)
	bus.Handle(srv, get, s.serve)
	if err := srv.Start(server); err != nil {
		t.Fatal(err)
	}
	write := s.calls(t, put.Info(), "ann", "write")
	s.next(t, "write")
	waiting := s.calls(t, put.Info(), "ann", "a write that waits")
	s.arrived(t, put.Info())
	read := s.calls(t, get.Info(), "ann", "read")
	s.next(t, "read")
	server.Close() // as when its process dies
	begin := time.Now()
	for name, c := range map[string]struct {
		caller  caller
		kind    contracts.Kind
		outcome contracts.Outcome
	}{
		"write":              {write, contracts.Unknown, contracts.NotKnown},
		"a write that waits": {waiting, contracts.Unknown, contracts.NotKnown},
		"read":               {read, contracts.Unavailable, contracts.NothingDone},
	} {
		err := <-c.caller.result
		if e := contracts.AsError(err); e.Kind != c.kind || e.Outcome != c.outcome || e.Message != "the service stopped in the middle of the request" {
			t.Errorf("%s: got %+v", name, e)
		}
	}
	if took := time.Since(begin); took > soon {
		t.Errorf("the callers waited for %v", took)
	}
	close(s.closed)
	_ = srv.Drain(t.Context()) // which cannot tell NATS
}

// A process that stands still may go on: nothing is concluded.
func TestCallersOfAnInstanceThatStandsStillWait(t *testing.T) {
	t.Parallel()
	url := testenv.NATSURL(t)
	server, client := connect(t, url), connect(t, url)
	asked := make(chan struct{}, 100)
	if _, err := server.Subscribe("alive.frozen", func(*nats.Msg) { asked <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	requests := make(chan *nats.Msg, 1)
	if _, err := server.ChanSubscribe(get.Info().Subject(), requests); err != nil {
		t.Fatal(err)
	}
	if err := server.Flush(); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- bus.Call(t.Context(), client, get.Info(), &greetRequest{}, &greeting{}) }()
	request := <-requests
	taken := nats.NewMsg(request.Reply)
	taken.Header.Set("Taken-By", "frozen")
	if err := server.PublishMsg(taken); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-asked
	}
	select {
	case err := <-result:
		t.Fatalf("got %v", err)
	default:
	}
	if err := request.Respond([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
}
