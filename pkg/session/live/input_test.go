package live_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
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
	p.hasClipboard()
	p.page.MustEval("() => navigator.clipboard.writeText('quick ☕ please')")
	must(t, p.page.KeyActions().Press(input.ControlLeft).Type(input.KeyV).Do())
	s.page.MustWait("() => document.getElementById('note').value === 'quick ☕ please'")
	p.picture("desktop")
	p.clicks("#order")
	s.hears("order of Anna , quick ☕ please, Small")
	p.seesTab("Thank you")
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

func TestAnInputMethodComposesAndMouseButtonsAndWheelArrive(t *testing.T) {
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

func TestWhatIsCopiedInThePageIsInTheClipboardHere(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	p.clicks("#name")
	must(t, p.page.Keyboard.Type([]input.Key("Anna B")...))
	s.hears("name Anna B")
	p.hasClipboard()
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
