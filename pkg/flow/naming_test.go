package flow_test

import (
	"testing"

	"integration.gateway/pkg/flow"
)

func TestSiteKnowsWhatNamesItsCommand(t *testing.T) {
	t.Parallel()
	const (
		act      = "  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: click, selectors: [a]}\n"
		write    = "steps:\n  - {type: change, selectors: [a], value: '{{ command.id }}'}\n" + act
		post     = "steps:\n  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: customStep, name: remember, parameters: {fetch: {url: /o, method: POST, form: {ref: '{{ command.id }}'}}, fields: {a: $.a}}}\n"
		get      = "steps:\n  - {type: customStep, name: remember, parameters: {fetch: {url: '/o?ref={{ command.id }}'}, fields: {a: $.a}}}\n" + act
		verdict  = "  - {type: customStep, name: extract, parameters: {fields: {applied: {const: true}}}}\n"
		find     = "steps:\n  - {type: navigate, url: '{{ baseUrl }}/o?ref={{ command.id }}'}\n" + verdict
		included = "steps:\n  - {type: customStep, name: include, parameters: {flow: found.yaml}}\n" + verdict
		since    = "steps:\n  - {type: navigate, url: '{{ baseUrl }}/o?since={{ command.startedAt }}'}\n" + verdict
		tell     = "steps:\n  - {type: customStep, name: extract, parameters: {fields: {applied: {const: true}, evidence: {fields: {ref: {value: '{{ command.id }}'}}}}}}\n"
	)
	for name, c := range map[string]struct {
		flow, reconcile string
		want            bool
	}{
		"written and found":              {write, find, true},
		"sent and found":                 {post, find, true},
		"found by an included flow":      {write, included, true},
		"not written":                    {"steps:\n" + act, find, false},
		"looked for before, not written": {get, find, false},
		"not looked for":                 {write, "steps:\n" + verdict, false},
		"only told":                      {write, tell, false},
		"found by the time":              {write, since, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, err := flow.Load(folder(map[string]string{
				"site.yaml": siteHead + "operations: {op: {flow: op.yaml, reconcile: look.yaml}}\n", "op.yaml": c.flow, "look.yaml": c.reconcile,
				"found.yaml": "steps:\n  - {type: waitForElement, selectors: ['#o-{{ command.id }}']}\n",
			}), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := site.NamesCommand("op"); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
