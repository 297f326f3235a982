package browser

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// sweep waits for the end of its input, which comes when we end, and removes
// the directory until it stays away: Chromium is ending at the same time.
const sweep = `while read -r _; do :; done; for _ in 1 2 3 4 5; do rm -rf -- "$1"; sleep 0.2; done`

// janitor removes Chromium's directory when this process ends without doing
// it, as when it is killed. It is a shell that waits on a pipe of ours.
type janitor struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

func startJanitor(dir string) (*janitor, error) {
	cmd := exec.Command("/bin/sh", "-c", sweep, "sh", dir) //nolint:noctx // it is to outlive us
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // out of the terminal's reach
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the janitor: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the janitor: %w", err)
	}
	return &janitor{cmd: cmd, pipe: pipe}, nil
}

// dismiss ends the janitor; the directory is the caller's to remove.
func (j *janitor) dismiss() {
	_ = j.cmd.Process.Kill() // it has nothing to save
	_ = j.cmd.Wait()         // reports the kill
	_ = j.pipe.Close()
}
