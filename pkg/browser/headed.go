package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The environment variables of an X display.
const (
	display   = "DISPLAY"
	authority = "XAUTHORITY"
)

// The errors of a browser that is to be shown.
var (
	errNoDisplay = errors.New("there is no display to show the browser on: DISPLAY is not set")
	errNoWindow  = errors.New("the headless shell has no windows to show: install chromium (Debian: apt-get install chromium), " +
		"or set CHROMIUM to the path of a Chromium or Chrome")
)

// findHeaded is Find for a browser that is to be shown.
func findHeaded() (string, error) {
	if named := os.Getenv("CHROMIUM"); named != "" && !isHeadlessShell(named) {
		return Find()
	}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); err == nil && !isHeadlessShell(path) {
			return path, nil
		}
	}
	return "", errNoWindow
}

// displayEnvironment is what Chromium needs to know of the display.
func displayEnvironment(dir string) []string {
	env := []string{display + "=" + os.Getenv(display)}
	if _, err := os.Stat(authorityIn(dir)); err == nil {
		env = append(env, authority+"="+authorityIn(dir))
	}
	return env
}

func authorityIn(dir string) string { return filepath.Join(dir, "Xauthority") }

// copyAuthority copies the key of the display into Chromium's directory: it
// runs with another home, and maybe as another user, who cannot read the
// original. A display without one may have been opened to all.
func copyAuthority(dir string) error {
	path := os.Getenv(authority)
	if home, err := os.UserHomeDir(); path == "" && err == nil {
		path = filepath.Join(home, ".Xauthority")
	}
	key, err := os.ReadFile(path) //nolint:gosec // whoever sets XAUTHORITY runs this process
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the key of the display: %w", err)
	}
	return os.WriteFile(authorityIn(dir), key, 0o600) //nolint:gosec // in the directory that was just made
}
