package eventlog

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"integration.gateway/contracts/event"
)

// A NATS server whose store is full is told as such. Events are appended all the
// same, no effect begins, and all goes on once there is room again.
func TestAFullStoreOfNATSIsToldAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	options := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 512 << 10, NoLog: true, NoSigs: true}
	run := func() *server.Server {
		srv, err := server.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		srv.Start()
		if !srv.ReadyForConnections(testLimit) {
			t.Fatal("NATS does not start")
		}
		return srv
	}
	end := func(srv *server.Server) { srv.Shutdown(); srv.WaitForShutdown() }
	srv := run()
	address, ok := srv.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("NATS listens on %v", srv.Addr())
	}
	options.Port = address.Port // also after its restart
	nc := connectForEver(t, srv.ClientURL())
	s := &setup{log: newLog(t, WithNudge(Nudge(nc))), nc: nc, js: openJetStream(t, nc)}
	k, _ := s.keep(t)
	note := strings.Repeat("x", 100<<10)
	for range 8 {
		mustAppend(t, s.log, event.CommandStream(event.NewID()), 0, accepted(t, note))
	}
	told := func(err error) bool { return err != nil && strings.Contains(err.Error(), "no room left") }
	until(t, "the keeper tells that the store is full", func(context.Context) bool { return told(k.Err()) })
	journal, err := NewJournal(nc)
	if err != nil {
		t.Fatal(err)
	}
	begun := mustAppend(t, s.log, stream, 0, accepted(t, note))
	if err := journal.Record(limited(t), begun...); !errors.Is(err, ErrNotJournaled) || !told(err) {
		t.Errorf("an effect begins: %v", err)
	}

	end(srv)
	options.JetStreamMaxStore = 64 << 20
	srv = run()
	defer end(srv)
	s.awaitCopy(t, 9)
	until(t, "the keeper is well", func(context.Context) bool { return k.Err() == nil })
	if err := journal.Record(limited(t), begun...); err != nil {
		t.Error(err)
	}
}
