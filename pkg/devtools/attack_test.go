package devtools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
)

// victim is another user in the same Chromium, as a mistake of ours might have
// it: what a client must not reach even then.
type victim struct {
	context proto.BrowserBrowserContextID
	page    proto.TargetTargetID
}

func (s *session) addVictim() (v victim) {
	s.t.Helper()
	browser := s.page.Rod().Browser()
	made, err := proto.TargetCreateBrowserContext{}.Call(browser)
	if err != nil {
		s.t.Fatal(err)
	}
	v.context = made.BrowserContextID
	cookie := &proto.NetworkCookieParam{Name: "who", Value: "Victoria", Domain: "victim.example", Path: "/"}
	if err := (proto.StorageSetCookies{Cookies: []*proto.NetworkCookieParam{cookie}, BrowserContextID: v.context}).Call(browser); err != nil {
		s.t.Fatal(err)
	}
	page, err := proto.TargetCreateTarget{URL: "data:text/html,<title>Victoria</title>", BrowserContextID: v.context}.Call(browser)
	if err != nil {
		s.t.Fatal(err)
	}
	v.page = page.TargetID
	return v
}

func TestWhatReachesOutIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	v := s.addVictim()
	w := s.dial(event.Control)
	page := w.firstPage()
	w.open(page, s.site.URL+"/")
	target := string(s.page.Rod().TargetID)
	for _, command := range []struct {
		method string
		params object
	}{
		{"Target.attachToTarget", object{"targetId": v.page, "flatten": true}},
		{"Target.attachToTarget", object{"targetId": target}},
		{"Target.attachToTarget", object{"targetId": target, "flatten": false}},
		{"Target.attachToTarget", object{"targetId": "", "flatten": true}},
		{"Target.attachToTarget", object{"targetId": []string{target}, "flatten": true}},
		{"Target.autoAttachRelated", object{"targetId": v.page, "waitForDebuggerOnStart": true}},
		{"Target.getTargetInfo", object{"targetId": v.page}},
		{"Target.activateTarget", object{"targetId": v.page}},
		{"Target.closeTarget", object{"targetId": v.page}},
		{"Target.exposeDevToolsProtocol", object{"targetId": target}},
		{"Target.sendMessageToTarget", object{"targetId": v.page, "message": "{}"}},
		{"Target.setRemoteLocations", object{"locations": []object{{"host": "127.0.0.1", "port": 1}}}},
		{"Target.openDevTools", object{"targetId": target}},
		{"Target.getDevToolsTarget", object{"targetId": target}},
		{"Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": false}},
		{"Target.createBrowserContext", object{"proxyServer": "direct://"}},
		{"Target.disposeBrowserContext", object{"browserContextId": v.context}},
		{"Target.createTarget", object{"url": "about:blank", "browserContextId": v.context}},
		{"Target.createTarget", object{"url": "about:blank", "browserContextId": 7}},
		{"Target.createTarget", object{"url": "file:///etc/passwd"}},
		{"Target.createTarget", object{"url": "chrome://version"}},
		{"Target.createTarget", object{"url": "view-source:" + s.site.URL}},
		{"Target.createTarget", object{"url": "devtools://devtools/bundled/inspector.html"}},
		{"Target.createTarget", object{"url": " file:///etc/passwd"}},
		{"Target.detachFromTarget", object{"targetId": target}},
		{"Target.detachFromTarget", object{"sessionId": string(s.page.Rod().SessionID)}},
		{"Storage.getCookies", object{"browserContextId": v.context}},
		{"Storage.setCookies", object{"browserContextId": v.context, "cookies": []object{}}},
		{"Storage.clearCookies", object{"browserContextId": v.context}},
		{"Browser.grantPermissions", object{"browserContextId": v.context, "permissions": []string{"geolocation"}}},
		{"Browser.grantPermissions", object{"permissions": []string{"geolocation", "videoCapture"}}},
		{"Browser.grantPermissions", object{"permissions": []string{"localNetworkAccess"}}},
		{"Browser.setPermission", object{"permission": object{"name": "camera"}, "setting": "granted"}},
		{"Browser.resetPermissions", object{"browserContextId": v.context}},
		{"Browser.setWindowBounds", object{"windowId": 1, "bounds": object{"width": 10}}},
		{"Browser.getWindowForTarget", object{"targetId": v.page}},
		{"Browser.crash", nil},
		{"Browser.crashGpuProcess", nil},
		{"Browser.getBrowserCommandLine", nil},
		{"Browser.getHistograms", nil},
		{"Browser.executeBrowserCommand", object{"commandId": "openTabSearch"}},
		{"Browser.addMockCamera", object{"deviceId": "a"}},
		{"SystemInfo.getInfo", nil},
		{"SystemInfo.getProcessInfo", nil},
		{"Tethering.bind", object{"port": 9999}},
		{"Tracing.start", nil},
		{"Memory.getBrowserSamplingProfile", nil},
		{"Extensions.loadUnpacked", object{"path": "/tmp"}},
		{"PWA.install", object{"manifestId": "http://a/"}},
		{"Security.setIgnoreCertificateErrors", object{"ignore": true}},
		{"IO.read", object{"handle": "blob:anything"}},
		{"IO.read", object{"handle": "1"}},
		{"IO.close", object{"handle": "1"}},
		{"IO.resolveBlob", object{"objectId": "1"}},
		{"Fetch.continueRequest", object{"requestId": "1", "url": "file:///etc/passwd"}},
		{"Nope.nope", nil},
		{"", nil},
	} {
		w.fails("", command.method, command.params)
		w.fails(page, command.method, command.params)
	}
	for _, command := range []struct {
		method string
		params object
	}{
		{"Fetch.enable", object{}}, // for all contexts at once
		{"Page.navigate", object{"url": s.site.URL}},
		{"Runtime.evaluate", object{"expression": "1"}},
		{"Network.getAllCookies", nil},
	} {
		w.fails("", command.method, command.params)
	}
	for _, command := range []struct {
		method string
		params object
	}{
		{"Page.navigate", object{"url": "file:///etc/passwd"}},
		{"Page.navigate", object{"url": "chrome://version"}},
		{"Page.navigate", object{"url": "view-source:" + s.site.URL}},
		{"Page.navigate", object{"url": "javascript:1"}},
		{"Page.crash", nil},
		{"Page.addCompilationCache", object{"url": s.site.URL, "data": "AAAA"}},
		{"Page.startScreenRecording", nil},
		{"DOM.setFileInputFiles", object{"files": []string{"/etc/passwd"}, "nodeId": 1}},
		{"DOM.getFileInfo", object{"objectId": "1"}},
		{"Input.dispatchDragEvent", object{"type": "drop", "x": 1, "y": 1, "data": object{"items": []object{}, "files": []string{"/etc/passwd"}, "dragOperationsMask": 1}}},
		{"Network.loadNetworkResource", object{"url": "file:///etc/passwd", "options": object{"disableCache": true, "includeCredentials": true}}},
		{"ServiceWorker.inspectWorker", object{"versionId": "1"}},
		{"LayerTree.loadSnapshot", object{"tiles": []object{}}},
		{"DeviceAccess.enable", nil},
		{"BluetoothEmulation.enable", object{"state": "powered-on", "leSupported": true}},
		{"FileSystem.getDirectory", object{"bucketFileSystemLocator": object{}}},
		{"Autofill.trigger", object{"fieldId": 1}},
	} {
		w.fails(page, command.method, command.params)
	}
	for _, session := range []string{"", page} { // as clients of WebDriver BiDi say
		w.call(session, "Security.setIgnoreCertificateErrors", object{"ignore": false})
	}
	// What is forced, not refused.
	w.call("", "Browser.setDownloadBehavior", object{"behavior": "allow", "downloadPath": "/tmp", "browserContextId": v.context})
	w.call(page, "Page.setDownloadBehavior", object{"behavior": "allow", "downloadPath": "/tmp"})
	for _, session := range []string{"", page} {
		if cookies := w.call(session, "Storage.getCookies", nil); strings.Contains(cookies, "Victoria") || !strings.Contains(cookies, "Anna") {
			t.Errorf("cookies, asked of %q: %s", session, cookies)
		}
		var got struct{ TargetInfos []info }
		w.call(session, "Target.getTargets", object{"filter": []object{{}}}, &got)
		for _, target := range got.TargetInfos {
			if target.Type != "browser" && target.BrowserContextID != string(s.page.ContextID()) {
				t.Errorf("told of %+v", target)
			}
		}
	}
	if cookies := w.call(page, "Network.getAllCookies", nil); strings.Contains(cookies, "Victoria") {
		t.Errorf("cookies: %s", cookies)
	}
}

func TestOthersPagesAreNeitherToldOfNorHeldUp(t *testing.T) {
	t.Parallel()
	s := setup(t)
	v := s.addVictim()
	w := s.dial(event.Control)
	w.call("", "Target.setDiscoverTargets", object{"discover": true, "filter": []object{{}}})
	w.call("", "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	browser := s.page.Rod().Browser()
	late, err := proto.TargetCreateTarget{URL: "data:text/html,<title>late</title>", BrowserContextID: v.context}.Call(browser)
	if err != nil {
		t.Fatal(err)
	}
	late2, err := proto.TargetAttachToTarget{TargetID: late.TargetID, Flatten: true}.Call(browser)
	if err != nil {
		t.Fatal(err)
	}
	// It goes on although this client has asked to hold new pages.
	victims := &rodSession{browser, late2.SessionID}
	for title := ""; title != "late"; {
		got, err := proto.RuntimeEvaluate{Expression: "document.title", ReturnByValue: true}.Call(victims)
		if err != nil {
			t.Fatal(err)
		}
		title = got.Result.Value.Str()
	}
	if _, err := (proto.TargetCloseTarget{TargetID: late.TargetID}).Call(browser); err != nil {
		t.Fatal(err)
	}
	w.call("", "Target.createTarget", object{"url": "about:blank"})
	w.attachedTo("", func(a attached) bool { return a.WaitingForDebugger }) // ours is held
	w.call("", "Target.getTargets", nil)
	for _, m := range w.heard {
		if text := string(m.Params); strings.Contains(text, string(v.page)) || strings.Contains(text, string(v.context)) || strings.Contains(text, string(late.TargetID)) {
			t.Errorf("told: %s %s", m.Method, text)
		}
	}
}

func TestAnotherClientsSessionsAreOutOfReach(t *testing.T) {
	t.Parallel()
	s := setup(t)
	one, other := s.dial(event.Control), s.dial(event.Control)
	session := one.firstPage()
	if why := other.fails(session, "Runtime.evaluate", object{"expression": "1"}); !strings.Contains(why, "Session with given id not found") {
		t.Error(why)
	}
	other.fails("", "Target.detachFromTarget", object{"sessionId": session})
	if got := one.eval(session, "1+1"); got != "2" {
		t.Error(got)
	}
	// Both drive the page, and one's leaving does not disturb the other.
	mine := other.firstPage()
	if err := one.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	<-s.served
	if got := other.eval(mine, "1+1"); got != "2" {
		t.Error(got)
	}
}

func TestPagesReachNoFileOfTheHost(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	page := w.firstPage()
	w.open(page, s.site.URL+"/")
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	w.call(page, "Page.getFrameTree", nil, &tree)
	var world struct{ ExecutionContextID int }
	w.call(page, "Page.createIsolatedWorld", object{"frameId": tree.FrameTree.Frame.ID, "grantUniveralAccess": true}, &world)
	shows := `(address => new Promise(done => {
		const frame = document.createElement('iframe'); frame.src = address; document.body.append(frame)
		frame.onload = frame.onerror = () => { try { done(frame.contentDocument.body.innerText) } catch (e) { done(String(e)) } }
		setTimeout(() => done('nothing'), 500) }))`
	for _, expression := range []string{
		`fetch('file:///etc/passwd').then(r => r.text(), String)`,
		`new Promise(done => { const x = new XMLHttpRequest(); x.open('GET', 'file:///etc/passwd'); x.onloadend = () => done(x.responseText); x.send() })`,
		shows + `('file:///etc/passwd')`, shows + `('chrome://version')`, shows + `('view-source:` + s.site.URL + `')`,
		`window.open('file:///etc/passwd'); location = 'file:///etc/passwd'; document.body.innerText`,
		`window.open('chrome://version'); location = 'chrome://version'; document.body.innerText`,
		`import('file:///etc/passwd').then(String, String)`,
		`new Promise(done => { const w = new Worker('file:///etc/passwd'); w.onerror = () => done('no'); w.onmessage = done })`,
	} {
		var got struct{ Result struct{ Value any } }
		w.call(page, "Runtime.evaluate", object{"expression": expression, "contextId": world.ExecutionContextID, "awaitPromise": true, "returnByValue": true}, &got)
		if text := fmt.Sprint(got.Result.Value); strings.Contains(text, "root:") || strings.Contains(text, "headless") {
			t.Errorf("%s: %.100s", expression, text)
		}
	}
	w.call(page, "Page.navigate", object{"url": s.site.URL + "/to-file"})
	w.call("", "Target.createTarget", object{"url": "data:text/html,<iframe src=file:///etc/passwd></iframe><script>location='file:///etc/passwd'</script>"})
	w.call("", "Target.createTarget", object{"url": "data:text/html,<meta http-equiv=refresh content='0;url=file:///etc/passwd'>"})
	w.steer(page, s.site.URL+"/a", "Fetch.fulfillRequest", object{"responseCode": 302, "responseHeaders": []object{{"name": "Location", "value": "file:///etc/passwd"}}})
	w.steer(page, s.site.URL+"/b", "Fetch.fulfillRequest", object{"responseCode": 302, "responseHeaders": []object{{"name": "Location", "value": "chrome://version"}}})
	w.steer(page, s.site.URL+"/c", "Fetch.fulfillRequest", object{"responseCode": 200, "responseHeaders": []object{{"name": "Refresh", "value": "0;url=file:///etc/passwd"}}})
	w.call(page, "Page.printToPDF", object{"displayHeaderFooter": true, "headerTemplate": "<iframe src='file:///etc/passwd'></iframe><img src='file:///etc/passwd'>"})
	for _, key := range []object{
		{"key": "u", "windowsVirtualKeyCode": 85, "modifiers": 2},
		{"key": "o", "windowsVirtualKeyCode": 79, "modifiers": 2},
		{"key": "n", "windowsVirtualKeyCode": 78, "modifiers": 10},
		{"key": "F12", "windowsVirtualKeyCode": 123},
	} {
		key["type"] = "rawKeyDown"
		w.call(page, "Input.dispatchKeyEvent", key)
	}
	all, err := proto.TargetGetTargets{}.Call(s.page.Rod().Browser())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range all.TargetInfos {
		for _, scheme := range []string{"file:", "chrome:", "devtools:", "view-source:", "chrome-extension:"} {
			if strings.HasPrefix(target.URL, scheme) {
				t.Errorf("there is a %s at %s", target.Type, target.URL)
			}
		}
		if target.BrowserContextID != s.page.ContextID() {
			t.Errorf("there is a %s at %s outside of the context", target.Type, target.URL)
		}
	}
}

// steer has the request for an address end in the way given.
func (w *wire) steer(session, url, method string, params object) {
	w.t.Helper()
	w.call(session, "Fetch.enable", nil)
	id := w.send(session, "Page.navigate", object{"url": url})
	var paused struct{ RequestID string }
	w.event("Fetch.requestPaused", func(m message) bool {
		return strings.Contains(string(m.Params), url) && json.Unmarshal(m.Params, &paused) == nil
	})
	params["requestId"] = paused.RequestID
	w.call(session, method, params)
	w.call(session, "Fetch.disable", nil)
	w.answer(id)
}

func TestNothingIsDownloadedToTheHost(t *testing.T) {
	t.Parallel()
	s := setup(t)
	loot, err := os.MkdirTemp("", "devtools-loot-") //nolint:usetesting // t.TempDir is closed to Chromium's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(loot) })
	if err := os.Chmod(loot, 0o777); err != nil { // so that nothing but the policy is in the way
		t.Fatal(err)
	}
	w := s.dial(event.Control)
	page := w.firstPage()
	w.open(page, s.site.URL+"/")
	w.call("", "Browser.setDownloadBehavior", object{"behavior": "allow", "downloadPath": loot, "eventsEnabled": true})
	w.call("", "Browser.setDownloadBehavior", object{"behavior": "allow", "downloadPath": loot, "browserContextId": s.page.ContextID()})
	w.call(page, "Page.setDownloadBehavior", object{"behavior": "allow", "downloadPath": loot})
	load := func() {
		w.call(page, "Runtime.evaluate", object{"expression": "document.querySelector('#load').click()", "userGesture": true})
		w.event("Page.downloadProgress", func(m message) bool { return strings.Contains(string(m.Params), `"canceled"`) })
	}
	load()
	// The denial outlives a client, whose settings end with it.
	if err := w.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	<-s.served
	w = s.dial(event.Control)
	page = w.firstPage()
	w.call(page, "Page.enable", nil)
	load()
	if files, err := filepath.Glob(loot + "/*"); err != nil || len(files) > 0 {
		t.Errorf("downloaded: %v, %v", files, err)
	}
}

func TestPrivateAddressesStayOutOfReach(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var reached atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(private.Close)
	w := s.dial(event.Control)
	page := w.firstPage()
	w.open(page, s.site.URL+"/")
	w.call(page, "Page.navigate", object{"url": private.URL})
	w.open(page, s.site.URL+"/")
	w.steer(page, s.site.URL+"/d", "Fetch.continueRequest", object{"url": private.URL + "/continued"})
	w.open(page, s.site.URL+"/")
	w.steer(page, s.site.URL+"/e", "Fetch.fulfillRequest", object{"responseCode": 302, "responseHeaders": []object{{"name": "Location", "value": private.URL}}})
	w.open(page, s.site.URL+"/")
	w.call(page, "Page.setBypassCSP", object{"enabled": true})
	for _, expression := range []string{
		fmt.Sprintf(`fetch(%q, {mode: 'no-cors'}).then(String, String)`, private.URL),
		fmt.Sprintf(`new Promise(done => { const s = new WebSocket(%q); s.onerror = s.onopen = () => done('') })`, strings.Replace(private.URL, "http", "ws", 1)),
		fmt.Sprintf(`new Promise(done => { const i = new Image(); i.onerror = i.onload = () => done(''); i.src = %q })`, private.URL),
		fmt.Sprintf(`(async () => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('%s', {mode: 'no-cors'}).catch(String).then(() => postMessage(1))"]))); return new Promise(done => { w.onmessage = () => done('') }) })()`, private.URL),
		fmt.Sprintf(`navigator.sendBeacon(%q)`, private.URL),
	} {
		w.eval(page, expression)
	}
	w.call("", "Target.createTarget", object{"url": private.URL})
	w.call(page, "Page.printToPDF", object{"displayHeaderFooter": true, "headerTemplate": fmt.Sprintf("<img src=%q>", private.URL)})
	w.call(page, "Network.setUserAgentOverride", object{"userAgent": "x"})
	if n := reached.Load(); n > 0 {
		t.Errorf("reached %d times", n)
	}
}

func TestWindowsThatPagesOpenStayInTheContext(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.dial(event.Control)
	var made struct{ TargetID string }
	w.call("", "Target.createTarget", object{"url": s.site.URL + "/"}, &made)
	page := w.attachTo(made.TargetID)
	w.open(page, s.site.URL+"/")
	w.call("", "Target.setDiscoverTargets", object{"discover": true})
	for _, expression := range []string{
		`window.open('/one')`, `window.open('/two', '_blank', 'noopener')`,
		`(a => { a.href = '/three'; a.target = '_blank'; a.click() })(document.createElement('a'))`,
	} {
		w.call(page, "Runtime.evaluate", object{"expression": expression, "userGesture": true})
	}
	for _, path := range []string{"/one", "/two", "/three"} {
		m := w.event("Target.targetInfoChanged", func(m message) bool { return strings.Contains(string(m.Params), s.site.URL+path+`"`) })
		var got struct{ TargetInfo info }
		if err := json.Unmarshal(m.Params, &got); err != nil || got.TargetInfo.BrowserContextID != string(s.page.ContextID()) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
		opened := w.attachTo(got.TargetInfo.TargetID)
		w.eval(opened, "1")
	}
}

func TestStreamsAreTheClientsOwn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	one, other := s.dial(event.Control), s.dial(event.Control)
	page := one.firstPage()
	one.open(page, s.site.URL+"/") // Chromium prints no page that is still on its way
	var printed struct{ Stream string }
	one.call(page, "Page.printToPDF", object{"transferMode": "ReturnAsStream"}, &printed)
	var part struct{ Data string }
	other.fails(other.firstPage(), "IO.read", object{"handle": printed.Stream})
	one.call(page, "IO.read", object{"handle": printed.Stream, "size": 1000}, &part)
	if len(part.Data) == 0 {
		t.Error("the stream is empty")
	}
	one.call(page, "IO.close", object{"handle": printed.Stream})
}
