package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// stopTimeout is how long Chromium may take to end by itself once its pipe is
// closed; its process group is killed then. It has nothing to save.
const stopTimeout = 2 * time.Second

// process is a running Chromium and the connection to it.
type process struct {
	pid    int
	conn   *conn
	dir    string
	stderr *tail
	exited chan struct{} // closed when the process group is gone and reaped
	status error         // how it exited; read it after exited
}

// startProcess starts Chromium and returns when it answers. Observe sees its
// events from the first on.
func startProcess(ctx context.Context, cfg Config, observe func(*cdp.Event)) (*process, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.StartTimeout,
		fmt.Errorf("no answer within %v", cfg.StartTimeout))
	defer cancel()
	p, err := launch(cfg, observe)
	if err != nil {
		return nil, fmt.Errorf("browser: start %s: %w", cfg.Path, err)
	}
	if _, err := p.conn.Call(ctx, "", proto.BrowserGetVersion{}.ProtoReq(), nil); err != nil {
		p.stop(ErrGone)
		if p.status != nil && errors.Is(err, ErrGone) {
			err = p.status
		}
		return nil, fmt.Errorf("browser: start %s: %w; its last words: %s%s", cfg.Path, err, p.stderr, p.advice())
	}
	return p, nil
}

// launch starts Chromium, with its directory and its janitor.
func launch(cfg Config, observe func(*cdp.Event)) (_ *process, err error) {
	dir, err := makeDir(cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // the first error is the one to report
		}
	}()
	janitor, err := startJanitor(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			janitor.dismiss()
		}
	}()
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, stderr: &tail{}, exited: make(chan struct{})}
	cmd := command(cfg, dir, pipes.childIn, pipes.childOut)
	cmd.Stderr = p.stderr
	cmd.WaitDelay = time.Second // whoever else holds standard error

	started := make(chan error, 1)
	go p.run(cmd, janitor, started)
	err = <-started
	pipes.closeChild()
	if err != nil {
		pipes.closeOurs()
		if errors.Is(err, os.ErrPermission) {
			err = fmt.Errorf("%w (can the user that it runs as reach it, and %s?)", err, dir)
		}
		return nil, err
	}
	p.pid = cmd.Process.Pid
	p.conn = newConn(pipes.in, pipes.out, maxFrame, observe)
	return p, nil
}

// makeDir makes Chromium's directory, which none but its user can read.
func makeDir(cfg Config) (string, error) {
	dir, err := os.MkdirTemp(cfg.Dir, "igw-chromium-")
	if err != nil {
		return "", fmt.Errorf("make its directory: %w", err)
	}
	if cfg.Headed {
		err = copyAuthority(dir)
	}
	if err == nil {
		err = giveTo(cfg, dir)
	}
	if err != nil {
		return "", fmt.Errorf("make its directory: %w", errors.Join(err, os.RemoveAll(dir)))
	}
	return dir, nil
}

// giveTo gives what is in Chromium's directory, and itself, to its user.
func giveTo(cfg Config, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Chown(filepath.Join(dir, file.Name()), cfg.UID, cfg.GID); err != nil {
			return err
		}
	}
	return os.Chown(dir, cfg.UID, cfg.GID)
}

// run is the process's one goroutine. It stays on its thread for as long as
// Chromium runs, since the kernel takes that thread's end for the parent's.
func (p *process) run(cmd *exec.Cmd, janitor *janitor, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	awaitExit(cmd.Process.Pid)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its children, if any are left
	p.status = cmd.Wait()
	awaitGroup(cmd.Process.Pid)
	p.removeDir()
	janitor.dismiss()
	close(p.exited)
}

// awaitGroup waits for killed children to be gone too. They are not ours to
// reap; where nobody reaps them they stay as zombies, so it waits only so long.
func awaitGroup(group int) {
	for range 50 {
		if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// removeDir removes the directory, again while a dying child still writes.
func (p *process) removeDir() {
	for range 50 {
		if os.RemoveAll(p.dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// stop ends Chromium, its children and its directory, and returns when they
// are gone. Calls under way end with the cause.
func (p *process) stop(cause error) {
	p.conn.close(cause)
	overdue := time.AfterFunc(stopTimeout, p.kill)
	defer overdue.Stop()
	<-p.exited
}

// kill ends the process group at once. The leader is not yet reaped while
// exited is open, or has just been, so the number is still its own.
func (p *process) kill() {
	select {
	case <-p.exited:
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // ESRCH: it was quicker
	}
}

// advice says what to do about the usual reason why Chromium does not start.
func (p *process) advice() string {
	if !containsAny(p.stderr.String(), "No usable sandbox", "Failed to move to new namespace") {
		return ""
	}
	return " (its sandbox needs user namespaces: in a container, use a seccomp profile that allows them; " +
		"on the host, check kernel.unprivileged_userns_clone and AppArmor)"
}
