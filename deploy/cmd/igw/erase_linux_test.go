package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"integration.gateway/contracts/accounts"
)

// terminal returns both ends of a terminal: what is written to person is what
// somebody types, and keyboard is a program's standard input.
func terminal(t *testing.T) (person, keyboard *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	keyboard, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	return person, keyboard
}

func TestErasingIsConfirmedOnATerminal(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]struct {
		code, requests int
		stderr         string
	}{
		"erase\n":                           {exitOK, 1, "cannot be undone"},
		"  erase \n":                        {exitOK, 1, "every proof holds"},
		"yes\n":                             {exitFailed, 0, "nothing was done"},
		"\n":                                {exitFailed, 0, "nothing was done"},
		"\x04":                              {exitFailed, 0, "nothing was done"}, // the end of the input
		strings.Repeat("erase ", 50) + "\n": {exitFailed, 0, "nothing was done"},
	} {
		t.Run(fmt.Sprintf("%.10q", typed), func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, examples)
			person, keyboard := terminal(t)
			if _, err := person.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"--gateway-url", e.URL, "account", "erase", "a1"}, console{
				env: func(string) string { return adminToken }, stdin: keyboard, stdout: &stdout, stderr: &stderr,
			})
			if code != want.code || !strings.Contains(stderr.String(), want.stderr) || len(e.requests) != want.requests {
				t.Errorf("exit code %d, %d requests, %s", code, len(e.requests), &stderr)
			}
			if erased := strings.Contains(stdout.String(), "erased"); erased != (code == exitOK) {
				t.Errorf("printed %s", &stdout)
			}
		})
	}
}

func TestErasingWithoutATerminalNeedsYes(t *testing.T) {
	t.Parallel()
	e := newEdge(t, examples)
	got := e.igw(t, "erase\n", nil, "account", "erase", "a1")
	if got.code != exitFailed || !strings.Contains(got.stderr, "--yes") || len(e.requests) != 0 {
		t.Errorf("got %+v after %d requests", got, len(e.requests))
	}
	got = e.igw(t, "", nil, "account", "erase", "a1", "--yes")
	if got.code != exitOK || !strings.Contains(got.stdout, "erased") || got.stderr != "" {
		t.Errorf("got %+v", got)
	}
	if req, ok := e.requests[0].(*accounts.AccountRequest); !ok || req.AccountID != "a1" {
		t.Errorf("asked for %+v", e.requests[0])
	}
}
