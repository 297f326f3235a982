package live_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
)

func TestAFormIsFilledAndSentThroughThePicture(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#name")
	must(t, p.page.Keyboard.Type([]input.Key("Anna B")...))
	s.hears("name Anna B")
	must(t, p.page.Keyboard.Type(input.Backspace, input.Tab))
	s.hears("name Anna ")
	p.page.MustEval("() => navigator.clipboard.writeText('quick ☕ please')")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyV).Do())
	s.page.MustWait("() => document.getElementById('note').value === 'quick ☕ please'")
	p.picture("desktop")
	p.clicks("#order")
	s.hears("order of Anna , quick ☕ please, Small")
	p.seesTab("Thank you")
	p.clean()
}

func TestMouseButtonsAndWheelArrive(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.over("#note")
	must(t, p.page.Mouse.Click(proto.InputMouseButtonLeft, 1))
	must(t, p.page.Mouse.Click(proto.InputMouseButtonLeft, 1))
	s.hears("dblclick note")
	must(t, p.page.Mouse.Click(proto.InputMouseButtonRight, 1))
	s.hears("contextmenu note")
	must(t, p.page.Mouse.Scroll(0, 600, 3))
	s.hears("scrolled")
	p.clean()
}

func TestPressesLandWhereThePictureShowsIt(t *testing.T) {
	s := newStand(t)
	s.page.MustNavigate(s.site.URL + "/field.html").MustWaitLoad()
	size := s.page.MustEval("() => [innerWidth, innerHeight]").Arr()
	width, height := size[0].Num(), size[1].Num()
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Field")
	press := func(name string, x, y, shownWidth, shownHeight float64) {
		t.Helper()
		must(t, p.page.Mouse.MoveTo(p.window(x, y, shownWidth, shownHeight)))
		must(t, p.page.Mouse.Click(proto.InputMouseButtonLeft, 1))
		var gotX, gotY float64
		_, err := fmt.Sscanf(s.next("pressed"), "pressed %f %f", &gotX, &gotY)
		must(t, err)
		if math.Abs(gotX-x) > 1 || math.Abs(gotY-y) > 1 {
			t.Errorf("%s: pressed at %v, %v; the page was pressed at %v, %v", name, x, y, gotX, gotY)
		}
	}
	for _, d := range []device{desk, {width: 900, height: 500, scale: 2}, {width: 1900, height: 1300, scale: 1}} {
		p.hold(d)
		p.settles()
		for _, place := range [][2]float64{{3, 3}, {width / 2, height / 3}, {width - 30, height - 3}} {
			press(fmt.Sprint(d), place[0], place[1], width, height)
		}
	}
	// The page scrolled: presses are told from where the window is.
	s.page.MustEval("() => new Promise(done => { addEventListener('scroll', done, {once: true}); scrollTo(0, 777); })")
	press("scrolled", 200, 300, width, height)
	// The page zoomed, as by two fingers: the picture shows a part of it.
	must(t, proto.EmulationSetPageScaleFactor{PageScaleFactor: 2}.Call(s.page))
	p.draws("frame.pageScaleFactor === 2")
	press("zoomed", 100, 150, width/2, height/2)
	must(t, p.page.Mouse.Scroll(200, 0, 1))
	s.page.MustWait("() => visualViewport.offsetLeft > 50")
	x := s.page.MustEval("() => visualViewport.offsetLeft").Num() + 100
	must(t, p.page.Mouse.MoveTo(p.window(100, 150, width/2, height/2)))
	must(t, p.page.Mouse.Click(proto.InputMouseButtonLeft, 1))
	if got, want := s.next("pressed"), fmt.Sprintf("pressed %.0f 150", x); got != want {
		t.Errorf("zoomed and moved: %s, not %s", got, want)
	}
	p.clean()
}

func TestTabsAreOpenedSwitchedAndClosed(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	if !p.page.MustEval("() => document.querySelector('.tab .icon').hidden").Bool() {
		t.Error("the last tab can be closed")
	}
	p.clicks("#window")
	s.hears("visit of Second")
	p.seesTab("Second")
	p.does("#new-tab")
	p.seesTab("New tab")
	p.sees("document.activeElement.id === 'address'")
	must(t, p.page.Keyboard.Type([]input.Key(strings.TrimPrefix(s.site.URL, "http://")+"/page?title=Third")...))
	must(t, p.page.Keyboard.Type(input.Enter))
	s.hears("visit of Third")
	p.seesTab("Third")
	p.sees("document.querySelectorAll('[role=tab]').length === 3")
	p.does(".tab:nth-child(1) [role=tab]")
	p.seesTab("Order")
	p.clicks("#name")
	must(t, p.page.Keyboard.Type(input.KeyX))
	s.hears("name x")
	p.does(".tab:nth-child(2) .icon")
	p.sees("document.querySelectorAll('[role=tab]').length === 2")
	p.seesTab("Order")
	p.does(".tab:nth-child(1) .icon")
	p.seesTab("Third")
	p.sees("document.querySelectorAll('[role=tab]').length === 1")
	p.clean("Page.screencastFrameAck: Session with given id") // a frame of the tab came while it was closed
}

func TestAddressBackForwardAndReload(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	for _, title := range []string{"One", "Two"} {
		p.goes(s.site.URL + "/page?title=" + title)
		s.hears("visit of " + title)
		p.seesTab(title)
	}
	p.sees("!document.getElementById('go-back').disabled")
	p.does("#go-back")
	s.hears("visit of One")
	p.seesTab("One")
	p.sees("!document.getElementById('go-forward').disabled")
	p.sees("document.getElementById('address').value.endsWith('title=One')")
	p.does("#go-forward")
	s.hears("visit of Two")
	p.seesTab("Two")
	p.does("#go-reload")
	s.hears("visit of Two")
	p.goes("no address")
	p.sees("document.getElementById('toast').innerText.startsWith('That is not an address')")
	p.goes("http://127.0.0.1:9/")
	p.sees("document.getElementById('toast').innerText.includes('net::ERR')")
	p.clean("Not attached to an active page") // when it is asked for the history in the middle of a navigation; it asks again at the end
}

func TestThePageAsksAndThePersonAnswers(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#confirm")
	p.sees("document.getElementById('ask').open && document.getElementById('ask-text').innerText === 'Send it?'")
	p.picture("dialog")
	p.does("#ask-yes")
	s.hears("confirm true")
	p.clicks("#confirm")
	p.sees("document.getElementById('ask').open")
	must(t, p.page.Keyboard.Type(input.Escape))
	s.hears("confirm false")
	p.clicks("#prompt")
	p.sees("document.getElementById('ask').open && document.getElementById('ask-field').value === '1'")
	must(t, p.page.Keyboard.Type([]input.Key("42")...))
	must(t, p.page.Keyboard.Type(input.Enter))
	s.hears("prompt 42")
	// Another one in control answers: the question goes.
	other := s.visit(s.address(controlTicket), desk)
	other.seesTab("Order")
	p.clicks("#confirm")
	p.sees("document.getElementById('ask').open")
	other.sees("document.getElementById('ask').open")
	other.does("#ask-yes")
	s.hears("confirm true")
	p.sees("!document.getElementById('ask').open")
	p.clean("No dialog is showing")
}

func TestASelectBoxShowsItsList(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#size")
	p.sees("document.querySelectorAll('#choices [role=option]').length === 4")
	p.picture("choices")
	p.page.MustElementR("#choices [role=option]", "Large").MustClick()
	s.hears("size Large")
	p.clicks("#size")
	p.sees("document.activeElement.innerText === 'Large'")
	must(t, p.page.Keyboard.Type(input.ArrowUp, input.Enter))
	s.hears("size Medium")
	p.clicks("#size")
	p.sees("document.activeElement.innerText === 'Medium'")
	must(t, p.page.Keyboard.Type(input.Escape))
	p.sees("document.querySelectorAll('#choices [role=option]').length === 0")
	p.clicks("#order")
	s.hears("order of , , Medium")
	p.clean()
}

func TestAnInputMethodComposes(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#name")
	for _, text := range []string{"n", "ni"} {
		must(t, proto.InputImeSetComposition{Text: text, SelectionStart: len(text), SelectionEnd: len(text)}.Call(p.page))
		s.hears("name " + text)
	}
	must(t, p.page.InsertText("你"))
	s.hears("name 你")
	must(t, p.page.Keyboard.Type(input.KeyX))
	s.hears("name 你x")
	p.clean()
}

func TestWhoLooksOnSeesAllAndChangesNothing(t *testing.T) {
	s := newStand(t)
	anna := s.visit(s.address(controlTicket), desk)
	anna.seesTab("Order")
	p := s.visit(s.address(viewTicket), desk)
	p.seesTab("Order")
	p.sees("!document.getElementById('view-only').hidden")
	p.picture("view-only")
	p.clicks("#name")
	must(t, p.page.Mouse.Scroll(0, 600, 3))
	must(t, p.page.Keyboard.Type([]input.Key("no")...))
	p.taps(p.at("#order"))
	p.page.MustEval("() => navigator.clipboard.writeText('no')")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyV).Do())
	// What the other one does comes after it, and is the first that is heard.
	anna.clicks("#window")
	if first := <-s.said; first != "visit of Second" {
		t.Errorf("the site was told %q", first)
	}
	p.seesTab("Second")
	p.does(".tab:nth-child(1) [role=tab]")
	p.seesTab("Order")
	anna.seesTab("Second")
	for _, id := range []string{"new-tab", "go", "go-back", "go-reload", "paste", "share", "end", "type", "fit", "keys"} {
		if p.page.MustElement("#" + id).MustVisible() {
			t.Errorf("%s is offered", id)
		}
	}
	want := []string{
		"Page.screencastFrameAck", "Page.startScreencast", "Page.stopScreencast", "Target.attachToTarget", "Target.getTargets", "Target.setDiscoverTargets",
	}
	if got := p.sent(); !slices.Equal(got, want) {
		t.Errorf("it has sent %q", got)
	}
	p.clean()
}

func TestATelephone(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), telephone)
	p.seesTab("Order")
	p.draws("frame.deviceWidth === 390") // laid out for it
	p.taps(p.at("#name"))
	s.page.MustWait("() => document.activeElement.id === 'name'")
	if p.page.MustEval("() => document.activeElement.id").Str() == "keys" {
		t.Error("a tap opens the keyboard without being asked to")
	}
	p.taps(*p.page.MustElement("#type").MustShape().OnePointInside())
	p.sees("document.activeElement.id === 'keys'")
	must(t, p.page.InsertText("Anna"))
	s.hears("name Anna")
	p.picture("telephone")
	// Its keyboard's delete key is no key, but deletes.
	p.page.MustEval("() => document.execCommand('delete')")
	s.hears("name Ann")
	p.taps(p.at("#confirm"))
	p.sees("document.getElementById('ask').open")
	p.taps(*p.page.MustElement("#ask-yes").MustShape().OnePointInside())
	s.hears("confirm true")
	p.taps(*p.page.MustElement("#more-actions").MustShape().OnePointInside())
	p.sees("document.getElementById('actions').classList.contains('open')")
	p.picture("telephone-menu")
	p.taps(*p.page.MustElement("#fit").MustShape().OnePointInside())
	p.draws("frame.deviceWidth > 1000")
	p.picture("telephone-whole")
	p.scrolls()
	s.hears("scrolled")
	p.clean()
}

func TestWhatIsCopiedInThePageIsInTheClipboardHere(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#name")
	must(t, p.page.Keyboard.Type([]input.Key("Anna B")...))
	s.hears("name Anna B")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyA, input.KeyX).Do())
	s.hears("name ")
	p.waits("() => navigator.clipboard.readText().then(text => text === 'Anna B')")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyV, input.KeyV).Do())
	s.hears("name Anna BAnna B")
	// A password is not.
	reads := p.page.MustEval("() => notes.answered['Runtime.evaluate']").Int()
	s.page.MustEval("() => { document.getElementById('name').type = 'password' }")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyA, input.KeyC).Do())
	p.sees("notes.answered['Runtime.evaluate'] > all[0]", reads)
	p.page.MustEval("() => new Promise(done => setTimeout(done))") // what follows from the answer is done
	if got := p.page.MustEval("() => navigator.clipboard.readText()").Str(); got != "Anna B" {
		t.Errorf("the clipboard has %q", got)
	}
	p.clean()
}

func TestAFingerScrollsAndTwoDoNot(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), telephone)
	p.seesTab("Order")
	p.draws("frame.deviceWidth === 390")
	one, two := proto.Point{X: 150, Y: 500}, proto.Point{X: 240, Y: 500}
	p.touch(proto.InputDispatchTouchEventTypeTouchStart, one)
	p.touch(proto.InputDispatchTouchEventTypeTouchStart, one, two)
	for range 10 {
		one.Y, two.Y = one.Y-30, two.Y-30
		p.touch(proto.InputDispatchTouchEventTypeTouchMove, one, two)
	}
	p.touch(proto.InputDispatchTouchEventTypeTouchEnd)
	if got := s.page.MustEval("() => scrollY").Int(); got != 0 {
		t.Errorf("two fingers scroll the page by %d", got)
	}
	p.scrolls()
	s.hears("scrolled")
	p.clean()
}

func TestStoppingEndsTheSession(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	other := s.visit(s.address(viewTicket), desk)
	other.seesTab("Order")
	p.does("#end")
	p.sees("document.getElementById('ask').open && document.activeElement.id === 'ask-no'")
	p.picture("stop")
	p.does("#ask-yes")
	p.sees("document.getElementById('notice-title')?.innerText === 'The session has ended'")
	if got := p.reads("#notice-text"); !strings.HasPrefix(got, "It was stopped.") {
		t.Errorf("it says %q", got)
	}
	other.sees("document.getElementById('notice-title')?.innerText === 'The session has ended'")
	p.picture("ended")
	p.page.MustReload()
	p.sees("document.getElementById('notice-title')?.innerText === 'This link does not work'")
	p.page.MustNavigate("about:blank").MustNavigate(strings.TrimSuffix(s.address(""), "#"))
	p.sees("document.getElementById('notice-title')?.innerText === 'This link is incomplete'")
}

func TestThePersonIsToldWhyTheSessionEnded(t *testing.T) {
	s := newStand(t)
	dark := desk
	dark.dark = true
	p := s.visit(s.address(controlTicket), dark)
	p.seesTab("Order")
	p.does("#people")
	p.sees("document.querySelectorAll('#client-list li').length === 1")
	p.picture("dark")
	s.end(event.SessionExpired)
	p.sees("document.getElementById('notice-text').innerText.startsWith('Its time was over.')")
	p.sees("!document.getElementById('clients').matches(':popover-open')")
	p.picture("dark-ended")
}

func TestALinkToLookOnIsMade(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.does("#share")
	p.sees("document.getElementById('ask-field').value === all[0]", s.address(viewTicket))
	p.picture("share")
	p.does("#ask-yes")
	p.sees("!document.getElementById('toast').hidden")
	if got := p.page.MustEval("() => navigator.clipboard.readText()").Str(); got != s.address(viewTicket) {
		t.Errorf("the clipboard has %q", got)
	}
	p.clean()
}

func TestALostConnectionIsMadeAgain(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#window")
	p.seesTab("Second")
	p.page.MustEval("() => { window.first = window.socket; window.seen = false; " +
		"new MutationObserver(() => { window.seen ||= !document.getElementById('trouble').hidden; }).observe(document.getElementById('trouble'), {attributes: true}); }")
	s.cut("cut")
	p.sees("window.seen && window.socket !== window.first && document.getElementById('trouble').hidden")
	p.seesTab("Second")
	p.does(".tab:nth-child(1) [role=tab]")
	p.seesTab("Order")
	p.clicks("#name")
	must(t, p.page.Keyboard.Type(input.KeyX))
	s.hears("name x")
}

func TestACrashedTabIsReloaded(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	s.crash()
	p.sees("document.getElementById('notice-title')?.innerText === 'This tab has crashed' && !document.getElementById('notice').hidden")
	p.picture("crashed")
	p.does("#notice-action")
	p.seesTab("Order")
	p.clean()
}

func TestThePageDoesNotFallBehind(t *testing.T) {
	s := newStand(t)
	s.page.MustEval(`() => {
		let n = 0;
		const paint = () => { document.body.style.background = 'hsl(' + n++ % 360 + ' 50% 50%)'; requestAnimationFrame(paint); };
		paint();
	}`)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.sees("notes.frames > 20")
	// Drawing stands still: frames stop soon.
	p.page.MustEval("() => { window.hold = []; window.requestAnimationFrame = draw => { hold.push(draw); return 0; }; notes.frames = notes.acks = 0; }")
	p.sees("window.hold.length > 0")
	frames := p.page.MustEval("() => new Promise(done => setTimeout(() => done(notes.frames), 1500))").Int()
	if frames > 8 {
		t.Errorf("%d frames came that were not drawn", frames)
	}
	p.clean()
}

func TestTheTicketStaysInTheFragment(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	for what, script := range map[string]string{
		"the page":  "() => document.documentElement.outerHTML + document.title",
		"storage":   "() => JSON.stringify([localStorage, sessionStorage, document.cookie])",
		"resources": "() => performance.getEntriesByType('resource').map(entry => entry.name).join()",
	} {
		if strings.Contains(p.page.MustEval(script).Str(), "igw_st_") {
			t.Errorf("%s has the ticket", what)
		}
	}
	p.clean()
}
