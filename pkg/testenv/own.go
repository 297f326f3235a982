package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// ownStepLimit is beyond that of cmd/testenv, which says what went wrong.
const ownStepLimit = 90 * time.Second

// Postgres is a Postgres server of one test's own; its URL is the superuser's.
type Postgres struct{ server }

// OwnPostgres starts a server with the settings of the shared one. It is gone, with its data, when the test ends, however it ends.
func OwnPostgres(t testing.TB) *Postgres {
	t.Helper()
	return &Postgres{newServer(t, "postgres")}
}

// OwnPostgresWithClock starts a server whose clock StepClock sets.
func OwnPostgresWithClock(t testing.TB) *Postgres {
	t.Helper()
	return &Postgres{newServer(t, "postgres-clock")}
}

// Fill has the server write no more than the beginnings of its files, as a full disk does, until Free. It may end by itself.
func (p *Postgres) Fill() { p.own.t.Helper(); p.own.do("fill") }

// Free undoes Fill. A server that has ended by itself is started again, as whoever supervises it does.
func (p *Postgres) Free() { p.own.t.Helper(); p.own.do("free") }

// StepClock sets the server's wall clock ahead of the machine's, or behind it. Its monotonic clock goes on.
func (p *Postgres) StepClock(ahead time.Duration) {
	p.own.t.Helper()
	p.own.do("clock " + ahead.String())
}

// NATS is a NATS server with JetStream of one test's own; its URL is that of an account.
type NATS struct{ server }

// OwnNATS starts a server. It is gone, with its data, when the test ends, however it ends.
func OwnNATS(t testing.TB) *NATS {
	t.Helper()
	return &NATS{newServer(t, "nats")}
}

// server is a server that a test may kill, and whose data it may bring back to an earlier state. Its methods fail the test when
// they fail; they are called from the test's own goroutine. Those that concern the store are for a killed server.
type server struct {
	// URL is the same after a restart.
	URL string

	own own
}

func newServer(t testing.TB, kind string) server {
	t.Helper()
	own, url := newOwn(t, kind)
	return server{URL: url, own: own}
}

// Kill ends the server as a crash does, and returns when it is gone.
func (s *server) Kill() { s.own.t.Helper(); s.own.do("kill") }

// Start starts the killed server again on its data, and returns when it answers.
func (s *server) Start() { s.own.t.Helper(); s.own.do("start") }

// SaveStore keeps a copy of the store, in place of an earlier one. Of a Postgres server that runs, it is a standby that follows it up
// to this moment; it is promoted when it starts.
func (s *server) SaveStore() { s.own.t.Helper(); s.own.do("save") }

// RestoreStore brings the store back to what SaveStore kept.
func (s *server) RestoreStore() { s.own.t.Helper(); s.own.do("restore") }

// RemoveStore removes the store.
func (s *server) RemoveStore() { s.own.t.Helper(); s.own.do("remove") }

// own is a server that cmd/testenv keeps for one test.
type own struct {
	t       testing.TB
	program *program
	answers *bufio.Scanner
}

func newOwn(t testing.TB, kind string) (server own, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	program, err := launch(ctx, "-own", kind)
	if err != nil {
		t.Fatalf("testenv: start a server of the test's own: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(program.stop(), program.output.Close()); err != nil {
			t.Errorf("testenv: stop the test's own server: %v", err)
		}
	})
	server = own{t: t, program: program, answers: bufio.NewScanner(program.output)}
	return server, server.answer(startLimit)
}

// do has the program do something to the server.
func (o own) do(command string) {
	o.t.Helper()
	if _, err := fmt.Fprintln(o.program.input, command); err != nil {
		o.t.Fatalf("testenv: %s the server: %v", command, err)
	}
	if answer := o.answer(ownStepLimit); answer != "ok" {
		o.t.Fatalf("testenv: %s the server: %s", command, strings.TrimPrefix(answer, "error: "))
	}
}

func (o own) answer(limit time.Duration) string {
	o.t.Helper()
	if err := o.program.output.SetReadDeadline(time.Now().Add(limit)); err != nil {
		o.t.Fatalf("testenv: %v", err)
	}
	if !o.answers.Scan() {
		o.t.Fatalf("testenv: cmd/testenv gives no answer: %v", errors.Join(errors.New("its message may be above"), o.answers.Err()))
	}
	return o.answers.Text()
}
