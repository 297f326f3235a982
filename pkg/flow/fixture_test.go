package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow"
)

// TestRules plays small flows on pages that show one rule each. want is the
// result, or with a leading ! a part of the failure's text.
func TestRules(t *testing.T) {
	t.Parallel()
	navigate := "  - {type: navigate, url: /page}\n"
	read := "  - {type: customStep, name: extract, parameters: {fields: {out: \"#out\"}}}\n"
	extract := func(fields string) string {
		return navigate + "  - {type: customStep, name: extract, timeout: 500, parameters: {fields: {" + fields + "}}}\n"
	}
	step := func(s string) string { return navigate + "  - {" + s + "}\n" + read }
	const out = `<p id=out>-</p><script>function say(text) { document.querySelector('#out').textContent += text }</script>`
	for name, c := range map[string]struct{ page, steps, want string }{
		"the first alternative listed wins": {
			out + `<b id=two onclick="say(2)">x</b><b id=one onclick="say(1)">x</b>`,
			step(`type: click, selectors: ["#one", "#two"]`), `{"out":"-1"}`,
		},
		"a chain enters shadow roots": {
			out + `<my-card><template shadowrootmode=open><button onclick="say('s')">x</button></template></my-card>`,
			step(`type: click, selectors: [[my-card, button]]`), `{"out":"-s"}`,
		},
		"pierce finds inside shadow roots": {
			out + `<my-card><template shadowrootmode=open><button onclick="say('s')">x</button></template></my-card>`,
			step(`type: click, selectors: [pierce/button]`), `{"out":"-s"}`,
		},
		"aria compares names without case and folds spaces": {
			out + `<button>other</button><button aria-label="Place   order" onclick="say('a')">x</button>`,
			step(`type: click, selectors: ["aria/place order[role=\"button\"]"]`), `{"out":"-a"}`,
		},
		"aria takes a field's label": {
			out + `<label for=q>Your name</label><input id=q onchange="say(value)">`,
			step(`type: change, selectors: [aria/Your name], value: Jane`), `{"out":"-Jane"}`,
		},
		"text finds the innermost element": {
			out + `<div onclick="say('d')"><p><i onclick="say('i');event.stopPropagation()">Buy  it NOW</i></p></div>`,
			step(`type: click, selectors: [text/buy it now]`), `{"out":"-i"}`,
		},
		"xpath": {
			out + `<p><b onclick="say('x')">it's</b></p>`,
			step(`type: click, selectors: ['xpath///b[.="it''s"]']`), `{"out":"-x"}`,
		},
		"a frame of the same site": {
			out + `<div style="height:200px"></div><iframe srcdoc="<button onclick=&quot;parent.say('f')&quot;>x</button>"></iframe>`,
			step(`type: click, frame: [0], selectors: [button]`), `{"out":"-f"}`,
		},
		"of several matches the first that can be clicked": {
			out + `<b class=x hidden>x</b><button class=x disabled>x</button><b class=x onclick="say('3')">x</b>`,
			step(`type: click, selectors: [.x]`), `{"out":"-3"}`,
		},
		"a click waits until nothing covers": {
			out + `<b id=b onclick="say('b')">x</b><div id=cover style="position:fixed;inset:0"></div><script>setTimeout(() => cover.remove(), 300)</script>`,
			step(`type: click, selectors: ["#b"]`), `{"out":"-b"}`,
		},
		"a click tells what covers": {
			out + `<b id=b>x</b><div id=cover style="position:fixed;inset:0"></div>`,
			step(`type: click, timeout: 300, selectors: ["#b"]`), `!step 2 (click #b): matched b#b, but it is covered by div#cover within 300ms`,
		},
		"a click waits until the element is still": {
			out + `<style>@keyframes go {from {margin-left: 0} to {margin-left: 300px}} #b {animation: go .4s linear forwards}</style><button id=b onclick="say(getComputedStyle(b).marginLeft)">x</button>`,
			step(`type: click, selectors: ["#b"]`), `{"out":"-300px"}`,
		},
		"a click scrolls": {
			out + `<div style="height:5000px"></div><b id=b onclick="say('b')">x</b>`,
			step(`type: click, selectors: ["#b"]`), `{"out":"-b"}`,
		},
		"a double click": {
			out + `<b id=b ondblclick="say('d')" onclick="say('c')">x</b>`,
			step(`type: doubleClick, selectors: ["#b"]`), `{"out":"-ccd"}`,
		},
		"hover": {out + `<b id=b onmouseenter="say('h')">x</b>`, step(`type: hover, selectors: ["#b"]`), `{"out":"-h"}`},
		"typing gives a person's events": {
			out + `<input id=i value=old><script>for (const e of ['focus','keydown','beforeinput','input','keyup','change','blur']) i.addEventListener(e, () => say(e+' '))</script>`,
			step(`type: change, selectors: ["#i"], value: new`), `{"out":"-focus keydown beforeinput input keyup change blur"}`,
		},
		"a field is emptied": {
			out + `<input id=i value=old onchange="say('['+value+']')">`,
			step(`type: change, selectors: ["#i"], value: ""`), `{"out":"-[]"}`,
		},
		"a text area keeps lines": {
			out + `<textarea id=i onchange="say(JSON.stringify(value))"></textarea>`,
			step(`type: change, selectors: ["#i"], value: "a\nb"`), `{"out":"-\"a\\nb\""}`,
		},
		"a date is set": {
			out + `<input type=date id=i onchange="say(value)">`,
			step(`type: change, selectors: ["#i"], value: "2026-03-07"`), `{"out":"-2026-03-07"}`,
		},
		"a select takes a label": {
			out + `<select id=i style="opacity:0;width:0" onchange="say(value)"><option value=1>One<option value=2>Two  things</select>`,
			step(`type: change, selectors: ["#i"], value: "two things"`), `{"out":"-2"}`,
		},
		"a select needs the option": {
			out + `<select id=i><option value=1>One</select>`,
			step(`type: change, timeout: 300, selectors: ["#i"], value: "3"`), `!matched select#i, but it is without such an option`,
		},
		"a hidden check box": {
			out + `<input type=checkbox id=i style="display:none" onchange="say(checked)">`,
			step(`type: change, selectors: ["#i"], value: "true"`), `{"out":"-true"}`,
		},
		"an editable element": {
			out + `<div id=i contenteditable oninput="say(innerText+'.')">old</div>`,
			step(`type: change, selectors: ["#i"], value: new`), `{"out":"-new."}`,
		},
		"a value that the page changes is a failure": {
			out + `<input id=i onchange="value='other'">`,
			step(`type: change, selectors: ["#i"], value: new`), `!#i took another value`,
		},
		"unless it is expected": {
			out + `<input id=i onchange="value='other'">`,
			step(`type: change, selectors: ["#i"], value: new, expect: other`), `{"out":"-"}`,
		},
		"a key": {
			out + `<input id=i onkeydown="say(event.key)"><script>i.focus()</script>`,
			step(`type: keyDown, key: Enter`), `{"out":"-Enter"}`,
		},
		"a key submits a form": {
			out + `<form action=/page#sent><input id=i name=q></form><script>if (location.search) say(location.search)</script>`,
			navigate + "  - {type: click, selectors: ['#i']}\n  - {type: keyDown, key: x}\n  - {type: keyUp, key: x}\n  - {type: keyDown, key: Enter}\n  - {type: keyUp, key: Enter}\n" + read, `{"out":"-?q=x"}`,
		},
		"a late element": {
			out + `<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<i id=late onclick="say(1)">x</i>'), 200)</script>`,
			step(`type: click, selectors: ["#late"]`), `{"out":"-1"}`,
		},
		"waitForElement counts": {
			out + `<i></i><i></i>`,
			step(`type: waitForElement, timeout: 200, selectors: [i], count: 1`), `!matched 2 elements`,
		},
		"waitForExpression": {
			out + `<script>setTimeout(() => { window.done = 1; say('d') }, 200)</script>`,
			step(`type: waitForExpression, expression: window.done === 1`), `{"out":"-d"}`,
		},
		"asserted events compare with stars": {out, strings.Replace(navigate, "/page}", "/page, assertedEvents: [{type: navigation, url: '*/page', title: 'Sh*'}]}", 1) + read, `{"out":"-"}`},
		"a wrong title fails":                {out, strings.Replace(navigate, "/page}", "/page, timeout: 300, assertedEvents: [{type: navigation, title: Other}]}", 1), `!the page is not the asserted one`},
		"confirm is answered": {
			out + `<b id=b onclick="say(confirm('sure?'))">x</b>`,
			navigate + "  - {type: customStep, name: dialog, parameters: {accept: true}}\n  - {type: click, selectors: ['#b']}\n  - {type: click, selectors: ['#b']}\n" + read, `{"out":"-truefalse"}`,
		},
		"repeat until gone": {
			out + `<button onclick="setTimeout(() => this.remove(), 50)">x</button><button onclick="setTimeout(() => this.remove(), 50)">x</button>`,
			navigate + "  - {type: customStep, name: repeat, parameters: {while: {visible: button}, untilGone: true, steps: [{type: click, selectors: [button]}]}}\n" + read, `{"out":"-"}`,
		},
		"repeat has a limit": {
			out + `<button>x</button>`,
			navigate + "  - {type: customStep, name: repeat, parameters: {while: {visible: button}, max: 2, steps: [{type: click, selectors: [button]}]}}\n", `!it did not end after 2 rounds`,
		},
		"repeat over remembered rows": {
			out + `<i data-n=1 onclick="say(1)">a</i><i data-n=2 onclick="say(2)">b</i>`,
			navigate + "  - {type: customStep, name: remember, parameters: {each: i, into: rows, fields: {n: \"@data-n\"}}}\n" +
				"  - {type: customStep, name: repeat, parameters: {over: vars.rows, steps: [{type: click, selectors: ['[data-n=\"{{ each.n }}\"]']}]}}\n" + read, `{"out":"-12"}`,
		},
		"fields": {
			`<a id=a href=/x data-k=v>T  e <i>x</i>t</a><input id=i value=" typed "><input id=c type=checkbox checked><b id=m>24,99 €</b><b id=d>7 Mar 2026</b><b id=n>1,234</b><b id=s>On its way</b><ul><li>1<li>2</ul>`,
			extract(`a: "#a", k: {selector: "#a", attribute: data-k}, u: {selector: "#a", as: url}, i: "#i", c: {selector: "#c", property: checked}, d: {selector: "#d", as: date}, n: {selector: "#n", as: integer}, s: {selector: "#s", map: {On its way: shipped}}, e: {expression: "1 + 1"}, l: {each: li, fields: {t: xpath/.}}, o: {fields: {n: "#n"}}, r: {value: "{{ row.s }}!"}, none: {selector: "#none", default: d}, x: {selector: "#none", as: exists}, k2: {const: 7}, p: {value: "{{ page.url }}", match: "(pa)ge"}`),
			`{"a":"T e xt","c":true,"d":"2026-03-07","e":2,"i":"typed","k":"v","k2":7,"l":[{"t":"1"},{"t":"2"}],"n":1234,"none":"d","o":{"n":"1,234"},"p":"pa","r":"shipped!","s":"shipped","u":"BASE/x","x":false}`,
		},
		"money is not misread":           {`<b id=m>24,99 €</b>`, extract(`m: {selector: "#m", as: money}`), `!field m (selector #m): the value is not written as the site's numbers are`},
		"a value that map does not list": {`<b id=m>new</b>`, extract(`m: {selector: "#m", map: {old: 1}}`), `!field m (selector #m): map does not list the value`},
		"a bad selector tells no value":  {`<b id=m>new</b>`, navigate + "  - {type: click, timeout: 200, selectors: ['#m[']}\n", `!failed in the page with SyntaxError`},
		"an overlay is dismissed": {
			out + `<b id=b onclick="say('b')">x</b><div id=overlay style="position:fixed;inset:0"><button id=close onclick="overlay.remove()">no</button></div>`,
			step(`type: click, selectors: ["#b"]`), `{"out":"-b"}`,
		},
		"a role alone takes any name": {
			out + `<button onclick="say(1)">x</button>`,
			step(`type: click, timeout: 300, selectors: ['aria/[role="button"]']`), `{"out":"-1"}`,
		},
		"a constant alone": {out, extract(`a: {const: false}`), `{"a":false}`},
		"rows of constants": {
			`<i></i><i></i>`, extract(`l: {each: i, fields: {k: {const: 1}}}, o: {fields: {k: {const: 2}}}`), `{"l":[{"k":1},{"k":1}],"o":{"k":2}}`,
		},
		"a key named by its place": {
			out + `<input id=i oninput="say(value)"><script>i.focus()</script>`,
			step(`type: keyDown, key: KeyA`), `{"out":"-a"}`,
		},
		"no network": {
			out + `<b id=b onclick="fetch('/page').then(() => say('on'), () => say('off'))">x</b>`,
			navigate + "  - {type: emulateNetworkConditions, download: 0, upload: 0, latency: 0}\n  - {type: click, selectors: ['#b']}\n" +
				"  - {type: waitForExpression, expression: \"document.querySelector('#out').textContent !== '-'\"}\n" + read, `{"out":"-off"}`,
		},
		"fill leaves alone what is not given": {
			out + `<input id=a value=old onchange="say(value)"><input id=b value=old onchange="say(value)">`,
			navigate + "  - {type: customStep, name: fill, parameters: {fields: {given.x: '#a', missing: '#b'}}}\n" + read, `{"out":"-G"}`,
		},
		"placeholders are escaped in the browser too": {
			out + `<b data-x="&quot;]'\" onclick="say('ok')">"]'\</b>`,
			step(`type: click, selectors: ['[data-x="{{ evil }}"]']`) + "  - {type: click, selectors: ['xpath///b[.=\"{{ evil }}\"]']}\n  - {type: click, selectors: ['text/{{ evil }}']}\n  - {type: waitForExpression, expression: \"document.querySelector('b').dataset.x === {{ evil }}\"}\n" + read, `{"out":"-okokok"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one(c.steps)
			s := newShop(t, "dates: D MMM YYYY\noverlays: [{selectors: ['#close']}]\n"+site, files, map[string]string{"/page": c.page})
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Request: map[string]any{"given": map[string]any{"x": "G"}, "evil": `"]'\`}})
			if text, fails := strings.CutPrefix(c.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("got %s, %v", result, err)
				}
				return
			}
			if want := strings.ReplaceAll(c.want, "BASE", s.url); err != nil || !sameJSON(t, result, want) {
				t.Errorf("got %s, %v\nwant %s", result, err, want)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return bytes.Equal(left, right)
}

func TestDocumentsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 10)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	t.Cleanup(elsewhere.Close)
	for name, steps := range map[string]string{
		"by a link":     "  - {type: navigate, url: /page}\n  - {type: click, selectors: ['#a']}\n",
		"by a redirect": "  - {type: navigate, url: /redirect}\n",
		"by a script":   "  - {type: navigate, url: /script}\n  - {type: waitForElement, selectors: ['#never']}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one(steps)
			s := newShop(t, site, files, map[string]string{
				"/page":   `<a id=a href="` + elsewhere.URL + `/link?secret">x</a>`,
				"/script": `<script>setTimeout(() => location = "` + elsewhere.URL + `/script", 50)</script>`,
			})
			s.mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+"/redirect", http.StatusFound)
			})
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if err == nil || !strings.Contains(err.Error(), "navigation to "+elsewhere.URL+" was refused") || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a frame's is no failure", func(t *testing.T) {
		t.Parallel()
		site, files := one("  - {type: navigate, url: /page}\n  - {type: customStep, name: extract, parameters: {fields: {a: p}}}\n")
		s := newShop(t, site, files, map[string]string{"/page": `<iframe src="` + elsewhere.URL + `/frame"></iframe><p>here`})
		if result, _, err := s.play(s.load(nil), flow.Job{Operation: "op"}); err != nil || result != `{"a":"here"}` {
			t.Errorf("got %s, %v", result, err)
		}
	})
	t.Cleanup(func() {
		select {
		case path := <-reached:
			t.Errorf("%s was reached", path)
		default:
		}
	})
}

func TestNothingWaitsForEver(t *testing.T) {
	t.Parallel()
	site, files := one("  - {type: navigate, timeout: 500, url: /slow}\n")
	s := newShop(t, site, files, map[string]string{})
	ctx, cancel := context.WithCancel(s.ctx)
	t.Cleanup(cancel)
	s.mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ctx.Done():
		}
	})
	started := time.Now()
	_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op"})
	if err == nil || !strings.Contains(err.Error(), "op.yaml step 1 (navigate /slow): ") || time.Since(started) > 10*time.Second || trace.Unclean != nil {
		t.Errorf("%v after %s, %v", err, time.Since(started), trace.Unclean)
	}
}
