package live_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/testenv/chromium"
)

// people is the browser of all persons.
var people chromium.Chromium

// clipboard is that of all persons, as they share a browser.
var clipboard sync.Mutex

// person has the page open.
type person struct {
	t     *testing.T
	stand *stand
	page  *rod.Page
}

// device is what a person holds.
type device struct {
	width, height int
	scale         float64
	touch, dark   bool
}

var (
	desk      = device{width: 1360, height: 900, scale: 1}
	telephone = device{width: 390, height: 760, scale: 2, touch: true}
)

// notes is run before the page: it keeps which methods were sent, how far frames
// and their acknowledgements are apart, and what the browser has refused.
const notes = `
window.notes = {methods: {}, answered: {}, sent: {}, frames: 0, acks: 0, refused: []};
addEventListener('securitypolicyviolation', event => notes.refused.push(event.violatedDirective + ' ' + event.blockedURI));
addEventListener('error', event => notes.refused.push(event.message));
addEventListener('unhandledrejection', event => notes.refused.push(String(event.reason)));
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
	const {id, method} = JSON.parse(text);
	notes.sent[id] = method;
	notes.methods[method] = (notes.methods[method] ?? 0) + 1;
	if (method === 'Page.screencastFrameAck') notes.acks++;
	if (!this.noted) {
		this.noted = true;
		window.socket = this;
		this.addEventListener('message', message => {
			const {id, method, params, error} = JSON.parse(message.data);
			if (method === 'Page.screencastFrame') {
				notes.frames++;
				notes.frame = params.metadata;
			}
			if (id) notes.answered[notes.sent[id]] = (notes.answered[notes.sent[id]] ?? 0) + 1;
			if (error) notes.refused.push(notes.sent[id] + ': ' + error.message);
		});
	}
	return send.call(this, text);
};`

// visit opens an address on a device.
func (s *stand) visit(address string, d device) *person {
	s.t.Helper()
	browser := people.Context(s.t).Context(s.ctx)
	p := &person{s.t, s, browser.MustPage()}
	must(s.t, proto.BrowserGrantPermissions{BrowserContextID: browser.BrowserContextID, Permissions: []proto.BrowserPermissionType{
		proto.BrowserPermissionTypeClipboardReadWrite, proto.BrowserPermissionTypeClipboardSanitizedWrite,
	}}.Call(browser))
	p.hold(d)
	p.page.MustEvalOnNewDocument(notes)
	p.page.MustNavigate(address)
	return p
}

// hasClipboard keeps the clipboard from the other tests until this one ends.
func (p *person) hasClipboard() {
	clipboard.Lock()
	p.t.Cleanup(clipboard.Unlock)
}

// hold changes the device.
func (p *person) hold(d device) {
	p.t.Helper()
	must(p.t, proto.EmulationSetDeviceMetricsOverride{Width: d.width, Height: d.height, DeviceScaleFactor: d.scale, Mobile: d.touch}.Call(p.page))
	must(p.t, proto.EmulationSetTouchEmulationEnabled{Enabled: d.touch}.Call(p.page))
	scheme := "light"
	if d.dark {
		scheme = "dark"
	}
	must(p.t, proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}.Call(p.page))
}

// sees waits until a condition holds in the person's page.
func (p *person) sees(condition string, arguments ...any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.stand.ctx, patience)
	defer cancel()
	if err := p.page.Context(ctx).Wait(rod.Eval("(...all) => ("+condition+")", arguments...)); err != nil {
		p.picture("failed")
		said := p.page.MustEval("() => document.body.innerText + JSON.stringify(notes)").Str()
		p.t.Fatalf("the page did not come to %s: %v; it says %q", condition, err, said)
	}
}

// waits returns once a function in the person's page returns, or resolves to, true.
func (p *person) waits(script string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.stand.ctx, patience)
	defer cancel()
	if err := p.page.Context(ctx).Wait(rod.Eval(script).ByPromise()); err != nil {
		p.t.Fatalf("%s did not become true: %v", script, err)
	}
}

// seesPicture waits until the picture of the shown tab is there.
func (p *person) seesPicture() {
	p.t.Helper()
	p.sees("document.getElementById('notice').hidden && document.getElementById('picture').dataset.stale === undefined")
}

// draws waits until the last frame is drawn, and its metadata fulfil a condition.
func (p *person) draws(condition string, arguments ...any) {
	p.t.Helper()
	p.sees("notes.frames === notes.acks && (frame => "+condition+")(notes.frame)", arguments...)
}

// settles waits until the page has taken to a new size of its window.
func (p *person) settles() {
	p.t.Helper()
	p.page.MustEval("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
}

// goes types an address.
func (p *person) goes(address string) {
	p.t.Helper()
	p.does("#address")
	p.page.MustEval("() => document.getElementById('address').select()")
	must(p.t, p.page.InsertText(address))
	must(p.t, p.page.Keyboard.Type(input.Enter))
}

// seesTab waits until a tab of that title is shown, with its picture.
func (p *person) seesTab(title string) {
	p.t.Helper()
	p.sees("document.querySelector('[role=tab][aria-selected=true]')?.innerText === all[0]", title)
	p.seesPicture()
}

// reads is the text of an element of the person's page.
func (p *person) reads(selector string) string {
	p.t.Helper()
	return p.page.MustEval("selector => document.querySelector(selector).innerText", selector).Str()
}

// does clicks at an element of the person's own page.
func (p *person) does(selector string) {
	p.t.Helper()
	p.page.MustElement(selector).MustClick()
}

// window is where in this window a place of the session's page is drawn; the size
// of that page is given.
func (p *person) window(x, y, width, height float64) proto.Point {
	p.t.Helper()
	box := p.page.MustElement("#picture").MustShape().Box()
	return proto.Point{X: box.X + x*box.Width/width, Y: box.Y + y*box.Height/height}
}

// over moves the mouse to the middle of an element of the session's page.
func (p *person) over(selector string) {
	p.t.Helper()
	at := p.at(selector)
	must(p.t, p.page.Mouse.MoveTo(at))
}

// at is where in this window the middle of an element of the session's page is.
func (p *person) at(selector string) proto.Point {
	p.t.Helper()
	size := p.stand.page.MustEval("() => [innerWidth, innerHeight]").Arr()
	place := p.stand.place(selector)
	return p.window(place.X, place.Y, size[0].Num(), size[1].Num())
}

// clicks presses an element of the session's page, through its picture.
func (p *person) clicks(selector string) {
	p.t.Helper()
	p.over(selector)
	must(p.t, p.page.Mouse.Click(proto.InputMouseButtonLeft, 1))
}

// taps does the same with a finger, at a place of this window.
func (p *person) taps(at proto.Point) {
	p.t.Helper()
	p.touch(proto.InputDispatchTouchEventTypeTouchStart, at)
	p.touch(proto.InputDispatchTouchEventTypeTouchEnd)
}

func (p *person) touch(kind proto.InputDispatchTouchEventType, points ...proto.Point) {
	p.t.Helper()
	event := proto.InputDispatchTouchEvent{Type: kind, TouchPoints: []*proto.InputTouchPoint{}}
	for i, point := range points {
		event.TouchPoints = append(event.TouchPoints, &proto.InputTouchPoint{X: point.X, Y: point.Y, ID: new(float64(i))})
	}
	must(p.t, event.Call(p.page))
}

// sent is which methods the page has sent.
func (p *person) sent() []string {
	p.t.Helper()
	var methods []string
	for method := range p.page.MustEval("() => notes.methods").Map() {
		methods = append(methods, method)
	}
	slices.Sort(methods)
	return methods
}

// picture keeps a screenshot of the person's page beside the test's results.
func (p *person) picture(name string) {
	p.t.Helper()
	image, err := p.page.Screenshot(false, nil)
	if err != nil {
		p.t.Logf("no screenshot: %v", err)
		return
	}
	file := filepath.Join(p.t.ArtifactDir(), fmt.Sprintf("page-%s.png", name))
	if err := os.WriteFile(file, image, 0o600); err != nil {
		p.t.Error(err)
	}
}

// clean fails the test if the browser has refused the page anything, but for errors
// that contain one of those, and what it is asked in the middle of a navigation and
// asked again at the end.
func (p *person) clean(but ...string) {
	p.t.Helper()
	but = append(but, "Page.getNavigationHistory: Not attached to an active page")
	for _, refused := range p.page.MustEval("() => notes.refused").Arr() {
		if !slices.ContainsFunc(but, func(expected string) bool { return strings.Contains(refused.Str(), expected) }) {
			p.t.Errorf("the page was refused: %s", refused.Str())
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// scrolls moves a finger up over the picture.
func (p *person) scrolls() {
	p.t.Helper()
	box := p.page.MustElement("#picture").MustShape().Box()
	at := proto.Point{X: box.X + box.Width*0.7, Y: box.Y + box.Height*0.9}
	p.touch(proto.InputDispatchTouchEventTypeTouchStart, at)
	for range 12 {
		at.Y -= box.Height * 0.06
		p.touch(proto.InputDispatchTouchEventTypeTouchMove, at)
		p.page.MustEval("() => new Promise(requestAnimationFrame)")
	}
	p.touch(proto.InputDispatchTouchEventTypeTouchEnd)
}
