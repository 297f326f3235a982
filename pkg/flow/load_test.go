package flow_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"integration.gateway/pkg/flow"
)

func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// recorded is an unedited export of Chrome's Recorder.
const recorded = `{
	"title": "Recording 21/11/2026",
	"steps": [
		{"type": "setViewport", "width": 1280, "height": 900, "deviceScaleFactor": 1, "isMobile": false, "hasTouch": false, "isLandscape": false},
		{"type": "navigate", "url": "https://shop.example/", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/", "title": "Caf\u00e9"}]},
		{"type": "click", "target": "main", "selectors": [["aria/Search"], ["#q"], ["xpath///*[@id=\"q\"]"], ["pierce/#q"], ["text/Search"]], "offsetX": 12.5, "offsetY": 7},
		{"type": "change", "value": "coffee", "selectors": [["aria/Search"], ["#q"]], "target": "main"},
		{"type": "keyDown", "target": "main", "key": "Enter"},
		{"type": "keyUp", "key": "Enter", "target": "main"},
		{"type": "scroll", "x": 0, "y": 120},
		{"type": "waitForElement", "selectors": [".card"], "operator": ">=", "count": 2, "visible": true, "properties": {"id": "x"}, "attributes": {"a": "b"}},
		{"type": "waitForExpression", "expression": "document.readyState === 'complete'"},
		{"type": "emulateNetworkConditions", "download": 50000, "upload": 50000, "latency": 2000},
		{"type": "hover", "selectors": [["a", ".b"]], "frame": [0, 1]},
		{"type": "doubleClick", "selectors": ["a"], "button": "secondary", "deviceType": "mouse", "duration": 50, "offsetX": 1, "offsetY": 1},
		{"type": "close"}
	]
}`

func TestUneditedExportIsAFlow(t *testing.T) {
	t.Parallel()
	site, err := flow.Load(folder(map[string]string{
		"site.yaml": siteHead + "operations: {op: {flow: op.json}}\n", "op.json": recorded,
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !site.Has("op") || site.Has("other") || len(site.Hash) != 64 {
		t.Errorf("%+v", site)
	}
}

func TestAllFaultsAreToldWithTheirPlace(t *testing.T) {
	t.Parallel()
	_, err := flow.Load(folder(map[string]string{
		"site.yaml": `site: shop
integration: marketplace
baseUrl: ftp://shop.example
origins: [https://pay.example/x]
timeout: soon
colour: red
timezone: Mars/Olympus
currency: dollars
operations:
  search: {flow: search.yaml, publik: true}
  buy-now: {flow: missing.yaml}
`,
		"search.yaml": `title: Search
steps:
  - {type: navigate, url: "{{ baseUrl | shout }}"}
  - {type: click, selector: "#a"}
  - type: customStep
    name: when
    parameters:
      visible: .x
      then:
        - {type: jump}
        - {type: customStep, name: explode, parameters: {x: 1}}
  - type: customStep
    name: extract
    parameters:
      feilds: {}
      fields:
        a: {selector: .a, as: number, attribut: x}
        b: {selector: .b, match: "("}
        c: {}
  - {type: customStep, name: effect, parameters: {kind: order}}
  - {type: navigate, url: /x}
  - {type: keyDown, key: Hyper}
  - {type: change, selectors: ["xpath///a[.={{ query }}]"], value: a, value: b}
`,
	}), nil)
	want := []string{
		`search.yaml:3: step 1: placeholder {{ baseUrl }}: unknown filter "shout"`,
		`search.yaml:4: step 2: the step needs "selectors"`,
		`search.yaml:4: step 2: unknown key "selector" in the step`,
		`search.yaml:10: step 3.then.1: unknown step type "jump"`,
		`search.yaml:11: step 3.then.2: unknown custom step "explode"`,
		`search.yaml:15: step 4: unknown key "feilds" in extract`,
		`search.yaml:17: step 4: as must be one of text`,
		`search.yaml:17: step 4: unknown key "attribut" in field a`,
		`search.yaml:18: step 4: match: error parsing regexp`,
		`search.yaml:19: step 4: field c needs one source`,
		`search.yaml:20: step 5: the step after effect must be the one that acts`,
		`search.yaml:22: step 7: unknown key "Hyper"`,
		`search.yaml:23: step 8: value is given twice`,
		`search.yaml:23: step 8: placeholder {{ query }} must stand inside quotes in XPath`,
		`site.yaml:3: the base URL`,
		`site.yaml:4: origin "https://pay.example/x" must be`,
		`site.yaml:5: timeout must be a number`,
		`site.yaml:6: unknown key "colour" in the site`,
		`site.yaml:7: unknown timezone`,
		`site.yaml:8: currency must be`,
		`site.yaml:10: unknown key "publik" in operation search`,
		`site.yaml:11: missing.yaml: there is no such file`,
	}
	var faults flow.Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	lines := strings.Split(err.Error(), "\n")
	for _, w := range want {
		found := false
		for i, line := range lines {
			if strings.HasPrefix(line, w) {
				lines, found = append(lines[:i:i], lines[i+1:]...), true
				break
			}
		}
		if !found {
			t.Errorf("not told: %s", w)
		}
	}
	if len(lines) > 0 {
		t.Errorf("told besides:\n%s", strings.Join(lines, "\n"))
	}
}

func TestContractIsHeldAgainstTheFlow(t *testing.T) {
	t.Parallel()
	extract := func(fields string) string {
		return "  - {type: customStep, name: extract, parameters: {into: items, each: a, fields: {" + fields + "}}}\n"
	}
	good := "  - {type: navigate, url: \"/s?q={{ query }}\"}\n" + extract("title: b")
	for name, c := range map[string]struct{ operation, steps, want string }{
		"good":                         {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good, ""},
		"unused field":                 {"search: {flow: op.yaml}", good, `op.yaml:1: the flow of search does not use the field "isGroceryChain"`},
		"unknown field":                {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ qurey }}\"}\n", `op.yaml:4: step 3: {{ qurey }} is no field of search`},
		"unknown ignored":              {"search: {flow: op.yaml, ignores: [isGroceryChain, x]}", good, `site.yaml:7: search: "x" under ignores or unsupported is no field`},
		"used yet ignored":             {"search: {flow: op.yaml, ignores: [isGroceryChain, query]}", good, `the flow uses "query"`},
		"unknown result":               {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + extract("caption: b"), `op.yaml:4: step 3: the result of search has no field "caption" here`},
		"no such operation":            {"serach: {flow: op.yaml}", good, `marketplace has no operation "serach"`},
		"effect in a read":             {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: effect, parameters: {kind: order}}\n  - {type: click, selectors: [a]}\n", `search has no effect`},
		"no effect":                    {"buy-now: {flow: op.yaml}", "  - {type: navigate, url: \"/{{ asin }}{{ itemUrl }}\"}\n", `needs exactly one effect step, not 0`},
		"other effect":                 {"buy-now: {flow: op.yaml}", "  - {type: navigate, url: \"/{{ asin }}{{ itemUrl }}\"}\n  - {type: customStep, name: effect, parameters: {kind: cart}}\n  - {type: click, selectors: [a]}\n", `the effect of buy-now is "order", not "cart"`},
		"account outside of sign-in":   {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: change, selectors: [a], value: \"{{ account.password }}\"}\n", `may stand in sign-in flows only`},
		"account by an include":        {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: include, parameters: {flow: enter.yaml}}\n", `enter.yaml:2: step 1: {{ account.password }} may stand in sign-in flows only, and an operation plays this one`},
		"vars that nothing remembers":  {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ vars.x }}\"}\n", `{{ vars.x }} is remembered by no step`},
		"vars with a default":          {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ vars.x | default: y }}\"}\n", ``},
		"session that is not kept":     {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ session.x }}\"}\n", `{{ session.x }} is not among what signIn remembers`},
		"each outside of a repeat":     {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ each.x }}\"}\n", `{{ each.x }} has a value only inside a repeat over a list`},
		"row outside of a row":         {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: navigate, url: \"/{{ row.x }}\"}\n", `{{ row.x }} may stand only in the value of a field`},
		"row above its field":          {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + extract(`asin: {value: "{{ row.title }}"}, title: b`), `{{ row.title }} may stand only in the value of a field that comes below title`},
		"over credentials":             {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: repeat, parameters: {over: account.password, steps: [{type: click, selectors: [a]}]}}\n", `over must name a list of vars or of the request, not account.password`},
		"filling in credentials":       {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: fill, parameters: {fields: {account.password: a}}}\n", `"account.password" does not name a field of the request`},
		"filling with a filter":        {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: fill, parameters: {fields: {query | upper: a}}}\n", `"query | upper" does not name a field of the request`},
		"given of no request":          {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: when, parameters: {given: vars.x, then: []}}\n", `given must name a field of the request, not "vars.x"`},
		"placeholder in a constant":    {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + extract(`title: {const: "{{ query }}"}`), `op.yaml:4: {{ }} has no meaning in this text`},
		"placeholder in a pattern":     {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + extract(`title: {selector: b, match: "{{ query }}"}`), `op.yaml:4: {{ }} has no meaning in this text`},
		"effect in a repeat":           {"buy-now: {flow: op.yaml, ignores: [asin, itemUrl]}", "  - {type: customStep, name: repeat, parameters: {while: {visible: a}, steps: [{type: customStep, name: effect, parameters: {kind: order}}, {type: click, selectors: [a]}]}}\n", `op.yaml:2: step 1.1: an effect happens once`},
		"reconciling a read":           {"search: {flow: op.yaml, ignores: [isGroceryChain], reconcile: enter.yaml}", good, `site.yaml:7: search has no effect, so there is nothing to reconcile`},
		"reconcile that tells nothing": {"search: {flow: op.yaml, ignores: [isGroceryChain], reconcile: enter.yaml}", good, `enter.yaml:1: a reconcile flow ends with an extract of applied`},
		"includes itself":              {"search: {flow: op.yaml, ignores: [isGroceryChain]}", good + "  - {type: customStep, name: include, parameters: {flow: op.yaml}}\n", `the flow includes itself`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := flow.Load(folder(map[string]string{
				"site.yaml": siteHead + "operations:\n  " + c.operation + "\n", "op.yaml": "steps:\n" + c.steps,
				"enter.yaml": "steps:\n  - {type: change, selectors: [a], value: \"{{ account.password }}\"}\n",
			}), shopContracts)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHashIsOfAllFiles(t *testing.T) {
	t.Parallel()
	hash := func(files map[string]string) string {
		files["site.yaml"] = siteHead + "operations: {}\n"
		site, err := flow.Load(folder(files), nil)
		if err != nil {
			t.Fatal(err)
		}
		return site.Hash
	}
	seen := map[string]bool{}
	for _, files := range []map[string]string{{}, {"a.txt": "b"}, {"a.txt": "c"}, {"a.tx": "tb"}, {"a": "", "b": ""}} {
		seen[hash(files)] = true
	}
	if len(seen) != 5 {
		t.Errorf("of 5 folders, %d look different", len(seen))
	}
}

func TestWithBaseURLMovesTheSite(t *testing.T) {
	t.Parallel()
	site, err := flow.Load(folder(map[string]string{"site.yaml": siteHead + "origins: [https://pay.example]\noperations: {}\n"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := site.WithBaseURL("http://127.0.0.1:8080/shop/")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"http://127.0.0.1:8080", "https://pay.example"}, moved.Origins()); diff != "" || moved.BaseURL != "http://127.0.0.1:8080/shop" || moved.Hash != site.Hash {
		t.Errorf("%s %s", moved.BaseURL, diff)
	}
	for _, bad := range []string{"", "shop.example", "javascript:alert(1)", "https://user@shop.example", "https://shop.example?x"} {
		if _, err := site.WithBaseURL(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// FuzzFlow reads anything as a flow: it may have faults, each with its place.
func FuzzFlow(f *testing.F) {
	f.Add([]byte(recorded))
	f.Add([]byte(searchFlow))
	f.Add([]byte(buyNow))
	f.Add([]byte("steps: [{type: customStep, name: repeat, parameters: {over: a, steps: []}}]"))
	f.Add([]byte("{a: &x [*x]}"))
	addSeeds(f, "steps")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"op.yaml", "op.json"} {
			fsys := folder(map[string]string{"site.yaml": siteHead + "operations: {search: {flow: " + name + "}}\n", name: string(data)})
			site, err := flow.Load(fsys, shopContracts)
			if (site == nil) == (err == nil) {
				t.Fatalf("both or neither: %v, %v", site, err)
			}
			var faults flow.Faults
			if err != nil && !errors.As(err, &faults) {
				t.Fatalf("not a list of faults: %v", err)
			}
			if site != nil {
				_ = site.Check(flow.Job{Operation: "search", Request: map[string]any{"query": "x"}})
			}
		}
	})
}

func FuzzSite(f *testing.F) {
	f.Add([]byte(siteHead + membersSite))
	addSeeds(f, "site")
	f.Add([]byte(siteHead + "numbers: {decimal: \",\"}\nviewport: {width: 1, height: 1}\noverlays: [{selectors: [a]}]\noperations: {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		site, err := flow.Load(folder(map[string]string{"site.yaml": string(data), "f.yaml": "steps: []"}), nil)
		if (site == nil) == (err == nil) {
			t.Fatalf("both or neither: %v, %v", site, err)
		}
		if site != nil {
			site.Home()
			site.Origins()
		}
	})
}

func TestSiteTellsHowLongItsEffectsTake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 0, "effects: {settle: 90s}": 90 * time.Second, "effects: {settle: 1h30m}": 90 * time.Minute,
		"effects: {}": -1, "effects: {settle: 5}": -1, "effects: {settle: 0s}": -1, "effects: {settle: 25h}": -1,
		"effects: {settle: -5m}": -1, "effects: {settle: 500ms}": -1, "effects: {settle: 5m, wait: 1}": -1,
	} {
		site, err := flow.Load(folder(map[string]string{"site.yaml": siteHead + text + "\noperations: {}\n"}), nil)
		if want < 0 && err == nil || want >= 0 && (err != nil || site.Settle != want) {
			t.Errorf("%q: %+v, %v", text, site, err)
		}
	}
}
