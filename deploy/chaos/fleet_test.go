package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"integration.gateway/pkg/process"
)

const (
	buildLimit = 5 * time.Minute
	stopLimit  = 20 * time.Second
	// crashPause is how long whoever supervises processes waits before it
	// starts one again that has ended by itself.
	crashPause = 500 * time.Millisecond
)

// build builds the programs of the installation into a folder, without what
// only debuggers read: linking that takes longer than the rest.
func build(ctx context.Context, bin string) error {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-w", "-o", bin,
		"integration.gateway/gateway/cmd/gateway",
		"integration.gateway/services/accounts/cmd/accounts",
		"integration.gateway/services/audit/cmd/audit",
		"integration.gateway/deploy/chaos/cmd/integrations")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile builds programs
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// member is one process of the installation. Whenever it ends it is started
// again, as whoever supervises processes in production does, until the member
// is stopped.
type member struct {
	name    string
	program string
	env     []string
	logFile string

	database *wire // nil for a gateway
	nats     *wire

	mu      sync.Mutex
	running *process.Process
	away    time.Duration // before the next start
	crashes []string      // ends that the driver did not bring about, each with its last words
	killed  bool
	stopped chan struct{}
	done    chan struct{}
}

// start starts the process and keeps it running.
func (m *member) start() error {
	m.stopped, m.done = make(chan struct{}), make(chan struct{})
	if err := m.launch(); err != nil {
		return err
	}
	go m.supervise()
	return nil
}

func (m *member) launch() error {
	output, err := os.OpenFile(m.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = output.Close() }()
	cmd := exec.Command(m.program)
	cmd.Env, cmd.Stdout, cmd.Stderr = m.env, output, output
	running, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running, m.killed, m.away = running, false, crashPause
	return nil
}

func (m *member) supervise() {
	defer close(m.done)
	for {
		select {
		case <-m.running.Done():
		case <-m.stopped:
			return
		}
		m.mu.Lock()
		away := m.away
		if !m.killed {
			m.crashes = append(m.crashes, fmt.Sprintf("%s %s: %v: %s", time.Now().Format(clock), m.name, m.running.Err(), lastLine(m.log())))
		}
		m.mu.Unlock()
		select {
		case <-time.After(away):
		case <-m.stopped:
			return
		}
		if err := m.launch(); err != nil {
			fmt.Fprintf(os.Stderr, "chaos: start %s again: %v\n", m.name, err)
			return
		}
	}
}

// stop ends the process in order.
func (m *member) stop() error {
	close(m.stopped)
	<-m.done
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	_ = m.running.Signal(syscall.SIGCONT)
	if err := m.running.Stop(ctx, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop %s: %w", m.name, err)
	}
	var exit *exec.ExitError
	if err := m.running.Err(); errors.As(err, &exit) && !m.killed {
		return fmt.Errorf("%s ended with %w", m.name, err)
	}
	return nil
}

// kill ends the process as kill -9 does, and returns when it is gone. It is
// started again after a while.
func (m *member) kill(away time.Duration) {
	m.mu.Lock()
	running := m.running
	m.killed, m.away = true, away
	m.mu.Unlock()
	_ = syscall.Kill(running.PID(), syscall.SIGKILL)
	<-running.Done()
}

// pause stops the process, without what it has started, for a while.
func (m *member) pause(during time.Duration) {
	pid := m.pid()
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	time.AfterFunc(during, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
}

func (m *member) pid() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running.PID()
}

// log returns what the process wrote.
func (m *member) log() string {
	content, _ := os.ReadFile(m.logFile)
	return string(content)
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func newMember(w *world, name, program string, env ...string) *member {
	return &member{
		name: name, program: filepath.Join(w.bin, program), logFile: filepath.Join(w.logs, name+".log"),
		env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.bin, "VAULT_KEEPER_URL=" + keeperURL, "ADMIN_TOKEN=" + adminToken}, env...),
	}
}
