package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// candidates are the browsers to look for, best first: the headless shell
// needs half of Chromium's memory and time to start. Debian's own binaries
// come before its wrapper scripts, which add flags and stay in between.
var candidates = []string{
	"/usr/lib/chromium/chromium-headless-shell",
	"chromium-headless-shell",
	"chrome-headless-shell",
	"/usr/lib/chromium/chromium",
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
}

// ErrNotFound says that there is no Chromium on this machine.
var ErrNotFound = errors.New("no Chromium found: install chromium-headless-shell or chromium " +
	"(Debian: apt-get install chromium-headless-shell), or set CHROMIUM to its path")

// Find returns the path of a Chromium. The environment variable CHROMIUM, if
// set, names it, as a path or as a command in PATH. Otherwise it is the first
// of chromium-headless-shell, chromium and google-chrome that is installed.
func Find() (string, error) {
	if named := os.Getenv("CHROMIUM"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CHROMIUM: %w", err)
		}
		return path, nil
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", ErrNotFound
}

// isHeadlessShell tells a headless shell by its name.
func isHeadlessShell(path string) bool {
	return strings.Contains(filepath.Base(path), "headless-shell")
}
