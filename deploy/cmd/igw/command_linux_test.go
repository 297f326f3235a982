package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Who says what became of an effect stands by it with that same word.
func TestStatementIsConfirmedOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag, typed    string
		code, requests int
		stderr         string
	}{
		{"--applied", "applied\n", exitOK, 1, "its caller is told that it succeeded"},
		{"--not-applied", " not applied \n", exitOK, 1, "its caller is told that it failed"},
		{"--not-applied", "applied\n", exitFailed, 0, "nothing was done"},
		{"--applied", "not applied\n", exitFailed, 0, "nothing was done"},
		{"--applied", "yes\n", exitFailed, 0, "nothing was done"},
		{"--applied", "\x04", exitFailed, 0, "nothing was done"}, // the end of the input
	} {
		t.Run(fmt.Sprintf("%s %q", c.flag, c.typed), func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, examples)
			person, keyboard := terminal(t)
			if _, err := person.WriteString(c.typed); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"--gateway-url", e.URL, "command", "reconcile", "c1", c.flag}, console{
				env: func(string) string { return adminToken }, stdin: keyboard, stdout: &stdout, stderr: &stderr,
			})
			if code != c.code || !strings.Contains(stderr.String(), c.stderr) || len(e.requests) != c.requests {
				t.Errorf("exit code %d, %d requests, %s", code, len(e.requests), &stderr)
			}
			if !strings.Contains(stderr.String(), "cannot be undone") {
				t.Errorf("told: %s", &stderr)
			}
		})
	}
}
