package flow_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
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
	if err != nil || len(trace.Steps[0].Choices) != 0 {
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

// watchman records an effect, and looks at the page while it does.
type watchman struct {
	started, act func() error
	lapsed       func() bool // after Act; nil for never
	asked        atomic.Int32
}

func (w *watchman) Started(context.Context, string, map[string]any) error { return w.started() }

func (w *watchman) Act(context.Context) error {
	w.asked.Add(1)
	return w.act()
}

func (w *watchman) Holds() bool { return w.lapsed == nil || !w.lapsed() }

func nothing() error { return nil }

// buyingShop has a page that tells the shop each press of its button, and
// waits until the shop knows. The flow presses it by act.
func buyingShop(t *testing.T, act string) (s *shop, presses *atomic.Int32) {
	t.Helper()
	site, files := one("  - {type: navigate, url: /page}\n  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {" + act + "}\n")
	s = newShop(t, site, files, map[string]string{"/page": `<button id=buy onkeydown="press()" onmousedown="press()">Buy</button>
		<div id=cover hidden style="position:fixed;inset:0"></div>
		<script>function press() { const r = new XMLHttpRequest(); r.open('POST', '/pressed', false); r.send() }; buy.focus()</script>`})
	s.page, presses = newPage(t, s.ctx), new(atomic.Int32)
	s.mux.HandleFunc("POST /pressed", func(http.ResponseWriter, *http.Request) { presses.Add(1) })
	return s, presses
}

// acts are the steps that can be the act of an effect, with how often each
// presses.
var acts = map[string]int32{
	`type: click, selectors: ["#buy"]`: 1, `type: doubleClick, selectors: ["#buy"]`: 2, `type: keyDown, key: Enter`: 1,
	`type: customStep, name: extract, parameters: {fetch: {url: /pressed, method: POST}, fields: {done: {const: true}}}`: 1,
}

func TestActFollowsOnceItIsAllowed(t *testing.T) {
	t.Parallel()
	for act, want := range acts {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			s, presses := buyingShop(t, act)
			w := &watchman{started: nothing, act: func() error {
				if n := presses.Load(); n != 0 {
					t.Errorf("%d presses before leave was given", n)
				}
				return nil
			}}
			if _, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: w}); err != nil {
				t.Fatal(err)
			}
			if asked, n := w.asked.Load(), presses.Load(); asked != 1 || n != want {
				t.Errorf("asked %d times, pressed %d times; want 1, %d", asked, n, want)
			}
		})
	}
}

// The process is stopped between the click and the request that it sets off,
// once before the first one and once after it.
func TestRequestOfAnActStaysWhenLeaveHasLapsed(t *testing.T) {
	t.Parallel()
	act := `type: doubleClick, selectors: ["#buy"]` // two requests
	for want, lapses := range map[int32]bool{0: true, 2: false} {
		t.Run(fmt.Sprint(want, " requests"), func(t *testing.T) {
			t.Parallel()
			s, presses := buyingShop(t, act)
			var asked atomic.Int32
			w := &watchman{started: nothing, act: nothing, lapsed: func() bool { return asked.Add(1) > 1 || lapses }}
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: w, Account: &flow.Account{CloseIdle: func() {}}})
			var f *flow.Failure
			if lapses && (!errors.As(err, &f) || !f.EffectStarted || f.NotActed) || !lapses && err != nil {
				t.Errorf("got %+v", err)
			}
			if n := presses.Load(); n != want || asked.Load() == 0 {
				t.Errorf("%d requests reached the site, want %d; asked %d times", n, want, asked.Load())
			}
		})
	}
}

func TestRefusedActIsNotDone(t *testing.T) {
	t.Parallel()
	lost := errors.New("the lease is lost")
	for act := range acts {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			s, presses := buyingShop(t, act)
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: &watchman{started: nothing, act: func() error { return lost }}})
			var f *flow.Failure
			if !errors.As(err, &f) || !f.EffectStarted || !f.NotActed || !errors.Is(err, lost) || presses.Load() != 0 {
				t.Errorf("%+v after %d presses", err, presses.Load())
			}
		})
	}
}

// The button is covered from the moment that the effect is recorded, and for a
// while: leave is asked for when the click could really be made.
func TestLeaveToActIsAskedForAtTheLastMoment(t *testing.T) {
	t.Parallel()
	s, _ := buyingShop(t, `type: click, selectors: ["#buy"]`)
	w := &watchman{started: func() error {
		s.page.MustEval(`() => { cover.hidden = false; setTimeout(() => { cover.hidden = true }, 300) }`)
		return nil
	}}
	w.act = func() error {
		if !s.page.MustEval(`() => cover.hidden`).Bool() {
			t.Error("leave was asked for before the element could be clicked")
		}
		return nil
	}
	if _, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: w}); err != nil {
		t.Error(err)
	}
}

func TestElementThatIsGoneAfterTheEffectBeganMeansThatNothingWasDone(t *testing.T) {
	t.Parallel()
	s, _ := buyingShop(t, `type: click, timeout: 500, selectors: ["#buy"]`)
	w := &watchman{started: func() error { s.page.MustEval(`() => buy.remove()`); return nil }, act: nothing}
	_, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Effect: w})
	var f *flow.Failure
	if !errors.As(err, &f) || !f.EffectStarted || !f.NotActed || w.asked.Load() != 0 {
		t.Errorf("%+v, asked %d times", err, w.asked.Load())
	}
}

// How long to wait for an effect in doubt follows from it.
func TestFailureTellsWhetherTheEffectWasAnswered(t *testing.T) {
	t.Parallel()
	const form, script = `<form method=post action=/buy><button id=buy>Buy</button></form>`,
		`<button id=buy onclick="navigator.sendBeacon('/clicked'); fetch('/buy', {method: 'POST'})">Buy</button>`
	for name, c := range map[string]struct {
		page     string
		buy      func(w http.ResponseWriter, r *http.Request)
		answered bool
	}{
		"with a page that says nothing":     {form, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "thanks") }, true},
		"with the error of a proxy":         {form, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, false},
		"not at all":                        {form, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false},
		"with the end of the connection":    {form, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		"not at all, but what goes with it": {script, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, false},
		"to a script":                       {script, func(http.ResponseWriter, *http.Request) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one(orderSteps(`{visible: "#done"}`))
			s := newShop(t, site, files, map[string]string{"/page": c.page})
			s.mux.HandleFunc("POST /buy", c.buy)
			s.mux.HandleFunc("POST /clicked", func(http.ResponseWriter, *http.Request) {})
			_, _, err := s.play(s.load(nil), flow.Job{
				Operation: "op", Account: &flow.Account{CloseIdle: func() {}}, Effect: &watchman{started: nothing, act: nothing},
			})
			var f *flow.Failure
			if !errors.As(err, &f) || !f.EffectStarted || f.Answered != c.answered {
				t.Errorf("got %+v", err)
			}
		})
	}
}
