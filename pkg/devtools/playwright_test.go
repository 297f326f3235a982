package devtools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"integration.gateway/contracts/event"
)

// TestPlaywrightsCommands sends what chromium.connectOverCDP, contexts()[0],
// newPage, goto, fill, click, screenshot and close send (crBrowser.ts,
// crPage.ts, crNetworkManager.ts).
func TestPlaywrightsCommands(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	// CRBrowser.connect
	var version struct{ Product, UserAgent string }
	w.call("", "Browser.getVersion", nil, &version)
	if !strings.Contains(version.Product, "Chrome/") {
		t.Errorf("version: %+v", version)
	}
	auto := object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
	w.call("", "Target.setAutoAttach", auto)
	w.call("", "Browser.setDownloadBehavior", object{"behavior": "allowAndName", "downloadPath": "/tmp/loot", "eventsEnabled": true})
	first := w.attachedTo("", ofType("page"))
	if first.TargetInfo.BrowserContextID == "" {
		t.Error("crBrowser.ts asserts that a target has a context")
	}
	start := func(page attached) string {
		p := page.SessionID
		// FrameSession._initialize sends all at once, and waits then.
		var ids []int
		for _, command := range []struct {
			method string
			params any
		}{
			{"Page.enable", object{}},
			{"Page.getFrameTree", object{}},
			{"Log.enable", object{}},
			{"Page.setLifecycleEventsEnabled", object{"enabled": true}},
			{"Runtime.enable", object{}},
			{"Page.addScriptToEvaluateOnNewDocument", object{"source": "", "worldName": "__playwright_utility_world__"}},
			{"Network.enable", object{}},
			{"Target.setAutoAttach", auto},
			{"Emulation.setFocusEmulationEnabled", object{"enabled": true}},
			{"Emulation.setEmulatedMedia", object{"media": "", "features": []object{{"name": "prefers-color-scheme", "value": "light"}}}},
			{"Page.setInterceptFileChooserDialog", object{"enabled": false}},
			{"Runtime.runIfWaitingForDebugger", object{}},
		} {
			ids = append(ids, w.send(p, command.method, command.params))
		}
		for _, id := range ids {
			if m := w.answer(id); m.Error != nil {
				t.Errorf("command %d: %s", id, m.Error.Message)
			}
		}
		return p
	}
	start(first)
	// context.newPage: the attachment must be there before the answer
	var created struct{ TargetID string }
	w.call("", "Target.createTarget", object{"url": "about:blank"}, &created)
	var page attached
	for _, m := range w.heard {
		var a attached
		if m.Method == "Target.attachedToTarget" && json.Unmarshal(m.Params, &a) == nil && a.TargetInfo.TargetID == created.TargetID {
			page = a
		}
	}
	if page.SessionID == "" || !page.WaitingForDebugger {
		t.Fatalf("when the page is there, nothing is attached to it: %+v", page)
	}
	p := start(page)
	var window struct{ WindowID int }
	if m := w.answer(w.send(p, "Browser.getWindowForTarget", nil)); m.Error == nil {
		if err := json.Unmarshal(m.Result, &window); err != nil {
			t.Fatal(err)
		}
		w.call(p, "Browser.setWindowBounds", object{"windowId": window.WindowID, "bounds": object{"width": 900, "height": 700}})
	}
	// page.goto, fill, click
	var navigated struct{ FrameID, LoaderID string }
	w.call(p, "Page.navigate", object{"url": s.site.URL + "/", "frameId": created.TargetID, "referrerPolicy": "unsafeUrl"}, &navigated)
	w.loaded(p, navigated.LoaderID)
	var world struct{ Result struct{ ObjectID string } }
	w.call(p, "Runtime.evaluate", object{"expression": "document.querySelector('#what')"}, &world)
	w.call(p, "DOM.scrollIntoViewIfNeeded", object{"objectId": world.Result.ObjectID})
	w.call(p, "DOM.getContentQuads", object{"objectId": world.Result.ObjectID})
	w.call(p, "Runtime.callFunctionOn", object{"functionDeclaration": "function() { this.focus(); this.select() }", "objectId": world.Result.ObjectID, "awaitPromise": true, "userGesture": true})
	w.call(p, "Input.insertText", object{"text": "a lamp"})
	w.call(p, "Runtime.evaluate", object{"expression": "document.querySelector('#buy').click()", "userGesture": true})
	if got := w.orders(p); got != "ordered a lamp" {
		t.Errorf("click: %q", got)
	}
	// page.screenshot, context.cookies, newBrowserCDPSession
	w.call(p, "Page.bringToFront", nil)
	w.call(p, "Page.getLayoutMetrics", nil)
	if picture := w.call(p, "Page.captureScreenshot", object{"format": "png", "clip": object{"x": 0, "y": 0, "width": 400, "height": 300, "scale": 1}, "captureBeyondViewport": false}); !isPicture(t, picture) {
		t.Error("no picture")
	}
	if cookies := w.call("", "Storage.getCookies", object{}); !strings.Contains(cookies, `"Anna"`) {
		t.Errorf("cookies: %s", cookies)
	}
	var session struct{ SessionID string }
	w.call("", "Target.attachToBrowserTarget", nil, &session)
	w.call(session.SessionID, "Browser.getVersion", nil)
	w.fails(session.SessionID, "Browser.crash", nil)
	w.fails(session.SessionID, "Tracing.start", nil)
	if why := w.fails("", "Target.createBrowserContext", object{"disposeOnDetach": true}); !strings.Contains(why, "default browser context") {
		t.Errorf("newContext: %q does not say what to do", why)
	}
	// page.close
	w.send(p, "Page.close", nil)
	w.event("Target.detachedFromTarget", func(m message) bool { return strings.Contains(string(m.Params), p) })
	// The last page may be closed as well, and another opened.
	w.call("", "Target.closeTarget", object{"targetId": first.TargetInfo.TargetID})
	w.call("", "Target.createTarget", object{"url": "about:blank"})
}
