package testenv

import (
	"os/exec"
	"testing"
)

// Chromium returns the path of this machine's Chromium: Debian's chromium-headless-shell where there is one, which starts in half
// the time. A machine without any fails the test: a browser test that did not run has shown nothing.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("testenv: no Chromium in PATH: install the package chromium-headless-shell or chromium (make prepare does)")
	return ""
}
