//go:build !linux

package browser

import (
	"os"
	"syscall"
)

// endWithParent does nothing: here Chromium ends when its pipe closes, and
// that is all.
func endWithParent(*syscall.SysProcAttr) {}

// awaitExit returns when the child has ended.
func awaitExit(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_, _ = p.Wait()
	}
}
