package flow_test

import (
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow"
)

// failing leaves behind all that a flow can, and then fails.
const failing = `
timeout: 400
steps:
  - {type: setViewport, width: 500, height: 400, deviceScaleFactor: 2, isMobile: true, hasTouch: true, isLandscape: true}
  - {type: navigate, timeout: 3000, url: /first}
  - {type: hover, selectors: ["#b"]}
  - {type: keyDown, key: Shift}
  - {type: keyDown, key: Control}
  - {type: customStep, name: dialog, parameters: {accept: true, text: left over}}
  - {type: emulateNetworkConditions, download: 0, upload: 0, latency: 0}
  - {type: click, selectors: ["#never"]}
`

// looking tells what another flow finds on the page.
const looking = `
steps:
  - {type: navigate, url: /second}
  - {type: click, selectors: ["#b"]}
  - {type: waitForExpression, expression: "window.network"}
  - type: customStep
    name: extract
    parameters:
      fields:
        viewport: {expression: "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints].join()"}
        keys: {expression: window.keys}
        dialog: {expression: "String(window.answer)"}
        network: {expression: window.network}
        listeners: {expression: window.foreign}
`

func TestPageIsGivenBackClean(t *testing.T) {
	t.Parallel()
	ends := map[string]string{
		"after a failure": failing,
		"after success":   strings.Replace(failing, `"#never"`, `"#b"`, 1),
		"after a dialog that comes when the flow has ended": strings.Replace(failing, `selectors: ["#never"]`, `selectors: ["#alerts"]`, 1),
	}
	for name, before := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, "operations: {before: {flow: before.yaml}, look: {flow: look.yaml}}\n",
				map[string]string{"before.yaml": before, "look.yaml": looking},
				map[string]string{
					"/first": `<button id=b>x</button><button id=alerts onclick="setTimeout(alert, 50)">y</button>
						<script>onpagehide = onbeforeunload = () => { throw new Error('left over') }</script>`,
					"/second": `<button id=b style="position: absolute; left: 600px; top: 300px">x</button>
						<script>
							keys = '', foreign = document.querySelectorAll('*').length
							b.onclick = event => {
								keys = [event.shiftKey, event.ctrlKey].join()
								answer = prompt('name?')
								fetch('/first').then(() => network = 'online', () => network = 'offline')
							}
						</script>`,
				})
			site := s.load(nil)
			fresh, _, err := s.play(site, flow.Job{Operation: "look"})
			if err != nil {
				t.Fatal(err)
			}
			events := s.page.Browser().Context(s.ctx).Event()
			_, trace, err := s.play(site, flow.Job{Operation: "before"})
			if (err != nil) != (name == "after a failure") || trace.Unclean != nil {
				t.Fatal(err, trace.Unclean)
			}
			if name == "after a failure" && s.page.MustEval("() => location.href").Str() != "about:blank" {
				t.Error("the page was left at the site")
			}
			if strings.HasPrefix(name, "after a dialog") {
				s.awaitDialog(events)
			}
			again, trace, err := s.play(site, flow.Job{Operation: "look"})
			if err != nil || trace.Unclean != nil || again != fresh {
				t.Errorf("%v, %v\n the next flow found %s\non a fresh page it finds %s", err, trace.Unclean, again, fresh)
			}
		})
	}
}

// awaitDialog waits until a dialog opens in the page.
func (s *shop) awaitDialog(events <-chan *rod.Message) {
	s.Helper()
	for event := range events {
		if event.SessionID == s.page.SessionID && event.Method == (proto.PageJavascriptDialogOpening{}).ProtoEvent() {
			return
		}
	}
	s.Fatal("no dialog opened")
}
