package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/testenv"
)

// parentVar makes the test binary a process that opens a pool in the
// directory that it names, says "ready" and waits for its end.
const parentVar = "BROWSER_TEST_PARENT"

func beParent() {
	ctx := context.Background()
	pool, err := browser.Open(ctx, browser.Config{Path: os.Getenv("CHROMIUM"), Dir: os.Getenv(parentVar)})
	if err == nil {
		_, err = pool.Acquire(ctx, browser.Tenant{Account: "anna"})
	}
	fmt.Println("ready", err)
	time.Sleep(patience)
	os.Exit(1)
}

func TestAKilledParentLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVar+"="+dir, "CHROMIUM="+testenv.Chromium(t))
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = parent.Wait() }()
	defer func() { _ = parent.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready <nil>\n" {
		t.Fatalf("the parent says %q, %v", line, err)
	}
	if len(processes(t, dir)) == 0 {
		t.Fatal("no process found")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing left", func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == 0 && len(processes(t, dir)) == 0
	})
}

func TestChromiumRunsAsAnOrdinaryUserInItsSandbox(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Log("the caller is an ordinary user; so is Chromium")
	}
	b := setup(t, browser.Config{})
	page := b.acquire("anna")
	defer page.Release(true)
	b.visit(page, "/blank.html")
	want := strconv.Itoa(os.Geteuid())
	if os.Geteuid() == 0 {
		want = "65534"
	}
	renderers := 0
	for _, pid := range processes(t, b.dir) {
		proc := fmt.Sprintf("/proc/%d/", pid)
		cmdline, _ := os.ReadFile(proc + "cmdline")
		if bytes.Contains(cmdline, []byte("while read")) {
			continue // the janitor
		}
		if bytes.Contains(cmdline, []byte("no-sandbox")) && !bytes.Contains(cmdline, []byte("--type=utility")) {
			t.Errorf("without a sandbox: %q", cmdline)
		}
		status, err := os.ReadFile(proc + "status")
		if err != nil {
			continue // it has ended
		}
		if uids := field(status, "Uid:"); len(uids) != 4 || uids[0] != want || uids[1] != want {
			t.Errorf("process %d runs as %v", pid, uids)
		}
		if bytes.Contains(cmdline, []byte("--type=renderer")) {
			renderers++
			if seccomp := field(status, "Seccomp:"); len(seccomp) != 1 || seccomp[0] != "2" {
				t.Errorf("renderer %d has no system call filter: %v", pid, seccomp)
			}
		}
	}
	if renderers == 0 {
		t.Error("no renderer found")
	}
	info, err := filepath.Glob(b.dir + "/igw-*")
	if err != nil || len(info) != 1 {
		t.Fatalf("directories: %v, %v", info, err)
	}
	if dir, err := os.Stat(info[0]); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("its directory is open to others: %v, %v", dir.Mode(), err)
	}
}

// A spare renderer that Chromium keeps for one context would be made anew at each turn of another.
func TestContextsThatTakeTurnsNeedNoFurtherRenderers(t *testing.T) {
	t.Parallel()
	const turns = 6
	b := setup(t, browser.Config{Reserve: 1})
	anna, bert := b.acquire("anna"), b.acquire("bert")
	defer anna.Release(true)
	defer bert.Release(true)
	seen := map[int]bool{}
	for range turns {
		for _, page := range []*browser.Page{anna, bert} {
			b.visit(page, "/blank.html")
			for _, pid := range processes(t, b.dir) {
				if cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(cmdline, []byte("--type=renderer")) {
					seen[pid] = true
				}
			}
		}
	}
	if n := len(seen); n == 0 || n >= turns {
		t.Errorf("%d renderers for two contexts and one in reserve", n)
	}
}

func field(status []byte, name string) []string {
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.Fields(rest)
		}
	}
	return nil
}

func TestChromiumSeesNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("ADMIN_TOKEN", "very-secret-token")
	b := setup(t, browser.Config{})
	for _, pid := range processes(t, b.dir) {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if bytes.Contains(environ, []byte("very-secret-token")) {
			t.Errorf("process %d has our token", pid)
		}
	}
}

// script writes an executable in the place of Chromium.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(openDir(t), "chromium")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAStartThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"it ends":           {"echo No usable sandbox >&2; exit 3", "exit status 3; its last words: No usable sandbox (its sandbox needs user namespaces"},
		"it never answers":  {"echo thinking >&2; sleep 100", "no answer within 1s; its last words: thinking"},
		"it is no Chromium": {`printf 'hello\0' >&4; cat <&3 >/dev/null`, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := openDir(t)
			_, err := browser.Open(context.Background(), browser.Config{
				Path: script(t, test.script), Dir: dir, StartTimeout: time.Second,
			})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
			assertNothingLeft(t, dir)
		})
	}
}

func TestFindTakesTheNamedBinaryAndSaysWhatToInstall(t *testing.T) {
	named := script(t, "")
	t.Setenv("CHROMIUM", named)
	if got, err := browser.Find(); err != nil || got != named {
		t.Errorf("Find() = %q, %v", got, err)
	}
	t.Setenv("CHROMIUM", "/no/such/browser")
	if _, err := browser.Find(); err == nil || !strings.Contains(err.Error(), "CHROMIUM: ") {
		t.Errorf("Find() with a wrong name: %v", err)
	}
	t.Setenv("CHROMIUM", "")
	if got, err := browser.Find(); err != nil || got == "" {
		t.Errorf("Find() = %q, %v", got, err)
	}
}
