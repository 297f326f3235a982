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
		t.Fatal("no Xvfb in PATH to show a browser on: install the package xvfb (make prepare does)")
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

func TestAHeadedBrowserShowsItsWindowsAndIsGoneAfterwards(t *testing.T) {
	t.Setenv("CHROMIUM", "") // the pool finds one that has windows
	newDisplay(t)
	dir := openDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pool, err := browser.Open(ctx, browser.Config{Headed: true, Dir: dir, Reserve: -1})
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

// TestTheHeadlessShellIsPreferred has both Chromiums installed: who shows
// nothing runs the smaller one, also when another comes first in PATH.
func TestTheHeadlessShellIsPreferred(t *testing.T) {
	t.Setenv("CHROMIUM", "")
	for _, order := range [][]string{{"chromium", "chromium-headless-shell"}, {"chromium-headless-shell", "chromium"}} {
		var folders []string
		for _, name := range order {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			folders = append(folders, folder)
		}
		t.Setenv("PATH", strings.Join(folders, string(filepath.ListSeparator)))
		found, err := browser.Find()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{found, testenv.Chromium(t)} {
			if filepath.Base(path) != "chromium-headless-shell" {
				t.Errorf("%v: %s is run", order, path)
			}
		}
	}
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
