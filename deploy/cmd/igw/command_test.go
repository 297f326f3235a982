package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/contracts"
	"integration.gateway/contracts/audit"
)

// What became of an effect is said the same way wherever a command is shown.
func TestWhatBecameOfAnEffectIsPlainToSee(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, effect, by string
		want              string
	}{
		"under way":           {"effect-started", "started", "", "started"},
		"done":                {"succeeded", "confirmed", "", "confirmed"},
		"refused":             {"failed", "not-applied", "", "not-applied"},
		"in doubt":            {"effect-unknown", "unknown", "", "in doubt"},
		"found by the flow":   {"succeeded", "reconciled-applied", "flow", "applied, says the reconcile flow"},
		"denied by the flow":  {"failed", "reconciled-not-applied", "flow", "not applied, says the reconcile flow"},
		"stated by a person":  {"succeeded", "reconciled-applied", "operator", "applied, says an operator"},
		"denied by a person":  {"failed", "reconciled-not-applied", "operator", "not applied, says an operator"},
		"found late":          {"found-late", "found-late", "flow", "applied late, says the reconcile flow"},
		"told by its service": {"succeeded", "reconciled-applied", "command", "applied, says its service"},
		"told by somebody":    {"succeeded", "reconciled-applied", "", "applied  "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := audit.Command{CommandID: "c1", State: c.state, Effect: "order", EffectState: c.effect, ReconciledBy: c.by}
			e := newEdge(t, func(_, res any) error {
				switch res := res.(type) {
				case *audit.Commands:
					res.Commands = []audit.Command{command}
				case *audit.CommandStory:
					res.Command = &command
				}
				return nil
			})
			list, show := e.igw(t, "", nil, "command", "list"), e.igw(t, "", nil, "command", "show", "c1")
			if want := c.state + "  " + c.want + "  "; !strings.Contains(list.stdout, want) {
				t.Errorf("%q is missing in\n%s%s", want, list.stdout, list.stderr)
			}
			if want := "order: " + strings.TrimSpace(c.want) + "\n"; !strings.Contains(show.stdout, want) {
				t.Errorf("%q is missing in\n%s%s", want, show.stdout, show.stderr)
			}
			if hint := strings.Contains(show.stdout, "igw command reconcile c1"); hint != (c.effect == "unknown" || c.effect == "reconciled-not-applied") {
				t.Errorf("the way out is named: %t, in\n%s", hint, show.stdout)
			}
		})
	}
}

func TestReconcileSendsWhatWasSaid(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for line, want := range map[string]audit.Statement{
		"":                                  {},
		"--yes":                             {},
		"--applied --yes":                   {Applied: &yes},
		"--not-applied --yes --note=absent": {Applied: &no, Note: "absent"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, func(_, res any) error {
				*res.(*audit.Command) = audit.Command{
					CommandID: "c1", State: "succeeded", Effect: "order", EffectState: "reconciled-applied", ReconciledBy: "flow",
				}
				return nil
			})
			got := e.igw(t, "", nil, append([]string{"command", "reconcile", "c1"}, strings.Fields(line)...)...)
			if got.code != exitOK || !strings.Contains(got.stdout, "succeeded") || !strings.Contains(got.stdout, "order: applied, says the reconcile flow") {
				t.Fatalf("got %+v", got)
			}
			wanted := &audit.ReconcileCommandRequest{CommandID: "c1", Body: want}
			if diff := cmp.Diff([]any{wanted}, e.requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReconcileOfWhatCannotBeMeantSendsNothing(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		code   int
		stderr string
	}{
		"c1 --applied --not-applied --yes": {exitUsage, "can't be used together"},
		"c1 --note=absent":                 {exitUsage, "--applied or --not-applied"},
		"":                                 {exitUsage, "<command>"},
		"c1 --applied":                     {exitFailed, "--yes"}, // there is no terminal
		"c1 --not-applied":                 {exitFailed, "--yes"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			e := newEdge(t, examples)
			got := e.igw(t, "applied\n", nil, append([]string{"command", "reconcile"}, strings.Fields(line)...)...)
			if got.code != want.code || !strings.Contains(got.stderr, want.stderr) || len(e.requests) != 0 {
				t.Errorf("got %+v after %d requests", got, len(e.requests))
			}
		})
	}
}

func TestCommandThatCannotBeSettledSaysWhy(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(_, _ any) error {
		return contracts.Errorf(contracts.Invalid, "the command is not in doubt: its state is succeeded")
	})
	got := e.igw(t, "", nil, "command", "reconcile", "c1")
	if got.code != exitFailed || got.stdout != "" || !strings.HasSuffix(got.stderr, "igw: the command is not in doubt: its state is succeeded\n") {
		t.Errorf("got %+v", got)
	}
}
