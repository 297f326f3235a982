package flowtest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/flow"
)

// Gives carries out an operation that must succeed, and returns its result.
func (p *Player) Gives(t testing.TB, operation string, request map[string]any) json.RawMessage {
	t.Helper()
	return p.Succeeds(t, p.Attempt(operation, request))
}

// Succeeds carries out an attempt that must succeed, and returns its result.
func (p *Player) Succeeds(t testing.TB, a *Attempt) json.RawMessage {
	t.Helper()
	result, failure := p.Play(t, a)
	if failure != nil {
		t.Fatalf("%s: %v (outcome %q, cause %v)", a.Operation, failure, failure.Outcome, failure.Err)
	}
	return result
}

// Refuses carries out an operation to which the application, or the flow, must say no before anything is done.
func (p *Player) Refuses(t testing.TB, operation string, request map[string]any, outcome flow.Outcome, message string) {
	t.Helper()
	a := p.Attempt(operation, request)
	_, failure := p.Play(t, a)
	if failure == nil || !failure.Declared || failure.Outcome != outcome || failure.Message != message {
		t.Errorf("%s: got %+v, want %s: %s", operation, failure, outcome, message)
	}
	if len(a.Effects) != 0 {
		t.Errorf("%s: the effect had begun", operation)
	}
}

// HappensOnce carries out an attempt whose effect must be there exactly once after it, and not at all right before its act.
// Count asks the application how often it is there. The result is returned.
func (p *Player) HappensOnce(t testing.TB, a *Attempt, count func() int) json.RawMessage {
	t.Helper()
	a.BeforeAct = func() {
		if n := count(); n != 0 {
			t.Errorf("%s: %d are there before the effect", a.Operation, n)
		}
	}
	result := p.Succeeds(t, a)
	if n := count(); n != 1 || len(a.Effects) != 1 {
		t.Fatalf("%s: %d effects began, and %d are there", a.Operation, len(a.Effects), n)
	}
	return result
}

// InDoubt carries out an operation whose answer gets lost behind its effect step, as a fault of the application sees to. Only the
// reconcile flow can then tell whether the effect happened.
func (p *Player) InDoubt(t testing.TB, operation string, request map[string]any) *Attempt {
	t.Helper()
	a := p.Attempt(operation, request)
	if _, failure := p.Play(t, a); failure == nil || failure.Declared || !failure.EffectStarted {
		t.Fatalf("%s: got %+v, want the effect in doubt", operation, failure)
	}
	return a
}

// FindsItsOwn asks the reconcile flow for an attempt that had its effect, and for another command, which had none. It returns
// the evidence of the first.
func (p *Player) FindsItsOwn(t testing.TB, a *Attempt) json.RawMessage {
	t.Helper()
	verdict := p.Reconcile(t, a)
	if !verdict.Applied {
		t.Errorf("%s: the reconcile flow does not find what was done", a.Operation)
	}
	other := *a
	other.CommandID = "0199a0b4-7c1e-7000-8000-00000000c0de"
	if p.Reconcile(t, &other).Applied {
		t.Errorf("%s: the reconcile flow takes what was done for another command's", a.Operation)
	}
	return verdict.Evidence
}

// SignsInAgain carries out an operation twice; in between, the browser loses the session that the gateway has just proven.
func (p *Player) SignsInAgain(t testing.TB, operation string) {
	t.Helper()
	before := p.SignIns
	p.Gives(t, operation, nil)
	if err := p.Page.Rod().SetCookies(nil); err != nil {
		t.Fatal(err)
	}
	p.Gives(t, operation, nil)
	if n := p.SignIns - before; n != 2 {
		t.Errorf("%s: signed in %d times, want 2", operation, n)
	}
}

// Equal compares what was given with what is wanted, as JSON.
func Equal(t testing.TB, got []byte, want any) {
	t.Helper()
	wanted, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal(wanted, &b)); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
