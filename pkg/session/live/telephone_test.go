package live_test

import (
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

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
	// Chromium may owe a frame whenever the size has changed: it is asked for one, twice here.
	p.sees("notes.methods['Page.startScreencast'] >= 3")
	p.picture("telephone-whole")
	p.scrolls()
	s.hears("scrolled")
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
