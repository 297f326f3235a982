package bus_test

import (
	"context"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
)

const givenUp = "the caller gave the request up"

// caller is somebody who calls an operation and may hang up.
type caller struct {
	hangUp context.CancelFunc
	result chan error
}

// calls has a caller call an operation for an account. The request is with the NATS server
// when it returns.
func (s *shop) calls(t *testing.T, op contracts.Info, account, name string) caller {
	t.Helper()
	sent, err := s.nc.SubscribeSync(op.Subject())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bus.WithIdentity(t.Context(), bus.Identity{CommandID: "command-1", AccountID: account}))
	t.Cleanup(cancel)
	c := caller{hangUp: cancel, result: make(chan error, 1)}
	go func() { c.result <- bus.Call(ctx, s.nc, op, &greetRequest{Name: name}, &greeting{}) }()
	if _, err := sent.NextMsg(patience); err != nil {
		t.Fatal(err)
	}
	if err := sent.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	return c
}

// ends waits until a request's context has ended.
func (v visit) ends(t *testing.T) {
	t.Helper()
	select {
	case <-v.ctx.Done():
	case <-time.After(patience):
		t.Fatalf("%s was not ended", v.name)
	}
}

func TestACallerThatHangsUpCancelsItsRead(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 4, 0)
	// Both are the same command, as the repeated requests of one key are.
	one := s.calls(t, get.Info(), "ann", "one")
	first := s.next(t, "one")
	two := s.calls(t, get.Info(), "ann", "two")
	second := s.next(t, "two")
	one.hangUp()
	first.ends(t)
	if err := <-s.ended; kindOf(t, err) != contracts.Timeout || err.Error() != givenUp {
		t.Errorf("the service records %v", err)
	}
	if err := <-one.result; kindOf(t, err) != contracts.Timeout {
		t.Errorf("got %v", err)
	}
	close(second.end)
	if err := <-two.result; err != nil {
		t.Errorf("the other request of the command: %v", err)
	}
}

func TestACallerThatHangsUpDoesNotCancelAWriteThatWasBegun(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 2, 0)
	writer := s.calls(t, put.Info(), "ann", "write")
	write := s.next(t, "write")
	writer.hangUp()
	if err := <-writer.result; kindOf(t, err) != contracts.Unknown {
		t.Errorf("got %v", err)
	}
	reader := s.calls(t, get.Info(), "ann", "read")
	read := s.next(t, "read")
	reader.hangUp()
	read.ends(t) // and so the service has heard of the writer before
	if err := <-s.ended; kindOf(t, err) != contracts.Timeout {
		t.Errorf("the read: %v", err)
	}
	if write.ctx.Err() != nil {
		t.Error("the write was cancelled")
	}
	close(write.end)
	if err := <-s.ended; err != nil {
		t.Errorf("the write: %v", err)
	}
}

func TestWhatWaitsWhenItsCallerHangsUpIsNotBegun(t *testing.T) {
	t.Parallel()
	for _, op := range []contracts.Info{put.Info(), get.Info()} {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			s := sharedShop(t, 1, 1)
			a := s.answers(t)
			a.send(put.Info(), "ann", "1")
			first := s.next(t, "1")
			c := s.calls(t, op, "ann", "given up")
			s.refused(t, op) // and so it has its place in the queue
			c.hangUp()
			<-c.result
			s.hasRoom(t, op)
			close(first.end)
			a.want("1")
			s.none(t)
		})
	}
}

// refused checks that a request finds no place in the queue.
func (s *shop) refused(t *testing.T, op contracts.Info) {
	t.Helper()
	a := s.answers(t)
	a.send(op, "bob", "one too many")
	a.want(full)
}

// hasRoom waits until a request finds a place in the queue, and leaves it.
func (s *shop) hasRoom(t *testing.T, op contracts.Info) {
	t.Helper()
	a := s.answers(t)
	for end := time.Now().Add(patience); time.Now().Before(end); {
		a.send(op, "bob", "late", 0)
		if a.next() == waited {
			return
		}
	}
	t.Fatal("the queue is still full")
}

func TestACallersOwnDeadlineIsNoHangUp(t *testing.T) {
	t.Parallel()
	s := sharedShop(t, 1, 0)
	gone, err := s.nc.SubscribeSync("gone.shop")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := bus.Call(ctx, s.nc, get.Info(), &greetRequest{Name: "slow"}, &greeting{}); kindOf(t, err) != contracts.Timeout {
		t.Errorf("got %v", err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if msg, err := gone.NextMsg(time.Millisecond); err == nil {
		t.Errorf("the service was told that %s is gone", msg.Data)
	}
	close(s.next(t, "slow").end)
}
