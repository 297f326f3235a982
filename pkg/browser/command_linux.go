package browser

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent has the kernel kill the child when the thread that starts it
// ends; the caller keeps that thread until the child has ended. It is for a
// Chromium that hangs: a sound one ends when its pipe closes.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitExit returns when the child has ended and before it is reaped, while
// its process group's number cannot be anyone else's.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
