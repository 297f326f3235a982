// Package flowtest plays the flows of a site in tests: for one account of the application, in a real browser.
package flowtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"

	"integration.gateway/pkg/browser"
	"integration.gateway/pkg/flow"
	"integration.gateway/pkg/testenv"
)

// closeIn bounds the end of a test's browser.
const closeIn = 20 * time.Second

// OpenPool gives the test a browser of its own.
func OpenPool(t testing.TB) *browser.Pool {
	t.Helper()
	pool, err := browser.Open(t.Context(), browser.Config{Path: testenv.Chromium(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeIn)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// Player plays a site's flows for one account of the application, in a browser context that knows nothing of others. What is
// proven of its sign-in in one playing holds for the next, as in a service.
type Player struct {
	Site    *flow.Site
	Page    *browser.Page
	Account *flow.Account
	SignIns int // how often the credentials were taken

	OneTimeSecret string // of the user, where the application asks for one-time codes
}

// NewPlayer leases a page of the pool until the test ends.
func NewPlayer(t testing.TB, pool *browser.Pool, site *flow.Site, username, password string) *Player {
	t.Helper()
	page, err := pool.Acquire(t.Context(), browser.Tenant{Account: t.Name() + " " + username, Origins: site.Origins()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Release(false) })
	p := &Player{Site: site, Page: page}
	p.Account = &flow.Account{
		Credentials: func(context.Context) (flow.Credentials, error) {
			p.SignIns++
			return flow.Credentials{Username: username, Password: password, OneTimeSecret: p.OneTimeSecret}, nil
		},
		CloseIdle: page.CloseIdleConnections,
	}
	p.Account.Proven = func(at time.Time, session map[string]any) {
		if p.Account.ProvenAt = at; session != nil {
			p.Account.Session = session
		}
	}
	return p
}

// Attempt is one playing of an operation. It keeps the vars of its effect, for the reconcile flow.
type Attempt struct {
	flow.Job

	Effects   []string // the kinds of those that began
	BeforeAct func()   // what happens at the application at the last moment; may be nil
	Trace     flow.Trace
}

// Attempt makes an attempt at an operation, with a command id of its own.
func (p *Player) Attempt(operation string, request map[string]any) *Attempt {
	a := &Attempt{Job: flow.Job{
		Operation: operation, Request: request, CommandID: uuid.Must(uuid.NewV7()).String(), StartedAt: time.Now(), Account: p.Account,
	}}
	a.Effect = a
	return a
}

// Started implements flow.EffectRecorder.
func (a *Attempt) Started(_ context.Context, kind string, vars map[string]any) error {
	a.Effects = append(a.Effects, kind)
	a.Vars = maps.Clone(vars)
	if a.BeforeAct != nil {
		a.BeforeAct()
	}
	return nil
}

// Act implements flow.EffectRecorder.
func (a *Attempt) Act(context.Context) error { return nil }

// Holds implements flow.EffectRecorder.
func (a *Attempt) Holds() bool { return true }

// Play carries an attempt out. Its result is that of the contract, also one in part that comes with a failure after the effect.
func (p *Player) Play(t testing.TB, a *Attempt) (json.RawMessage, *flow.Failure) {
	t.Helper()
	result, trace, err := p.Site.Play(t.Context(), p.Page.Rod(), a.Job)
	a.Trace = trace
	var failure *flow.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Fatalf("%s: %v", a.Operation, err)
	}
	return result, failure
}

// SignIn proves that the account is signed in, or signs it in. It returns why that failed, nil when it did not.
func (p *Player) SignIn(t testing.TB) *flow.Failure {
	t.Helper()
	_, err := p.Site.SignIn(t.Context(), p.Page.Rod(), p.Account)
	var failure *flow.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Fatalf("sign in: %v", err)
	}
	return failure
}

// Reconcile asks the reconcile flow whether the attempt had its effect.
func (p *Player) Reconcile(t testing.TB, a *Attempt) flow.Verdict {
	t.Helper()
	verdict, _, err := p.Site.Reconcile(t.Context(), p.Page.Rod(), a.Job)
	if err != nil {
		t.Fatalf("reconcile %s: %v", a.Operation, err)
	}
	return verdict
}
