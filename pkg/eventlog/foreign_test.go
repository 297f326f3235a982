package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/testenv"
)

// A store that comes back with another log's copy, as long as the one that it
// replaces, is noticed before anything is added to it: by a relay that was at
// work, and by one that starts.
func TestTheRelayAddsNothingToTheCopyOfAnotherLog(t *testing.T) {
	t.Parallel()
	const n = 30
	server := testenv.OwnNATS(t)
	nc := connectForEver(t, server.URL)
	connect := func() *world {
		return &world{nats: server, setup: &setup{log: newLog(t), nc: nc, js: openJetStream(t, nc)}}
	}
	other, w := connect(), connect()
	_, stop := other.keep(t)
	other.fill(t, n)
	other.awaitCopy(t, n)
	stop()
	server.Kill()
	server.SaveStore()
	server.RemoveStore()
	server.Start()

	k, said, stop := w.keepAloud(t)
	w.fill(t, n)
	w.awaitCopy(t, n)
	server.Kill()
	server.RestoreStore()
	server.Start()
	w.haltsAt(t, k, said, other, n)
	stop()
	k, said, _ = w.keepAloud(t)
	w.haltsAt(t, k, said, other, n)
	if copied := w.copied(limited(t)); copied != n {
		t.Errorf("the stream holds %d messages, not %d", copied, n)
	}
	other.copyIsThePrefix(t, n)
}

// keepAloud is keep with the keeper's log.
func (w *world) keepAloud(t *testing.T) (k *Keeper, said *syncBuffer, stop func()) {
	t.Helper()
	said = &syncBuffer{}
	k = NewKeeper(KeeperConfig{Pool: w.log.pool, NATS: w.nc, Logger: slog.New(slog.NewTextHandler(said, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("keeper: %v", err)
		}
	})
	t.Cleanup(stop)
	return k, said, stop
}

// haltsAt waits until the keeper has halted at message n, and checks that it
// says whose event that is, to who asks and to who reads its log.
func (w *world) haltsAt(t *testing.T, k *Keeper, said *syncBuffer, other *world, n int64) {
	t.Helper()
	foreign, err := other.log.Range(limited(t), n-1, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("message %d is event %s, but event %d of the log is ", n, foreign[0].ID, n)
	until(t, "the relay halts", func(context.Context) bool { return errors.Is(k.Err(), ErrMismatch) })
	if text := k.Err().Error(); !strings.Contains(text, want) {
		t.Errorf("the keeper says %q, which does not contain %q", text, want)
	}
	until(t, "the log says so", func(context.Context) bool {
		return strings.Contains(said.String(), "level=ERROR") && strings.Contains(said.String(), want)
	})
}

// syncBuffer collects what several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// What the healing rests on: JetStream itself takes an event at its place only.
func TestJetStreamTakesAnEventOnlyAfterItsPredecessor(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.fill(t, 4)
	sequenceAll(t, s.log)
	events, err := s.log.Range(limited(t), 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	r := s.relay(t)
	s.publishFrom(t, s.log, 2)
	for name, wrong := range map[string]struct {
		event       event.Event
		predecessor string
	}{
		"one is missing before it":            {events[3], ""},
		"its place is taken":                  {withID(events[1]), ""},
		"its predecessor's place has another": {events[2], events[0].ID},
	} {
		answer, err := r.send(s.js, wrong.event, wrong.predecessor)
		if err != nil {
			t.Fatal(err)
		}
		if err := await(limited(t), answer, wrong.event); err == nil || errors.Is(err, ErrMismatch) {
			t.Errorf("%s: JetStream did not refuse it: %v", name, err)
		}
	}
	answer, err := r.send(s.js, events[2], events[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := await(limited(t), answer, events[2]); err != nil {
		t.Error(err)
	}
}

func withID(e event.Event) event.Event {
	e.ID = event.NewID()
	return e
}

func TestTheRelayCopiesMoreThanMayBeUnderWay(t *testing.T) {
	t.Parallel()
	const size = 700 << 10
	const n = relayBytes/size + 5
	s := newSetup(t)
	note := strings.Repeat("x", size)
	for range n {
		mustAppend(t, s.log, event.CommandStream(event.NewID()), 0, accepted(t, note))
	}
	sequenceAll(t, s.log)
	r := s.relay(t)
	r.report = func(err error) {
		if err != nil {
			t.Errorf("the relay was interrupted: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.run(ctx) }()
	s.awaitCopy(t, n)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
