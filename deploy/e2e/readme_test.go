package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
	"integration.gateway/contracts/marketplace"
)

// readmeLimit bounds all commands of one section.
const readmeLimit = 3 * time.Minute

// The auditors' section of the README is followed to the letter, by a shell,
// beside a running stack.
func TestAnAuditorCanFollowTheReadme(t *testing.T) {
	programs.join(t)
	t.Parallel()
	g := start(t)
	r := g.send(http.MethodPost, marketplace.BuyNow.Path, g.demonstration(), marketplace.ItemChoice{ASIN: g.item("coffee").ASIN})
	command := r.header.Get(contracts.CommandIDHeader)
	g.awaitLog(func(log audit.LogState) error {
		if log.Head == 0 || log.Unsequenced != 0 || log.Copied != log.Head || log.Projected != log.Head || len(log.Problems) != 0 ||
			log.Checkpoint == nil || log.Checkpoint.Size != log.Head {
			return fmt.Errorf("the log's state is %+v", log)
		}
		return nil
	})

	dir := t.TempDir()
	g.lay(dir)
	said := bash(t, dir, "COMMAND="+command, readmeCommands(t, "For the auditor"))
	for _, want := range []string{
		"none missing",          // audit verify
		"log.bundle goes up to", // audit export
		"a part of the log cannot prove",
		"effect.confirmed",
		"order: confirmed", // command show
		"replayed up to",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in what the commands say:\n%s", want, said)
		}
	}

	// What the README says of damage holds too.
	bundle := filepath.Join(dir, "log.bundle")
	content, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bundle, []byte(strings.Replace(string(content), `"site":"sandbox"`, `"site":"sandboX"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bin/igw", "audit", "verify", "--bundle", "log.bundle")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "altered") {
		t.Errorf("a damaged bundle: %v: %s", err, out)
	}
}

// lay puts what the README's commands expect into a folder: .run/env and bin/igw.
func (g *gateway) lay(dir string) {
	g.Helper()
	if err := os.Mkdir(filepath.Join(dir, ".run"), 0o700); err != nil {
		g.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".run", "env"), []byte(g.env.String()), 0o600); err != nil {
		g.Fatal(err)
	}
	if err := os.Symlink(programs.get(g.T, build), filepath.Join(dir, "bin")); err != nil {
		g.Fatal(err)
	}
}

// bash runs a script that must succeed and returns what it says.
func bash(t *testing.T, dir, variable, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readmeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euxc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), variable)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// readmeCommands returns the lines of code in one section of the README.
func readmeCommands(t *testing.T, section string) string {
	t.Helper()
	content, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(content), "\n## "+section+"\n")
	if !found {
		t.Fatalf("the README has no section %q", section)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	var commands strings.Builder
	for line := range strings.Lines(text) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			commands.WriteString(code)
		}
	}
	return commands.String()
}
