package flow_test

import (
	"strings"
	"testing"

	"integration.gateway/pkg/flow"
)

// TestRequestValuesAreTextOnly plays steps with values that a caller might
// hope to do something with.
func TestRequestValuesAreTextOnly(t *testing.T) {
	t.Parallel()
	const did = `<p id=out>-</p><script>function say(text) { document.querySelector('#out').textContent += text }</script>`
	for name, c := range map[string]struct{ page, step, value, fails string }{
		"a line break at the end is no Enter": {
			page: `<textarea id=i onkeydown="if (event.key === 'Enter') say('sent')"></textarea>`,
			step: `type: change, selectors: ["#i"], value: "{{ value }}"`, value: "text\n",
		},
		"a blank is no text to click": {
			page: `<b onclick="say(1)">x</b>`, step: `type: click, timeout: 300, selectors: ["text/{{ value }}"]`,
			value: " \u00a0\ufeff", fails: "text/{{ value }} is blank",
		},
		"a blank is no name to click": {
			page: `<input type=checkbox onclick="say(1)">`, step: `type: click, timeout: 300, selectors: ['aria/{{ value }}[role="checkbox"]']`,
			value: " ", fails: "is blank",
		},
		"a name brings no role": {
			page: `<button onclick="say(1)">x</button>`, step: `type: click, timeout: 300, selectors: ["aria/{{ value }}"]`,
			value: `x[role="button"]`, fails: "no alternative matched",
		},
		"a selector brings no alternative": {
			page: `<b id=b onclick="say(1)">x</b>`, step: `type: click, timeout: 300, selectors: [".{{ value }}"]`,
			value: `a, #b`, fails: "no alternative matched",
		},
		"an xpath brings no condition": {
			page: `<b onclick="say(1)">x</b>`, step: `type: click, timeout: 300, selectors: ['xpath///b[.="{{ value }}"]']`,
			value: `" or "1"="1`, fails: "no alternative matched",
		},
		"an expression brings no statement": {
			page: `x`, step: `type: waitForExpression, expression: "{{ value }} !== null"`,
			value: "\"); say(1); (\"\u2028`${say(2)}`</script>//*/",
		},
		"an address brings no folder": {page: `x`, step: `type: navigate, url: "/page/{{ value }}"`, value: `../other`},
		"an address brings no host": {
			page: `x`, step: `type: navigate, url: "{{ baseUrl }}{{ value }}"`, value: `@evil.example/`, fails: "not one of the site's",
		},
		"a whole address is the site's": {page: `x`, step: `type: navigate, url: "{{ value }}"`, value: `http://[::1]/`, fails: "not one of the site's"},
		"an address is no script":       {page: `x`, step: `type: navigate, url: "{{ value }}"`, value: `javascript:say(1)`, fails: "not an http or https address"},
		"an address is not viewed":      {page: `x`, step: `type: navigate, url: "{{ value }}"`, value: `view-source:http://a.example/`, fails: "not an http or https address"},
		"an address has no user": {
			page: `x`, step: `type: navigate, url: "{{ value }}"`, value: `http://127.0.0.1:80@evil.example/`, fails: "not an http or https address",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one("  - {type: navigate, url: /page}\n  - {" + c.step + "}\n" +
				"  - {type: customStep, name: extract, parameters: {fields: {out: \"#out\"}}}\n")
			s := newShop(t, site, files, map[string]string{"/page": did + c.page, "/page/": did})
			result, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Request: map[string]any{"value": c.value}})
			if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) || c.fails == "" && (err != nil || result != `{"out":"-"}`) {
				t.Errorf("got %s, %v", result, err)
			}
		})
	}
}
