package session_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/command"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/session"
	"integration.gateway/pkg/testenv"
)

// processVar makes the test binary a process that opens a session, tells its id
// and waits for its end.
const processVar = "SESSION_TEST_PROCESS"

func beProcess() {
	id, err := openInProcess(context.Background())
	fmt.Println(id, err)
	time.Sleep(patience)
	os.Exit(1)
}

func openInProcess(ctx context.Context) (id string, err error) {
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return "", err
	}
	nc, err := bus.Connect(os.Getenv("NATS_URL"), "process", quiet)
	if err != nil {
		return "", err
	}
	instance, err := command.NewInstance(ctx, pool, lease, quiet)
	if err != nil {
		return "", err
	}
	go instance.Run(ctx)
	k, err := session.Open(ctx, session.Parts{
		Config: defaults, Browser: browser.Config{Path: os.Getenv("CHROMIUM"), Dir: os.Getenv(processVar)}, Bus: nc, Log: eventlog.New(pool),
		Pool: pool, Instance: instance, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return "", err
	}
	go k.Run(ctx)
	s, err := k.Create(ctx, session.Request{
		Identity: bus.Identity{CommandID: "command", CallerID: "caller", AccountID: "anna"}, Integration: "marketplace", Operation: "create-session",
		SignIn: func(context.Context, *browser.Page) (session.SignedIn, error) { return session.SignedIn{}, nil },
		Keep:   func(context.Context, *browser.Page) error { return nil },
	})
	if err != nil {
		return "", err
	}
	return idOf(s), nil
}

func TestASessionOfAProcessThatWasKilledIsEndedByAnother(t *testing.T) {
	t.Parallel()
	cfg := defaults
	cfg.MaxCaller = 1
	h := newHouse(t)
	k, dir := h.keeper(cfg), openDir(t)
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), processVar+"="+dir, "CHROMIUM="+testenv.Chromium(t), "DATABASE_URL="+h.database, "NATS_URL="+h.nats)
	process.Stderr = t.Output()
	out, err := process.StdoutPipe()
	h.must(err)
	h.must(process.Start())
	defer func() { _ = process.Wait() }()
	defer func() { _ = process.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	id, failed := strings.CutSuffix(line, " <nil>\n")
	if err != nil || !failed {
		t.Fatalf("the process says %q, %v", line, err)
	}
	s := &opened{keeper: k, id: id}
	if len(processes(t, dir)) == 0 || h.entered() != 1 {
		t.Fatalf("%d processes, %d sessions", len(processes(t, dir)), h.entered())
	}
	h.must(process.Process.Kill())
	if why := s.closed(); why != event.SessionLost {
		t.Errorf("it was %s", why)
	}
	eventually(t, "nothing left", func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == 0 && len(processes(t, dir)) == 0
	})
	eventually(t, "no session registered", func() bool { return h.entered() == 0 })
	k.open("caller", "anna") // there is room for it again
}

// An instance that is taken for dead and comes back has lost its sessions.
func TestASessionThatAnotherInstanceHasEndedIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	silent, other := h.keeper(defaults), h.keeper(defaults)
	s := silent.open("caller", "anna")
	c := s.connect(s.WSURL)
	silent.die()
	if why := s.closed(); why != event.SessionLost {
		t.Errorf("it was %s", why)
	}
	h.must(s.connect(s.WSURL).conn.CloseNow()) // what is to be recorded of it has no place in the log
	if why, _ := c.cutOff(); !strings.Contains(why, "its browser is gone") {
		t.Errorf("its client was told %q", why)
	}
	if n := len(s.told()); s.told()[n-1].Type != event.TypeSessionClosed {
		t.Errorf("the last of %d events is no end", n)
	}
	_ = other
}

// An instance that was silent for longer than its lease, as while the database
// was away, keeps the sessions that nobody has taken for lost.
func TestSessionsMoveToTheInstanceThatTheirProcessIsNow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k := h.keeper(defaults)
	s := k.open("caller", "anna")
	var before string
	h.must(h.pool.QueryRow(t.Context(), `SELECT instance FROM open_sessions`).Scan(&before))
	_, err := h.pool.Exec(t.Context(), `DELETE FROM instances WHERE id = $1`, before)
	h.must(err)
	eventually(t, "another instance", func() bool {
		var now string
		h.must(h.pool.QueryRow(t.Context(), `SELECT instance FROM open_sessions`).Scan(&now))
		return now != before
	})
	if _, err := s.ask(""); err != nil {
		t.Error(err)
	}
}

// A session was opened and its holder died, and the database has lost its row with
// a rollback while the log was restored: it is ended all the same, as nothing that
// it keeps waiting would go on otherwise.
func TestASessionThatOnlyTheLogKnowsIsEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	k := h.keeper(defaults)
	s := &opened{keeper: k, id: uuid.NewString()}
	e, err := event.New(event.SessionOpened{User: "anna", Expires: time.Now().Add(-time.Hour)})
	h.must(err)
	e.Integration, e.Operation, e.Account = "marketplace", "create-session", "anna"
	_, err = h.log.Append(t.Context(), event.SessionStream(s.id), 0, e)
	h.must(err)
	if why := s.closed(); why != event.SessionLost {
		t.Errorf("it was %s", why)
	}
	var attended int
	h.must(h.pool.QueryRow(t.Context(), `SELECT count(*) FROM user_sessions`).Scan(&attended))
	if attended != 0 {
		t.Errorf("%d sessions count as open", attended)
	}
}
