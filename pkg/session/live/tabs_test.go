package live_test

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
)

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

func TestACrashAndAddressBackForwardAndReload(t *testing.T) {
	s := newStand(t)
	p := s.visit(s.address(controlTicket), desk)
	p.seesTab("Order")
	s.crash()
	p.sees("document.getElementById('notice-title')?.innerText === 'This tab has crashed' && !document.getElementById('notice').hidden")
	p.picture("crashed")
	p.does("#notice-action")
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
	p.clean()
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
