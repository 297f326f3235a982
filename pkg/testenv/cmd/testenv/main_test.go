package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// The test binary is the program under test: with this variable it runs main.
const programVariable = "TESTENV_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

var (
	asOnThisMachine = []string{}
	withoutDocker   = []string{"REQUIRE_DOCKER=", "DOCKER_HOST=unix:///no/docker/here"}
)

// program is a run of the command.
type program struct {
	*exec.Cmd
	ctx    context.Context
	t      *testing.T
	lines  *bufio.Scanner
	input  io.WriteCloser
	errors *strings.Builder
	temp   string
}

func start(t *testing.T, environment []string, arguments ...string) *program {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	p := &program{ctx: ctx, t: t, errors: new(strings.Builder), temp: t.TempDir()}
	p.Cmd = exec.CommandContext(ctx, os.Args[0], arguments...)
	p.Env = slices.Concat(os.Environ(), []string{programVariable + "=1", "TMPDIR=" + p.temp}, environment)
	p.Stderr = p.errors
	p.WaitDelay = 10 * time.Second
	output, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(output)
	if p.input, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// line returns the next line of the program's output, "" at its end.
func (p *program) line() string {
	p.lines.Scan()
	return p.lines.Text()
}

// end waits for the program's end and returns its exit code.
func (p *program) end() int {
	p.t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// silence is how long an address is asked that may be nobody's: a container's own says nothing when the container is gone.
const silence = 2 * time.Second

// leavesNothing fails the test when the program's database still answers or its temporary files are still there.
func (p *program) leavesNothing(databaseURL string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, silence)
	defer cancel()
	if conn, err := pgx.Connect(ctx, databaseURL); err == nil {
		_ = conn.Close(p.ctx)
		p.t.Errorf("%s still answers", databaseURL)
	}
	p.leavesNoFiles()
}

func (p *program) leavesNoFiles() {
	p.t.Helper()
	if left, err := filepath.Glob(filepath.Join(p.temp, "*")); err != nil || len(left) > 0 {
		p.t.Errorf("left behind: %v %v", left, err)
	}
}

func (p *program) answers(databaseURL string) {
	p.t.Helper()
	conn, err := pgx.Connect(p.ctx, databaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = conn.Close(p.ctx)
}

func TestFirstLineSaysWhatTheTestsRunOn(t *testing.T) {
	p := start(t, withoutDocker, "true")
	if first := p.line(); !strings.HasPrefix(first, "testenv: local processes (no Docker: ") {
		t.Errorf("first line: %s", first)
	}
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
}

func TestExitCodeIsTheCommandsOwn(t *testing.T) {
	p := start(t, asOnThisMachine, "sh", "-c", "echo $TEST_DATABASE_URL; exit 7")
	p.line()
	databaseURL := p.line()
	if code := p.end(); code != 7 {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
	p.leavesNothing(databaseURL)
}

func TestRequiredDockerIsNotReplaced(t *testing.T) {
	p := start(t, append(withoutDocker, "REQUIRE_DOCKER=1"), "echo", "the command ran")
	if first := p.line(); first != "" {
		t.Errorf("output: %s", first)
	}
	if code := p.end(); code != 1 || !strings.Contains(p.errors.String(), "REQUIRE_DOCKER") {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
}

func TestInterruptLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, environment := range map[string][]string{"as on this machine": asOnThisMachine, "without Docker": withoutDocker} {
		t.Run(name, func(t *testing.T) {
			p := start(t, environment, "sh", "-c", "echo $TEST_DATABASE_URL; sleep 600")
			p.line()
			databaseURL := p.line()
			p.answers(databaseURL)
			if err := p.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			// The pipe's end shows that the command's own children have ended too.
			if more := p.line(); more != "" {
				t.Errorf("more output: %s", more)
			}
			if code := p.end(); code != 130 {
				t.Errorf("exit code %d: %s", code, p.errors)
			}
			p.leavesNothing(databaseURL)
		})
	}
}

func TestServersStayUntilTheInputEnds(t *testing.T) {
	p := start(t, asOnThisMachine)
	p.line()
	databaseURL, found := strings.CutPrefix(p.line(), "TEST_DATABASE_URL=")
	if !found || !strings.HasPrefix(p.line(), "TEST_NATS_URL=nats://") {
		t.Fatalf("not the two variables: %s", p.errors)
	}
	p.answers(databaseURL)
	if err := p.input.Close(); err != nil {
		t.Fatal(err)
	}
	if code := p.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.errors)
	}
	p.leavesNothing(databaseURL)
}

func TestLocalServersEndWithAKilledProgram(t *testing.T) {
	p := start(t, withoutDocker, "sh", "-c", "echo $TEST_DATABASE_URL; exec sleep 600")
	p.line()
	databaseURL := p.line()
	p.answers(databaseURL)
	if err := p.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.end()
	// Each server takes its file away last, when it writes to the test's temporary folder no more.
	p.awaitNone("*/postgres/data/postmaster.pid")
	p.awaitNone("*/nats-server_*.ports")
	if conn, err := pgx.Connect(p.ctx, databaseURL); err == nil {
		_ = conn.Close(p.ctx)
		t.Error("the database still answers")
	}
}

// awaitNone waits until the program's temporary folder holds no file of the pattern.
func (p *program) awaitNone(pattern string) {
	p.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		left, err := filepath.Glob(filepath.Join(p.temp, pattern))
		if err != nil {
			p.t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		select {
		case <-ticker.C:
		case <-p.ctx.Done():
			p.t.Fatalf("still there: %v", left)
		}
	}
}
