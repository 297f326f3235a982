package live_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/contracts/event"
)

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
	p.hasClipboard()
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

func TestTheTicketStaysInTheFragmentAndALinkToLookOnIsMade(t *testing.T) {
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
	p.does("#share")
	p.sees("document.getElementById('ask-field').value === all[0]", s.address(viewTicket))
	p.picture("share")
	p.hasClipboard()
	p.does("#ask-yes")
	p.sees("!document.getElementById('toast').hidden")
	if got := p.page.MustEval("() => navigator.clipboard.readText()").Str(); got != s.address(viewTicket) {
		t.Errorf("the clipboard has %q", got)
	}
	p.clean()
}

func TestALostConnectionIsMadeAgainUntilTheSessionEnds(t *testing.T) {
	s := newStand(t)
	dark := desk
	dark.dark = true
	p := s.visit(s.address(controlTicket), dark)
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
	p.does("#people")
	p.sees("document.querySelectorAll('#client-list li').length === 1")
	p.picture("dark")
	s.end(event.SessionExpired)
	p.sees("document.getElementById('notice-text').innerText.startsWith('Its time was over.')")
	p.sees("!document.getElementById('clients').matches(':popover-open')")
	p.picture("dark-ended")
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

func TestAPartThatDoesNotArriveIsLoadedOnceMore(t *testing.T) {
	s := newStand(t)
	p := s.visit("about:blank", desk)
	router := p.page.HijackRequests()
	defer router.MustStop()
	failed := false
	router.MustAdd("*/live/tabs.js", func(h *rod.Hijack) {
		if failed {
			h.ContinueRequest(&proto.FetchContinueRequest{})
			return
		}
		failed = true
		h.Response.Fail(proto.NetworkErrorReasonConnectionFailed)
	})
	go router.Run()
	p.page.MustNavigate(s.address(controlTicket))
	p.seesTab("Order")
	if !failed {
		t.Error("nothing failed")
	}
}
