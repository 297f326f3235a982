package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"integration.gateway/pkg/flow"
)

// refusing is a recorder that nothing may be told.
type refusing struct{ *testing.T }

func (r refusing) Started(context.Context, string, map[string]any) error {
	r.Error("the effect was recorded")
	return nil
}

func (r refusing) Act(context.Context) error { r.Error("the act was allowed"); return nil }

func (r refusing) Holds() bool { return false }

func TestPlayStopsBeforeTheEffectWithItsElementFound(t *testing.T) {
	t.Parallel()
	site, files := one(`  - {type: navigate, url: /page}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: click, timeout: 300, selectors: ['#buy']}
`)
	s := newShop(t, site, files, map[string]string{"/page": "<button id=buy onclick=\"fetch('/bought')\">Buy</button>"})
	s.serve("/bought", "")
	var watched []string
	job := flow.Job{
		Operation: "op", Effect: refusing{t}, StopAtEffect: true,
		Watch: func(step flow.TraceStep) { watched = append(watched, step.Name) },
	}
	_, trace, err := s.play(s.load(nil), job)
	var f *flow.Failure
	if !errors.Is(err, flow.ErrStopped) || !errors.As(err, &f) || f.EffectStarted || f.Step != "2" {
		t.Errorf("got %+v", err)
	}
	if got := strings.Join(watched, "; "); got != "navigate /page; effect order" || len(trace.Steps) != 2 {
		t.Errorf("watched %s; traced %v", got, trace.Steps)
	}

	files["op.yaml"] = strings.Replace(files["op.yaml"], "#buy", "#not-there", 1)
	s = newShop(t, site, files, map[string]string{"/page": "<button id=buy>Buy</button>"})
	if _, _, err := s.play(s.load(nil), job); err == nil || errors.Is(err, flow.ErrStopped) {
		t.Errorf("what the act needs is not there, and got %v", err)
	}
}

func TestASignedInThatProvesNothingIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conditions string
		want       bool
	}{
		"a menu of the signed in":        {"{signedIn: {exists: ['#menu']}, signedOut: {exists: ['#form']}}", false},
		"no signedOut":                   {"{signedIn: {exists: ['#menu']}}", false},
		"what guests see too":            {"{signedIn: {exists: ['#logo']}}", true},
		"what guests see, beside a form": {"{signedIn: {exists: ['#logo']}, signedOut: {exists: ['#form']}}", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"sign-in.yaml": "steps: []"}
			in := strings.Replace(c.conditions, "{", "{flow: sign-in.yaml, home: /page, ", 1)
			s := newShop(t, "operations: {}\nsignIn: "+in+"\ntimeout: 500\n", files, map[string]string{
				"/page": "<i id=logo>Shop</i><form id=form>Sign in</form>",
			})
			s.files["site.yaml"].Data = []byte(strings.Replace(string(s.files["site.yaml"].Data), "timeout: 3000\n", "", 1))
			holds, _, err := s.load(nil).LooksSignedIn(s.ctx, newPage(t, s.ctx))
			if err != nil || holds != c.want {
				t.Errorf("holds: %v, %v", holds, err)
			}
		})
	}
}
