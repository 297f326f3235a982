package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// newDisplay starts an X server that lets in who has its key alone.
func newDisplay(t *testing.T) {
	t.Helper()
	server, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no Xvfb to show a browser on (Debian: apt-get install xvfb)")
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, cookie("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	number, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer number.Close()
	cmd := exec.CommandContext(t.Context(), server, "-displayfd", "3", "-auth", key, "-nolisten", "tcp", "-screen", "0", "1400x1000x24")
	cmd.ExtraFiles = []*os.File{tell}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tell.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(number).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(line))
	t.Setenv("XAUTHORITY", key)
}

// cookie is the file of a key that fits every display.
func cookie(key string) []byte {
	var file bytes.Buffer
	const anyFamily = 0xffff
	_ = binary.Write(&file, binary.BigEndian, uint16(anyFamily))
	for _, part := range []string{"", "", "MIT-MAGIC-COOKIE-1", key} {
		_ = binary.Write(&file, binary.BigEndian, uint16(len(part)))
		file.WriteString(part)
	}
	return file.Bytes()
}

// windowed is a Chromium that has windows to show.
func windowed(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/lib/chromium/chromium", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium but the headless shell (Debian: apt-get install chromium)")
	return ""
}

func TestAHeadedBrowserShowsItsWindowsAndIsGoneAfterwards(t *testing.T) {
	path := windowed(t)
	newDisplay(t)
	dir := openDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pool, err := browser.Open(ctx, browser.Config{Path: path, Headed: true, Dir: dir, Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	page, err := pool.Acquire(ctx, browser.Tenant{Account: "anna"})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := page.Rod().Eval("() => navigator.userAgent")
	if err != nil || strings.Contains(agent.Value.Str(), "Headless") {
		t.Errorf("%v, %v", agent, err)
	}
	page.Release(false)
	if err := pool.Close(ctx); err != nil {
		t.Error(err)
	}
	assertNothingLeft(t, dir)
}

func TestABrowserThatCannotBeShownSaysWhatIsMissing(t *testing.T) {
	t.Setenv("DISPLAY", "")
	for path, want := range map[string]string{
		"/opt/chromium-headless-shell": "apt-get install chromium",
		testenv.Chromium(t):            "", // whichever comes first
		"/opt/chromium":                "DISPLAY is not set",
	} {
		_, err := browser.Open(t.Context(), browser.Config{Path: path, Headed: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
