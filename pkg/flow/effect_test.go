package flow_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"integration.gateway/pkg/flow"
)

// orderSteps opens a page, passes the point of no return with a click, and
// waits for what stands in cases.
func orderSteps(cases string) string {
	return `
  - {type: navigate, url: /page}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: click, selectors: ["#buy"]}
  - {type: customStep, name: oneOf, parameters: {within: 1000, cases: [` + cases + `]}}
`
}

func TestStatusCanTellTheOutcomeOfAnEffect(t *testing.T) {
	t.Parallel()
	site, files := one(orderSteps(`{status: 409, steps: [{type: customStep, name: fail, parameters: {outcome: rejected, message: sold out}}]}, {visible: "#done"}`))
	s := newShop(t, site, files, map[string]string{"/page": `<form method=post action=/buy><button id=buy>Buy</button></form>`})
	s.mux.HandleFunc("POST /buy", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprint(w, "sold out")
	})
	_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	var f *flow.Failure
	if !errors.As(err, &f) || !f.Refusal() || !f.EffectStarted {
		t.Errorf("got %v", err)
	}
}

func TestTraceTellsTheAlternativeOfItsOwnStep(t *testing.T) {
	t.Parallel()
	site, files := one(orderSteps(`{visible: "#done"}`))
	s := newShop(t, site, files, map[string]string{"/page": `<button id=buy onclick="this.outerHTML='<p id=done>x'">Buy</button>`})
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err != nil || trace.Steps[0].Alternative != -1 {
		t.Errorf("%+v, %v", trace.Steps, err)
	}
}

func TestNetworkIsRealAgainAfterwards(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, url: /page}\n  - {type: emulateNetworkConditions, download: 0, upload: 0, latency: 0}\n")
	s := newShop(t, site, files, map[string]string{"/page": "here"})
	for range 2 {
		if _, _, err := s.play(s.load(nil), flow.Job{Operation: "op"}); err != nil {
			t.Error(err)
		}
	}
}
