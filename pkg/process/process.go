// Package process runs programs that must end with this one.
//
// A child started here is in a process group of its own, so that a Ctrl-C in the terminal reaches only its parent, which then
// stops it in order. On Linux the kernel also signals it when the parent dies without a word (kill -9, a panic).
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is a running child. Its methods may be called from any goroutine.
type Process struct {
	pid  int
	done chan struct{}
	err  error
}

// Start starts the command. When this process dies, the child receives lastSignal.
func Start(cmd *exec.Cmd, lastSignal syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	signalOnParentDeath(cmd.SysProcAttr, lastSignal)

	p := &Process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel takes the end of the starting thread for the parent's death: keep that thread while the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID is the child's process id.
func (p *Process) PID() int { return p.pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the child ended: nil for exit code 0, otherwise an *exec.ExitError. It blocks until the child has ended.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Signal sends a signal to the child's process group: the child and whatever it started that is still there. That none of
// them lives any more is no error.
func (p *Process) Signal(sig syscall.Signal) error {
	if err := syscall.Kill(-p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process %d: %w", p.pid, err)
	}
	return nil
}

// Stop sends the signal to the child alone and waits for its end. When the context ends first, the child's whole group is killed;
// the context's error is returned then.
func (p *Process) Stop(ctx context.Context, sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process %d: %w", p.pid, err)
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	err := fmt.Errorf("process %d had to be killed: %w", p.pid, ctx.Err())
	if killErr := p.Signal(syscall.SIGKILL); killErr != nil {
		return errors.Join(err, killErr)
	}
	<-p.done
	return err
}
