package flow_test

import (
	"errors"
	"strings"
	"testing"

	"integration.gateway/pkg/flow"
)

// TestEditableElementsTakeLines types texts with empty lines and blanks into
// editable elements, of which the browser makes boxes, <br> and blanks of
// another kind; and finds the page that drops an empty line.
func TestEditableElementsTakeLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page    string
		text    string // besides those that every page is given
		refuses string // part of the failure
	}{
		"rich":       {page: `<div><div id=edit contenteditable>old</div></div>`},
		"loses tabs": {page: `<div><div id=edit contenteditable>old</div></div>`, text: `a\n\n\tb`, refuses: "took another value"},
		"plain":      {page: `<div><div id=edit contenteditable=plaintext-only style="white-space: pre-wrap"><b>old</b></div></div>`, text: `a\n\n\tb`},
		"boxed":      {page: `<section><p id=edit contenteditable style="white-space: pre-wrap"><br></p></section>`},
		"drops text": {page: `<div><div id=edit contenteditable oninput="this.querySelector('br')?.parentNode.remove()"></div></div>`, refuses: "took another value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := "  - {type: navigate, url: /page}\n"
			for _, text := range []string{`one`, `a\n\nb`, `\na`, `a\n`, `\n\n x  y \n\n\n\"z\"\n`, ` a `, `1\r\n\r\n2`, c.text} {
				steps += `  - {type: change, selectors: ["#edit"], value: "` + text + "\"}\n"
			}
			site, files := one(steps)
			s := newShop(t, site, files, map[string]string{"/page": c.page})
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op"})
			if c.refuses == "" && err != nil || c.refuses != "" && (err == nil || !strings.Contains(err.Error(), c.refuses)) {
				t.Errorf("got %v, want %q", err, c.refuses)
			}
		})
	}
}

// A text that a field cannot hold is the request's fault where it is the
// request's, and only as long as nothing was done.
func TestTextThatAFieldCannotHoldIsTheRequestsFault(t *testing.T) {
	t.Parallel()
	const effect = "  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: click, selectors: [button]}\n"
	for name, c := range map[string]struct {
		steps string
		want  flow.Outcome
		says  string
	}{
		"changed":          {"  - {type: change, selectors: [input], value: 'To {{ name }}'}\n", flow.Invalid, "name cannot be entered as it is"},
		"filled":           {"  - {type: customStep, name: fill, parameters: {fields: {name: [[input]]}}}\n", flow.Invalid, "name cannot be entered as it is"},
		"the site's own":   {"  - {type: change, selectors: [input], value: \"a\\nb\"}\n", flow.Plain, "took another value"},
		"after the effect": {effect + "  - {type: change, selectors: [input], value: '{{ name }}'}\n", flow.Plain, "took another value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, files := one("  - {type: navigate, url: /page}\n" + c.steps)
			s := newShop(t, site, files, map[string]string{"/page": `<input><button type=button>Go</button>`})
			_, _, err := s.play(s.load(nil), flow.Job{Operation: "op", Request: map[string]any{"name": "one\ntwo"}, Effect: &recorder{}})
			var failure *flow.Failure
			if !errors.As(err, &failure) || failure.Outcome != c.want || !strings.Contains(failure.Message, c.says) {
				t.Errorf("got %+v, want %q: %s", failure, c.want, c.says)
			}
		})
	}
}
