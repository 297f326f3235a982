package devtools_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
)

// attached is what is told of a new session.
type attached struct {
	SessionID          string
	TargetInfo         info
	WaitingForDebugger bool
}

// attachedTo waits until a session with a target that fits is attached to, out of
// another session.
func (w *wire) attachedTo(parent string, fits func(attached) bool) (got attached) {
	w.t.Helper()
	w.event("Target.attachedToTarget", func(m message) bool {
		got = attached{}
		return m.SessionID == parent && json.Unmarshal(m.Params, &got) == nil && fits(got)
	})
	return got
}

func ofType(kind string) func(attached) bool {
	return func(a attached) bool { return a.TargetInfo.Type == kind }
}

// isPicture tells whether a screenshot's answer has a PNG in it.
func isPicture(t testing.TB, answer string) bool {
	t.Helper()
	var got struct{ Data string }
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	picture, err := base64.StdEncoding.DecodeString(got.Data)
	return err == nil && strings.HasPrefix(string(picture), "\x89PNG") && len(picture) > 1000
}

// TestPuppeteersCommands sends what puppeteer.connect, browser.pages, newPage,
// goto, type, click, screenshot and close send (ChromeTargetManager.ts,
// FrameManager.ts, NetworkManager.ts, EmulationManager.ts, Page.ts).
func TestPuppeteersCommands(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	// connect
	var contexts struct{ BrowserContextIDs []string }
	w.call("", "Target.getBrowserContexts", nil, &contexts)
	if len(contexts.BrowserContextIDs) != 0 {
		t.Errorf("contexts besides the default one: %v", contexts)
	}
	w.call("", "Target.setDiscoverTargets", object{"discover": true, "filter": []object{{}}})
	auto := object{
		"waitForDebuggerOnStart": true, "flatten": true, "autoAttach": true,
		"filter": []object{{"type": "page", "exclude": true}, {}},
	}
	w.call("", "Target.setAutoAttach", auto)
	w.event("Target.targetCreated", func(m message) bool { return strings.Contains(string(m.Params), `"type":"browser"`) })
	tab := w.attachedTo("", ofType("tab"))
	attach := func(tab attached) (page attached) {
		w.send(tab.SessionID, "Target.setAutoAttach", object{"waitForDebuggerOnStart": true, "flatten": true, "autoAttach": true, "filter": []object{{}}})
		w.send(tab.SessionID, "Runtime.runIfWaitingForDebugger", nil)
		page = w.attachedTo(tab.SessionID, ofType("page"))
		w.send(page.SessionID, "Target.setAutoAttach", object{"waitForDebuggerOnStart": true, "flatten": true, "autoAttach": true, "filter": []object{{}}})
		w.send(page.SessionID, "Runtime.runIfWaitingForDebugger", nil)
		return page
	}
	first := attach(tab)
	if got := w.eval(first.SessionID, "document.body.innerText"); got != "signed in" {
		t.Errorf("the page that is there: %q", got)
	}
	// browser.version, newPage
	w.call("", "Browser.getVersion", nil)
	id := w.send("", "Target.createTarget", object{"url": "about:blank"})
	newTab := w.attachedTo("", func(a attached) bool {
		return a.TargetInfo.Type == "tab" && a.TargetInfo.TargetID != tab.TargetInfo.TargetID
	})
	page := attach(newTab)
	var created struct{ TargetID string }
	if err := json.Unmarshal(w.answer(id).Result, &created); err != nil || created.TargetID != page.TargetInfo.TargetID {
		t.Errorf("created %+v, attached to %+v", created, page.TargetInfo)
	}
	p := page.SessionID
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	w.call(p, "Page.enable", nil)
	w.call(p, "Page.getFrameTree", nil, &tree)
	for _, command := range []struct {
		method string
		params any
	}{
		{"Page.setLifecycleEventsEnabled", object{"enabled": true}},
		{"Runtime.enable", nil},
		{"Network.enable", nil},
		{"Performance.enable", nil},
		{"Log.enable", nil},
		{"Page.addScriptToEvaluateOnNewDocument", object{"source": "//# sourceURL=pptr:internal", "worldName": "__puppeteer_utility_world__1"}},
		{"Page.createIsolatedWorld", object{"frameId": tree.FrameTree.Frame.ID, "worldName": "__puppeteer_utility_world__1", "grantUniveralAccess": true}},
		{"Page.setInterceptFileChooserDialog", object{"enabled": true}},
		{"Emulation.setDeviceMetricsOverride", object{"mobile": false, "width": 800, "height": 600, "deviceScaleFactor": 1, "screenOrientation": object{"angle": 0, "type": "portraitPrimary"}}},
		{"Emulation.setTouchEmulationEnabled", object{"enabled": false}},
		{"Emulation.setFocusEmulationEnabled", object{"enabled": true}},
		{"Fetch.enable", object{"handleAuthRequests": true, "patterns": []object{{"urlPattern": "*"}}}},
		{"Fetch.disable", nil},
	} {
		w.call(p, command.method, command.params)
	}
	// goto
	var navigated struct{ LoaderID string }
	w.call(p, "Page.navigate", object{"url": s.site.URL + "/", "frameId": tree.FrameTree.Frame.ID}, &navigated)
	w.loaded(p, navigated.LoaderID)
	if got := w.eval(p, "document.querySelector('h1').innerText"); got != "Hello Anna" {
		t.Errorf("goto: %q", got)
	}
	// type and click
	var box struct {
		Result struct{ Value struct{ X, Y float64 } }
	}
	w.call(p, "Runtime.evaluate", object{"expression": "document.querySelector('#what').focus()"})
	w.call(p, "Input.dispatchKeyEvent", object{"type": "keyDown", "modifiers": 0, "windowsVirtualKeyCode": 65, "code": "KeyA", "key": "a", "text": "a", "unmodifiedText": "a"})
	w.call(p, "Input.dispatchKeyEvent", object{"type": "keyUp", "modifiers": 0, "windowsVirtualKeyCode": 65, "code": "KeyA", "key": "a"})
	w.call(p, "Input.insertText", object{"text": " lamp"})
	w.call(p, "Runtime.evaluate", object{"returnByValue": true, "expression": "(() => { const r = document.querySelector('#buy').getBoundingClientRect(); return {x: r.x + 5, y: r.y + 5} })()"}, &box)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		mouse := object{"type": kind, "x": box.Result.Value.X, "y": box.Result.Value.Y, "button": "left", "clickCount": 1, "pointerType": "mouse"}
		w.send(p, "Input.dispatchMouseEvent", mouse)
	}
	if got := w.orders(p); got != "ordered a lamp" {
		t.Errorf("click: %q", got)
	}
	// screenshot, page.createCDPSession, close
	w.call("", "Target.activateTarget", object{"targetId": page.TargetInfo.TargetID})
	if picture := w.call(p, "Page.captureScreenshot", object{"format": "png", "optimizeForSpeed": false, "captureBeyondViewport": false}); !isPicture(t, picture) {
		t.Error("no picture")
	}
	if session := w.attachTo(page.TargetInfo.TargetID); w.eval(session, "1+1") != "2" {
		t.Error("a session of its own does not work")
	}
	w.send("", "Target.closeTarget", object{"targetId": page.TargetInfo.TargetID})
	w.event("Target.targetDestroyed", func(m message) bool { return strings.Contains(string(m.Params), page.TargetInfo.TargetID) })
	// browser.close
	w.call("", "Browser.close", nil)
	<-s.closed
	if code, _ := w.ends(); code != 1000 {
		t.Errorf("ends with %d", code)
	}
}
