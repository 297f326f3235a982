package flow_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"integration.gateway/contracts/marketplace"
	"integration.gateway/pkg/flow"
)

func TestSelectorsThatDoNotLastAreKnown(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string]string{
		"#ember1234":                            "ember1234",
		`#\:r3\:`:                               `\:r3\:`,
		`[id=":r1a:"] > input`:                  ":r1a:",
		"#ext-gen-17":                           "ext-gen-17",
		"#react-select-2-input":                 "react-select-2-",
		"#mat-input-4":                          "mat-input-4",
		"div.css-1x2y3z > a":                    ".css-1x2y3z",
		".sc-bdVaJa":                            ".sc-bdVaJa",
		".Button_button__3Xk2f":                 ".Button_button__3Xk2f",
		"._card_1a2b3_17 button":                "._card_1a2b3_17",
		"#gen1234":                              "gen1234",
		"xpath///*[@id=\"panel-4711\"]":         "panel-4711",
		"#f-9a8b7c6d5e4f":                       "f-9a8b7c6d5e4f",
		"#c0ffee00-1234-4bcd-8ef0-deadbeef0001": "c0ffee00-1234-4bcd-8ef0-deadbeef0001",

		"#add-to-cart-button": "", ".in-stock": "", "aria/Buy now": "", "#step-2": "", "#line1": "", ".grid-v2": "", ".scroll2": "",
		`[data-asin="{{ asin }}"]`: "", "#order-{{ orderId }}": "", "#item-B0CX23V2ZK": "", ".css-grid": "", "text/Order 12345": "",
	} {
		if got := flow.Volatile(selector); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	for selector, want := range map[string]bool{
		"#password": true, "aria/Passwort": true, "[name=pass]": true, "#user_pwd": true, "aria/Mot de passe": true, "#passwd": true, "#userPass": true, "[name=user_pass]": true,
		"#passengers": false, "aria/Passport number": false, "#email": false, ".compass-rose": false,
	} {
		if flow.AsksForPassword(selector) != want {
			t.Errorf("%s: asks for a password: %v", selector, !want)
		}
	}
}

// careless is a site that does all that one is warned of.
var careless = fstest.MapFS{
	"site.yaml": {Data: []byte(`site: careless
integration: marketplace
baseUrl: https://shop.example
operations:
  search: {flow: search.yaml, ignores: [isGroceryChain]}
  buy-now: {flow: buy-now.yaml, public: true}
  add-to-cart: {flow: add-to-cart.yaml, reconcile: add-to-cart.reconcile.yaml}
`)},
	"search.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "https://shop.example/find?q={{ query }}"}
  - {type: waitForExpression, expression: "new Promise(r => setTimeout(() => r(true), 3000))"}
  - {type: click, selectors: ["#ember12"]}
  - {type: change, selectors: [["#password"], ["aria/Password"]], value: swordfish}
  - {type: customStep, name: extract, parameters: {into: items, each: .css-1x2y3z, fields: {asin: "#ext-gen-5", title: .t, itemUrl: .u, available: .a}}}
`)},
	"buy-now.yaml": {Data: []byte(`steps:
  - {type: navigate, url: "{{ baseUrl }}/dp"}
  - {type: change, selectors: ["#asin", "aria/Item"], value: "{{ asin }}"}
  - {type: change, selectors: ["#address", "aria/Address"], value: "{{ itemUrl }}"}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: click, selectors: ["#buy", "aria/Buy"]}
`)},
	"add-to-cart.yaml": {Data: []byte(`steps:
  - {type: change, selectors: ["#asin", "aria/Item"], value: "{{ asin }}"}
  - {type: change, selectors: ["#address", "aria/Address"], value: "{{ itemUrl }}"}
  - {type: waitForElement, selectors: ["text/{{ asin }}"]}
  - {type: customStep, name: effect, parameters: {kind: cart}}
  - {type: click, selectors: ["#add", "aria/Add"]}
`)},
	"add-to-cart.reconcile.yaml": {Data: []byte("steps:\n  - {type: customStep, name: extract, parameters: {fields: {applied: {const: true}}}}\n")},
}

func TestWhatIsLikelyToGoWrongIsWarnedOf(t *testing.T) {
	t.Parallel()
	site, err := flow.Load(careless, flow.ContractsOf(marketplace.Operations...))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"buy-now.yaml:5: step 4: what step 2 (change #asin) typed was read back at once, but more was done on the page since",
		"search.yaml:2: step 1: the address is given in full",
		"search.yaml:3: step 2: the expression lets time pass",
		"search.yaml:4: step 3: #ember12 is the only alternative",
		`search.yaml:4: step 3: #ember12: "ember12" looks made up`,
		"search.yaml:5: step 4: a text stands here for what looks like a password",
		`search.yaml:6: step 5: asin: #ext-gen-5: "ext-gen-5" looks made up`,
		`search.yaml:6: step 5: each: .css-1x2y3z: ".css-1x2y3z" looks made up`,
		"site.yaml: add-to-cart is not public, and there is no signIn",
		"site.yaml: buy-now has an effect and is public",
		"site.yaml: buy-now has an effect and no reconcile flow",
		"site.yaml: search is not public, and there is no signIn",
	}
	got := site.Warnings()
	for i, w := range want {
		if i >= len(got) || !strings.HasPrefix(got[i].String(), w) {
			t.Fatalf("warnings:\n%v\nwant number %d to be %s…", got, i+1, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d warnings, want %d:\n%v", len(got), len(want), got)
	}
}

func TestAnEffectIsWarnedOfUnlessThePageWasLookedAtAfterTheLastAct(t *testing.T) {
	t.Parallel()
	const typed, clicked = `{type: change, selectors: ["#asin", "aria/Item"], value: "{{ asin }}"}`, `{type: click, selectors: ["#next", "aria/Next"]}`
	look := func(selector string) string { return `{type: waitForElement, selectors: ["` + selector + `"]}` }
	fill := func(fields string) string {
		return "{type: customStep, name: fill, parameters: {fields: {" + fields + "}}}"
	}
	for name, test := range map[string]struct {
		steps []string
		want  int
	}{
		"read back right before it": {[]string{typed}, 0},
		"looked at since":           {[]string{typed, clicked, look("text/{{ asin }}")}, 0},
		"the command's id is there": {[]string{typed, clicked, look("text/{{ command.id }}")}, 0},
		"what was made of it":       {[]string{typed, clicked, look("text/{{ vars.item }}")}, 0},
		"a click since":             {[]string{typed, clicked}, 1},
		"another field since":       {[]string{typed, `{type: change, selectors: ["#note", "aria/Note"], value: x}`}, 1},
		"a key since":               {[]string{typed, "{type: keyDown, key: Enter}"}, 1},
		"looked for something else": {[]string{typed, clicked, look("text/{{ site.name }}"), look("text/Ready")}, 1},
		"one of several in a fill":  {[]string{fill("asin: ['#asin'], itemUrl: ['#address']")}, 1},
		"the only one of a fill":    {[]string{fill("asin: ['#asin']")}, 0},
		"nothing was typed":         {[]string{clicked}, 0},
	} {
		folder := fstest.MapFS{
			"site.yaml": {Data: []byte(siteHead + "defaults: {name: Shop}\noperations: {add-to-cart: {flow: cart.yaml, reconcile: look.yaml}}\n" +
				"signIn: {flow: in.yaml, home: /, signedIn: {selectors: ['#menu']}, signedOut: {selectors: ['#form']}, rejected: {selectors: ['.error']}}")},
			"in.yaml": {Data: []byte("steps:\n  - {type: change, selectors: ['#p', 'aria/Password'], value: '{{ account.password }}'}\n")},
			"cart.yaml": {Data: []byte(`steps:
  - {type: customStep, name: remember, parameters: {fields: {item: {value: "item {{ asin }} {{ itemUrl }}"}}}}
  - ` + strings.Join(test.steps, "\n  - ") + `
  - {type: customStep, name: effect, parameters: {kind: cart}}
  - {type: click, selectors: ["#add", "aria/Add"]}
`)},
			"look.yaml": {Data: []byte("steps:\n  - {type: customStep, name: extract, parameters: {fields: {applied: {const: true}}}}\n")},
		}
		site, err := flow.Load(folder, flow.ContractsOf(marketplace.Operations...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := site.Warnings(); len(got) != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestASoundSignInIsNotWarnedOf(t *testing.T) {
	t.Parallel()
	for signIn, want := range map[string]int{
		"{flow: in.yaml, home: /, signedIn: {selectors: ['#menu']}, signedOut: {selectors: ['#form']}, rejected: {selectors: ['.error']}}": 0,
		"{flow: in.yaml, home: /, signedIn: {selectors: ['#menu']}}":                                                                       2,
		"{flow: in.yaml, home: /, signedIn: {selectors: ['#ember9']}, signedOut: {url: '*'}, rejected: {selectors: ['#ui-id-3']}}":         2,
	} {
		folder := fstest.MapFS{
			"site.yaml": {Data: []byte(siteHead + "operations: {}\nsignIn: " + signIn)},
			"in.yaml":   {Data: []byte("steps:\n  - {type: change, selectors: ['#p', 'aria/Password'], value: '{{ account.password }}'}\n")},
		}
		site, err := flow.Load(folder, nil)
		var faults flow.Faults
		if errors.As(err, &faults) {
			t.Fatal(faults)
		}
		if got := site.Warnings(); len(got) != want {
			t.Errorf("%s: %v", signIn, got)
		}
	}
}
