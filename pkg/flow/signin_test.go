package flow_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"integration.gateway/pkg/flow"
)

const oneTimeSecret = "JBSWY3DPEHPK3PXP"

// members is a site with a sign-in, and one operation for members only.
type members struct {
	*shop
	signIns atomic.Int32
	// signOutAfter ends the session once, after so many pages for members.
	signOutAfter atomic.Int32
	asksCode     bool
	lands        string // where a sign-in leads
}

const membersSite = `
signIn:
  flow: sign-in.yaml
  home: /account
  signedIn: {selectors: ["#menu"]}
  signedOut: {selectors: ["form#login"]}
  rejected: {selectors: [".error"]}
  verify: {selectors: ["#otp"], flow: code.yaml}
  remember: {name: "#menu"}
operations: {op: {flow: op.yaml}}
`

func newMembers(t *testing.T) *members {
	t.Helper()
	m := &members{lands: "/account"}
	m.shop = newShop(t, membersSite, map[string]string{
		"sign-in.yaml": `steps:
  - {type: navigate, url: "{{ baseUrl }}/login"}
  - {type: change, selectors: ["#user"], value: "{{ account.username }}"}
  - {type: change, selectors: ["#password"], value: "{{ account.password }}"}
  - {type: click, selectors: ["#enter"]}
`,
		"code.yaml": `steps:
  - {type: change, selectors: ["#otp"], value: "{{ account.oneTimeCode }}"}
  - {type: click, selectors: ["#confirm"]}
`,
		"op.yaml": `steps:
  - {type: navigate, url: "{{ baseUrl }}/members?again"}
  - {type: customStep, name: extract, parameters: {fields: {who: "#who", session: {value: "{{ session.name }}"}}}}
`,
	}, nil)
	const form = `<form id=login method=post action=/login><input id=user name=user><input id=password name=password type=password><button id=enter>Enter</button></form>`
	html := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html>", body)
	}
	enter := func(w http.ResponseWriter, r *http.Request) {
		m.signIns.Add(1)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "open", Path: "/"})
		http.Redirect(w, r, m.lands, http.StatusSeeOther)
	}
	m.mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { html(w, form) })
	m.mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.FormValue("user") != "jane" || r.FormValue("password") != "correct horse":
			html(w, form+`<p class=error>Wrong password for `+r.FormValue("user")+`, not `+r.FormValue("password")+`</p>`)
		case m.asksCode:
			html(w, `<form method=post action=/code><input id=otp name=code><button id=confirm>OK</button></form>`)
		default:
			enter(w, r)
		}
	})
	m.mux.HandleFunc("POST /code", func(w http.ResponseWriter, r *http.Request) {
		if !totp.Validate(r.FormValue("code"), oneTimeSecret) {
			html(w, `<p class=error>Wrong code</p>`)
			return
		}
		enter(w, r)
	})
	member := func(w http.ResponseWriter, r *http.Request, body string) {
		c, err := r.Cookie("session")
		if err != nil || c.Value != "open" || m.signOutAfter.Add(-1) == 0 {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "", Path: "/"})
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		html(w, body)
	}
	m.mux.HandleFunc("GET /account", func(w http.ResponseWriter, r *http.Request) { member(w, r, `<p id=menu>Jane</p>`) })
	m.mux.HandleFunc("GET /members", func(w http.ResponseWriter, r *http.Request) { member(w, r, `<p id=who>member</p>`) })
	return m
}

func (m *members) job(password string) (flow.Job, *int) {
	proofs := new(int)
	return flow.Job{Operation: "op", Account: &flow.Account{
		Credentials: func(context.Context) (flow.Credentials, error) {
			return flow.Credentials{Username: "jane", Password: password, OneTimeSecret: oneTimeSecret}, nil
		},
		Session: map[string]any{"name": "kept"},
		Proven:  func(time.Time, map[string]any) { *proofs++ },
	}}, proofs
}

func TestPlaySignsInOnceAndProvesIt(t *testing.T) {
	t.Parallel()
	for _, asksCode := range []bool{false, true} {
		t.Run(fmt.Sprint("code ", asksCode), func(t *testing.T) {
			t.Parallel()
			m := newMembers(t)
			m.asksCode = asksCode
			site := m.load(nil)
			job, proofs := m.job("correct horse")
			result, _, err := m.play(site, job)
			if err != nil || result != `{"session":"Jane","who":"member"}` {
				t.Fatalf("%s, %v", result, err)
			}
			result, _, err = m.play(site, job)
			if err != nil || result != `{"session":"kept","who":"member"}` || m.signIns.Load() != 1 || *proofs != 2 {
				t.Errorf("second play: %s, %v, %d sign-ins, %d proofs", result, err, m.signIns.Load(), *proofs)
			}
		})
	}
}

func TestFreshProofCounts(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	m.mux.HandleFunc("GET /members/", func(http.ResponseWriter, *http.Request) {})
	job, proofs := m.job("correct horse")
	job.Account.ProvenAt = time.Now()
	// The proof is wrong: the flow lands signed out, signs in and starts again.
	result, trace, err := m.play(m.load(nil), job)
	if err != nil || m.signIns.Load() != 1 || *proofs != 1 || !strings.Contains(result, "member") {
		t.Errorf("%s, %v, %d sign-ins", result, err, m.signIns.Load())
	}
	if trace.Steps[0].File != "op.yaml" {
		t.Errorf("the proof was not believed: %+v", trace.Steps)
	}
}

func TestFlowThatIsSignedOutInTheMiddleStartsAgainOnce(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	site := m.load(nil)
	job, _ := m.job("correct horse")
	if _, _, err := m.play(site, job); err != nil {
		t.Fatal(err)
	}
	m.signOutAfter.Store(2) // the proof passes, the flow's page does not
	result, _, err := m.play(site, job)
	if err != nil || m.signIns.Load() != 2 {
		t.Errorf("%s, %v, %d sign-ins", result, err, m.signIns.Load())
	}
}

func TestSignInThatIsRefused(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	job, proofs := m.job("wrong horse")
	_, _, err := m.play(m.load(nil), job)
	var f *flow.Failure
	if !errors.As(err, &f) || f.Outcome != flow.Rejected || !f.Declared || *proofs != 0 {
		t.Fatalf("%+v", err)
	}
	if f.Message != "Wrong password for …, not …" {
		t.Errorf("message %q", f.Message)
	}
}

func TestSignInThatProvesNothing(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	m.serve("/nowhere", "nothing")
	m.lands = "/nowhere"
	m.signOutAfter.Store(1) // home sends back to the form
	job, _ := m.job("correct horse")
	_, err := m.load(nil).SignIn(m.ctx, newPage(t, m.ctx), job.Account)
	var f *flow.Failure
	if !errors.As(err, &f) || f.Outcome != flow.SignedOut {
		t.Errorf("%+v", err)
	}
}

// Only the password counts as refused: a code may be, since clocks differ.
func TestRefusedPasswordIsToldAndNotTypedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		password string
		code     time.Time // whose code is typed
		before   error     // that Credentials answers
		refused  int
	}{
		"wrong password": {password: "wrong horse", refused: 1},
		"wrong code":     {password: "correct horse", code: time.Unix(0, 0)},
		"refused before": {before: flow.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMembers(t)
			m.asksCode = true
			job, _ := m.job(c.password)
			credentials, refused, released := job.Account.Credentials, 0, false
			job.Account.Credentials = func(ctx context.Context) (flow.Credentials, error) {
				if c.before != nil {
					return flow.Credentials{}, c.before
				}
				return credentials(ctx)
			}
			job.Account.Refused = func(context.Context) { refused++ }
			job.Account.ClaimCode = func(_ context.Context, secret string) (time.Time, time.Duration, func(), error) {
				if secret != oneTimeSecret {
					t.Errorf("a code of %q", secret)
				}
				return c.code, 0, func() { released = true }, nil
			}
			_, _, err := m.play(m.load(nil), job)
			var f *flow.Failure
			if !errors.As(err, &f) || f.Outcome != flow.Rejected || !f.Declared || !f.SignIn || f.Quotes != (c.before == nil) {
				t.Errorf("%+v", err)
			}
			if refused != c.refused || released || c.before != nil && !errors.Is(err, c.before) {
				t.Errorf("told of %d refusals, want %d; released: %t; %v", refused, c.refused, released, err)
			}
		})
	}
}
