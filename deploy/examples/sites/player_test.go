package sites_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"integration.gateway/contracts"
	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

// openPool gives the test a browser of its own.
func openPool(t *testing.T) *browser.Pool {
	t.Helper()
	pool, err := browser.Open(t.Context(), browser.Config{Path: testenv.Chromium(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// load reads an example, such as dealer-sales/fossil, for the application that was started for it. An example is one to follow, so
// there is nothing to be warned of in it.
func load(t *testing.T, example string, a *application, operations []contracts.Entry) *flow.Site {
	t.Helper()
	site, err := flow.Load(os.DirFS(filepath.FromSlash(example)), flow.ContractsOf(operations...))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range site.Warnings() {
		t.Errorf("a warning: %v", warning)
	}
	if site, err = site.WithBaseURL(a.URL); err != nil {
		t.Fatal(err)
	}
	return site
}

// player plays a site's flows for one account of the application, in a browser that knows nothing of others.
type player struct {
	site *flow.Site
	page *browser.Page
	user flow.Credentials

	signIns int // how often the credentials were taken
}

func newPlayer(t *testing.T, site *flow.Site, pool *browser.Pool, username, password string) *player {
	t.Helper()
	page, err := pool.Acquire(t.Context(), browser.Tenant{Account: t.Name() + " " + username, Origins: site.Origins()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Release(false) })
	return &player{site: site, page: page, user: flow.Credentials{Username: username, Password: password}}
}

// attempt is one playing of an operation, with what is kept of it for the reconcile flow.
type attempt struct {
	flow.Job

	effects   int
	beforeAct func() // what happens at the application at the last moment; may be nil
}

func (p *player) attempt(operation string, request map[string]any) *attempt {
	a := &attempt{Job: flow.Job{
		Operation: operation, Request: request, CommandID: uuid.Must(uuid.NewV7()).String(), StartedAt: time.Now(),
		Account: &flow.Account{Credentials: func(context.Context) (flow.Credentials, error) {
			p.signIns++
			return p.user, nil
		}},
	}}
	a.Effect = a
	return a
}

// Started implements flow.EffectRecorder.
func (a *attempt) Started(_ context.Context, _ string, vars map[string]any) error {
	a.effects++
	a.Vars = maps.Clone(vars)
	if a.beforeAct != nil {
		a.beforeAct()
	}
	return nil
}

// Act implements flow.EffectRecorder.
func (a *attempt) Act(context.Context) error { return nil }

// Holds implements flow.EffectRecorder.
func (a *attempt) Holds() bool { return true }

// play carries an attempt out. The vars of an effect are kept in it, and not given to this playing.
func (p *player) play(t *testing.T, a *attempt) (json.RawMessage, *flow.Failure) {
	t.Helper()
	result, _, err := p.site.Play(t.Context(), p.page.Rod(), a.Job)
	var failure *flow.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Fatal(err)
	}
	return result, failure
}

// gives carries out an operation that must succeed.
func (p *player) gives(t *testing.T, operation string, request map[string]any) json.RawMessage {
	t.Helper()
	result, failure := p.play(t, p.attempt(operation, request))
	if failure != nil {
		t.Fatalf("%s: %v", operation, failure)
	}
	return result
}

// refused carries out an operation to which the application, or the flow, must say no before anything is done.
func (p *player) refused(t *testing.T, operation string, request map[string]any, outcome flow.Outcome, message string) {
	t.Helper()
	a := p.attempt(operation, request)
	_, failure := p.play(t, a)
	if failure == nil || !failure.Declared || failure.Outcome != outcome || failure.Message != message {
		t.Errorf("%s: got %+v, want %s: %s", operation, failure, outcome, message)
	}
	if a.effects != 0 {
		t.Errorf("%s: the effect had begun", operation)
	}
}

// reconcile asks the reconcile flow whether the attempt had its effect.
func (p *player) reconcile(t *testing.T, a *attempt) flow.Verdict {
	t.Helper()
	verdict, _, err := p.site.Reconcile(t.Context(), p.page.Rod(), a.Job)
	if err != nil {
		t.Fatalf("reconcile %s: %v", a.Operation, err)
	}
	return verdict
}

// equal compares what was given with what is wanted, as JSON.
func equal(t *testing.T, got []byte, want any) {
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
