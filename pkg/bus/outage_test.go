package bus_test

import (
	"context"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/testenv"
)

func TestRequestsUnderWayWhenNATSGoesAway(t *testing.T) {
	t.Parallel()
	server := testenv.OwnNATS(t)
	s := openShop(t, server.URL, bus.Config{Workers: 3, Queue: 3})
	call := func(ctx context.Context, op contracts.Info, name string) <-chan error {
		result := make(chan error, 1)
		ctx = bus.WithIdentity(ctx, bus.Identity{CommandID: "command-1", AccountID: name})
		go func() { result <- bus.Call(ctx, s.nc, op, &greetRequest{Name: name}, &greeting{}) }()
		return result
	}
	patient := call(t.Context(), get.Info(), "patient")
	begunBefore := s.next(t, "patient")
	hasty, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	read := call(hasty, get.Info(), "read")
	readVisit := s.next(t, "read")
	write := call(hasty, put.Info(), "write")
	writeVisit := s.next(t, "write")

	server.Kill()
	eventually(t, func() bool { return !s.nc.IsConnected() })
	// What is sent now fails at once, and what the service answers now is lost.
	if err := <-call(t.Context(), put.Info(), "never"); kindOf(t, err) != contracts.Unavailable || contracts.AsError(err).Outcome != contracts.NotBegun {
		t.Errorf("without a server: %v", err)
	}
	close(readVisit.end)
	close(writeVisit.end)
	for range 2 {
		if err := <-s.ended; err != nil {
			t.Errorf("the service could not go on: %v", err)
		}
	}
	if err := <-read; kindOf(t, err) != contracts.Timeout {
		t.Errorf("the read whose answer is lost: %v", err)
	}
	if err := <-write; kindOf(t, err) != contracts.Unknown || contracts.AsError(err).Outcome != contracts.NotKnown {
		t.Errorf("the write whose answer is lost: %v", err)
	}

	server.Start()
	// Later requests work, and so does the answer to what was under way all the time.
	overdue := get.Info()
	overdue.Timeout = 0
	eventually(t, func() bool {
		return kindOf(t, bus.Call(t.Context(), s.nc, overdue, &greetRequest{}, &greeting{})) == contracts.Busy
	})
	later := call(t.Context(), put.Info(), "later")
	close(s.next(t, "later").end)
	if err := <-later; err != nil {
		t.Errorf("after the outage: %v", err)
	}
	close(begunBefore.end)
	if err := <-patient; err != nil {
		t.Errorf("the answer after the outage: %v", err)
	}
}

// eventually waits until something holds that nothing announces.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come to hold")
		}
	}
}
