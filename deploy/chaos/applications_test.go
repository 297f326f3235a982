package chaos_test

import (
	"encoding/json"
	"strings"
	"testing"

	"integration.gateway/contracts"
	"integration.gateway/contracts/catalog"
)

// TestEveryWriteIsTried finds operations of the catalogue that have an effect
// and take no part, and wishes that cannot be told from each other.
func TestEveryWriteIsTried(t *testing.T) {
	t.Parallel()
	tried, lanes := map[string]*operation{}, map[string]int{}
	for _, a := range applicationsOf(allIntegrations) {
		lanes[a.name] = len(a.lanes)
		for _, l := range a.lanes {
			for _, op := range l.operations {
				tried[op.ID()] = op
			}
		}
	}
	for _, entry := range catalog.All() {
		info := entry.Info()
		op := tried[info.ID()]
		switch {
		case !info.ActsOnAccount() || info.Effect == contracts.NoEffect:
		case op == nil || op.opens == "" || op.sends == "":
			t.Errorf("%s is not tried", info.ID())
		default:
			expectMarks(t, op, lanes[info.Integration])
		}
	}
}

// expectMarks looks at the marks of some wishes that a lane has one after the
// other.
func expectMarks(t *testing.T, op *operation, lanes int) {
	t.Helper()
	const few = 3
	marks := map[string]bool{}
	for n := range few {
		w := op.wish(n * lanes)
		body, err := json.Marshal(w.body)
		if err != nil {
			t.Fatal(err)
		}
		if w.mark == "" || !strings.Contains(w.path+string(body), w.mark) {
			t.Errorf("%s: the request %s %s has no mark %q", op.ID(), w.path, body, w.mark)
		}
		marks[w.mark] = true
	}
	if len(marks) < few {
		t.Errorf("%s: %d wishes have the marks %v", op.ID(), few, marks)
	}
}
