package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"integration.gateway/pkg/process"
)

// The test binary is its own parent program: with this variable it starts a child, prints the child's process id and waits.
const parentVariable = "PROCESS_TEST_PARENT"

func TestMain(m *testing.M) {
	if script := os.Getenv(parentVariable); script != "" {
		child, err := process.Start(exec.Command("sh", "-c", script), syscall.SIGTERM)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(child.PID())
		<-child.Done()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func start(t *testing.T, script string) *process.Process {
	t.Helper()
	child, err := process.Start(exec.Command("sh", "-c", script), syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Signal(syscall.SIGKILL)
		<-child.Done()
	})
	return child
}

func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func TestErrIsTheExitCode(t *testing.T) {
	t.Parallel()
	if err := start(t, "exit 0").Err(); err != nil {
		t.Errorf("exit code 0: %v", err)
	}
	var exit *exec.ExitError
	if err := start(t, "exit 3").Err(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("exit code 3: %v", err)
	}
}

func TestStartNamesTheMissingProgram(t *testing.T) {
	t.Parallel()
	_, err := process.Start(exec.Command("/no/such/program"), syscall.SIGKILL)
	if err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("error: %v", err)
	}
}

func TestStopLetsTheChildEndInOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	child := start(t, `trap 'echo bye >>`+file+`; exit 0' TERM; echo ready >`+file+`; while :; do sleep 0.02; done`)
	awaitContent(within(t, 10*time.Second), t, file, "ready")
	if err := child.Stop(within(t, 10*time.Second), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitContent(within(t, time.Second), t, file, "bye")
	if err := child.Stop(within(t, time.Second), syscall.SIGTERM); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

func TestStopKillsAChildThatDoesNotListen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	child := start(t, `trap '' TERM; echo ready >`+file+`; while :; do sleep 0.02; done`)
	awaitContent(within(t, 10*time.Second), t, file, "ready")
	err := child.Stop(within(t, 100*time.Millisecond), syscall.SIGTERM)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error: %v", err)
	}
	awaitEnd(within(t, 10*time.Second), t, child.PID())
}

func TestChildEndsWithAKilledParent(t *testing.T) {
	t.Parallel()
	parent := exec.CommandContext(within(t, 20*time.Second), os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=while :; do sleep 0.02; done")
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	lines.Scan()
	pid, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	awaitEnd(within(t, 10*time.Second), t, pid)
}

func awaitContent(ctx context.Context, t *testing.T, file, content string) {
	t.Helper()
	await(ctx, t, content+" in "+file, func() bool {
		found, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(found), content)
	})
}

func awaitEnd(ctx context.Context, t *testing.T, pid int) {
	t.Helper()
	await(ctx, t, fmt.Sprintf("end of process %d", pid), func() bool {
		// An orphan that nobody waits for stays as a zombie where the container's first process does not reap.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

func await(ctx context.Context, t *testing.T, what string, happened func() bool) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !happened() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("no %s", what)
		}
	}
}
