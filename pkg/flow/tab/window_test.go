package tab_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"integration.gateway/pkg/flow/tab"
)

func (b *bench) find(path string) *tab.Tab {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	found, _, err := b.tab.Find(ctx, func(address string) bool { return strings.HasSuffix(address, path) })
	if err != nil {
		b.Fatalf("%s: %v", path, err)
	}
	return found
}

// on is the bench with another tab in the place of the page.
func (b *bench) on(t *tab.Tab) *bench {
	other := *b
	other.tab = t
	return &other
}

var opening = map[string]string{
	"page": `<button id=open onclick="w = window.open('/opened')">x</button> <a id=blank target=_blank href=OTHER/opened>x</a>
		<a id=alone target=_blank rel=noopener href=/opened>x</a>
		<button id=written onclick="w = window.open(''); w.document.body.innerHTML = '<p id=p>written'">x</button>
		<form target=_blank method=post action=/opened><button id=form>x</button></form>
		<button id=many onclick="for (let i = 0; i < 30; i++) window.open('/opened?' + i)">x</button>
		<button id=foreign onclick="window.open('ELSEWHERE/popup')">x</button>
		<a id=foreignBlank target=_blank href=ELSEWHERE/blank>x</a> <a id=foreignAlone target=_blank rel=noopener href=ELSEWHERE/alone>x</a>`,
	"opened": `<p id=p>opened</p><button id=close onclick="window.close()">x</button><button id=again onclick="window.open('/nested')">x</button>
		<iframe src=OTHER/inside></iframe>`,
	"nested": `<p id=p>nested`,
	"inside": `<p id=p>inside`,
}

func TestTabThatAPageOpensIsPlayedIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, opening)
	for _, opener := range []string{"#open", "#blank", "#alone", "#form"} {
		b.open("page")
		b.click(opener)
		opened := b.on(b.find("/opened"))
		for _, place := range []struct {
			frame []int
			text  string
		}{{nil, "opened"}, {[]int{0}, "inside"}} {
			if found := opened.look(5*time.Second, tab.Goal{Kind: tab.Visible, Frame: place.frame, Selectors: css("#p")}); found.Text != place.text {
				t.Errorf("%s: %+v", opener, found)
			}
		}
		opened.click("#again")
		nested := b.on(b.find("/nested"))
		if found := nested.look(5*time.Second, tab.Goal{Kind: tab.Visible, Selectors: css("#p")}); found.Text != "nested" {
			t.Errorf("%s: %+v", opener, found)
		}
		if err := nested.tab.Close(b.ctx); err != nil {
			t.Error(err)
		}
		opened.click("#close") // does not wait for a tab that has gone
		if _, err := opened.tab.Look(b.ctx, time.Second, tab.Goal{Kind: tab.Ready}); !errors.Is(err, tab.ErrClosed) {
			t.Errorf("%s: the closed tab answers %v", opener, err)
		}
	}
}

func TestTabThatAPageWritesIsPlayedIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, opening)
	b.open("page")
	b.click("#written")
	found := b.on(b.find("about:blank")).look(5*time.Second, tab.Goal{Kind: tab.Visible, Selectors: css("#p")})
	if found.Text != "written" {
		t.Errorf("%+v", found)
	}
}

func TestTabsAreFewAndGoWithThePage(t *testing.T) {
	t.Parallel()
	b := newBench(t, opening)
	b.open("page")
	b.click("#many")
	b.find("/opened?0")
	if err := b.tab.Detach(b.ctx); err != nil {
		t.Fatal(err)
	}
	targets, err := proto.TargetGetTargets{}.Call(b.page.Browser())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets.TargetInfos {
		if target.BrowserContextID == b.page.Browser().BrowserContextID && strings.Contains(target.URL, "/opened") {
			t.Errorf("left open: %+v", target)
		}
	}
}

func TestWindowsThatNobodyControlsGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, opening)
	if err := b.tab.Detach(b.ctx); err != nil {
		t.Fatal(err)
	}
	page := b.page.Browser().MustPage(b.site + "/page").Context(b.ctx)
	wait := page.MustWaitOpen()
	page.MustElement("#open").MustClick()
	if text := wait().Context(b.ctx).MustElement("#p").MustText(); text != "opened" {
		t.Errorf("the window shows %q", text)
	}
}

func TestNothingReachesElsewhere(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a popup":                              `window.open('ELSEWHERE/popup')`,
		"a popup that is sent":                 `w = window.open('/hop?to=ELSEWHERE/sent')`,
		"a popup's fetch":                      `w = window.open('/fetches')`,
		"a link to a new tab":                  `Object.assign(document.createElement('a'), {target: '_blank', rel: 'noopener', href: 'ELSEWHERE/blank'}).click()`,
		"a click with Ctrl":                    `Object.assign(document.createElement('a'), {href: 'ELSEWHERE/tab'}).dispatchEvent(new MouseEvent('click', {ctrlKey: true}))`,
		"a click with Shift":                   `Object.assign(document.createElement('a'), {href: 'ELSEWHERE/window'}).dispatchEvent(new MouseEvent('click', {shiftKey: true}))`,
		"a frame":                              `document.body.append(Object.assign(document.createElement('iframe'), {src: 'ELSEWHERE/frame'}))`,
		"a frame of another site that goes on": `document.body.append(Object.assign(document.createElement('iframe'), {src: 'OTHER/goes'}))`,
		"a frame of another site that fetches": `document.body.append(Object.assign(document.createElement('iframe'), {src: 'OTHER/fetches'}))`,
		"a frame of another site that opens":   `document.body.append(Object.assign(document.createElement('iframe'), {src: 'OTHER/opens'}))`,
		"fetch":                                `fetch('ELSEWHERE/fetch', {mode: 'no-cors'}).catch(() => 0)`,
		"fetch by a hop":                       `fetch('/hop?to=ELSEWHERE/hop', {mode: 'no-cors'}).catch(() => 0)`,
		"fetch that stays":                     `fetch('ELSEWHERE/keepalive', {keepalive: true, mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0)`,
		"XHR":                                  `{const x = new XMLHttpRequest(); x.open('POST', 'ELSEWHERE/xhr'); x.send('x')}`,
		"a beacon":                             `navigator.sendBeacon('ELSEWHERE/beacon', 'x')`,
		"a ping":                               `Object.assign(document.createElement('a'), {ping: 'ELSEWHERE/ping', href: '#x'}).click()`,
		"EventSource":                          `new EventSource('ELSEWHERE/events')`,
		"a worker":                             `new Worker('/worker')`,
		"a service worker":                     `navigator.serviceWorker.register('/worker')`,
		"a form":                               `{const f = document.createElement('form'); f.target = 'x'; f.method = 'post'; f.action = 'ELSEWHERE/form'; document.body.append(f); f.submit()}`,
		"a blob's frame":                       `document.body.append(Object.assign(document.createElement('iframe'), {src: URL.createObjectURL(new Blob(['<script>fetch("ELSEWHERE/blob")<\/script>'], {type: 'text/html'}))}))`,
		"a data: frame":                        `document.body.append(Object.assign(document.createElement('iframe'), {src: 'data:text/html,<script>fetch("ELSEWHERE/data")<\/script>'}))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{
				"page":    `<script>go = () => { ` + script + ` }</script>`,
				"goes":    `<script>location = 'ELSEWHERE/goes'</script>`,
				"fetches": `<script>fetch('ELSEWHERE/fetches', {mode: 'no-cors'}).finally(() => fetch('SITE/done', {mode: 'no-cors'}))</script>`,
				"opens":   `<script>window.open('ELSEWHERE/opens')</script>`,
			})
			b.serveHops()
			b.open("page")
			b.evaluate(`void go()`)
			// What was asked after it has been answered: so much time has passed.
			b.evaluate(`new Promise(r => setTimeout(r, 600))`)
			if err := b.tab.Detach(b.ctx); err != nil {
				t.Error(err)
			}
			b.visits.none(t)
		})
	}
}
