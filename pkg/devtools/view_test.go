package devtools_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
)

// TestALookerSeesPicturesAndAddressesOnly sends every method of the protocol.
func TestALookerSeesPicturesAndAddressesOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	control := s.dial(event.Control)
	driven := control.firstPage()
	control.open(driven, s.site.URL+"/")
	control.call(driven, "Runtime.evaluate", object{"expression": "document.querySelector('#what').value = 'untouched'"})
	state := `JSON.stringify([location.href, document.documentElement.outerHTML, document.visibilityState, document.hasFocus(), innerWidth, innerHeight,
		devicePixelRatio, document.cookie, history.length, document.querySelector('#what').value])`
	before, cookies := control.eval(driven, state), control.call("", "Storage.getCookies", nil)

	w := s.dial(event.View)
	w.call("", "Target.setDiscoverTargets", object{"discover": true, "filter": []object{{}}})
	if targets := w.targets(); len(targets) != 1 || targets[0].Type != "page" || targets[0].URL != s.site.URL+"/" {
		t.Errorf("targets: %+v", targets)
	}
	page := w.firstPage()
	w.call(page, "Page.enable", nil)
	w.call(page, "Page.getNavigationHistory", nil)
	w.call(page, "Page.startScreencast", object{"format": "jpeg", "quality": 50, "maxWidth": 400, "maxHeight": 300})
	var frame struct {
		Data      string
		SessionID int
	}
	m := w.event("Page.screencastFrame", nil)
	if err := json.Unmarshal(m.Params, &frame); err != nil || len(frame.Data) < 1000 {
		t.Errorf("the picture has %d bytes, %v", len(frame.Data), err)
	}
	w.call(page, "Page.screencastFrameAck", object{"sessionId": frame.SessionID})

	open := map[string]bool{
		"Target.setDiscoverTargets": true, "Target.getTargets": true, "Target.attachToTarget": true, "Target.detachFromTarget": true,
		"Browser.getVersion": true, "Page.enable": true, "Page.getNavigationHistory": true, "Page.startScreencast": true,
		"Page.stopScreencast": true, "Page.screencastFrameAck": true,
	}
	file, err := os.Open("testdata/protocol.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	refused := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		method, _, _ := strings.Cut(lines.Text(), " ")
		if method == "#" || open[method] {
			continue
		}
		w.fails("", method, object{"url": "about:blank", "expression": "1"})
		w.fails(page, method, object{"url": "about:blank", "expression": "1"})
		refused++
	}
	if refused < 600 {
		t.Errorf("only %d methods were tried", refused)
	}
	// It hears nothing else, whatever the page does.
	w.heard = nil
	control.call(driven, "Runtime.evaluate", object{"expression": "console.log('secret'); fetch('/'); document.title"})
	w.call("", "Browser.getVersion", nil)
	for _, m := range w.heard {
		if !strings.HasPrefix(m.Method, "Target.") && !strings.HasPrefix(m.Method, "Page.screencast") {
			t.Errorf("heard %s %s", m.Method, m.Params)
		}
	}
	if after := control.eval(driven, state); after != before {
		t.Errorf("the page was changed:\n%s\n%s", before, after)
	}
	if after := control.call("", "Storage.getCookies", nil); after != cookies {
		t.Errorf("the cookies were changed: %s", after)
	}
	// The address is told when it changes.
	control.open(driven, s.site.URL+"/elsewhere")
	w.event("Target.targetInfoChanged", func(m message) bool { return strings.Contains(string(m.Params), "/elsewhere") })
	if len(s.closed) > 0 {
		t.Error("it closed the browser")
	}
}

// TestALookerAttachesToPagesOnly keeps it from workers and frames, and from
// Chromium as a whole.
func TestALookerAttachesToPagesOnly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	control := s.dial(event.Control)
	driven := control.firstPage()
	control.open(driven, s.site.URL+"/")
	control.eval(driven, `new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))); w.onmessage = () => { window.kept = w; done(1) } })`)
	var all struct{ TargetInfos []info }
	control.call("", "Target.getTargets", object{"filter": []object{{}}}, &all)
	w := s.dial(event.View)
	tried := 0
	for _, target := range all.TargetInfos {
		if target.Type != "page" {
			w.fails("", "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true})
			tried++
		}
	}
	if tried < 2 {
		t.Errorf("only %d targets besides pages: %+v", tried, all)
	}
}

func TestADialogWaitsForNobodyWhoOnlyLooks(t *testing.T) {
	t.Parallel()
	s := setup(t)
	control := s.dial(event.Control)
	driven := control.firstPage()
	control.call(driven, "Page.navigate", object{"url": s.site.URL + "/"})
	control.eval(driven, "new Promise(shown => requestAnimationFrame(() => requestAnimationFrame(shown)))") // Chromium casts no page that shows nothing yet
	w := s.dial(event.View)
	page := w.firstPage()
	w.call(page, "Page.enable", nil)
	w.call(page, "Page.startScreencast", object{"format": "jpeg"})
	if got := control.eval(driven, "confirm('?')"); got != "false" { // at once: nobody could answer it
		t.Error(got)
	}
}
