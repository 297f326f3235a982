package flow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow"
)

// nasty are values that broke out of somewhere once, by what they are made of.
var nasty = map[string]string{
	"quotes":             `"'` + "`" + `""''`,
	"back slashes":       `\\"\'\` + "`\\",
	"lines":              "a\nb\n",
	"carriage return":    "a\r\nb\rc",
	"tab":                "a\tb",
	"null":               "a\x00b",
	"escape":             "a\x1b[31mb\x7f",
	"bracket":            `x"], #trap, [x="`,
	"end of comment":     `*/ say('trap') /*`,
	"end of html":        `--></script><script>say('trap')</script><!--`,
	"placeholder":        `{{ account.password }}{{ baseUrl }}`,
	"end of placeholder": `}} | json {{`,
	"right to left":      "abc\u202edcba\u2066x\u2069",
	"zero width":         "a\u200bb\u200dc\ufeffd",
	"line separators":    "a\u2028b\u2029c",
	"not UTF-8":          "a\xffb\xed\xa0\x80c",
	"emoji":              "👩‍👩‍👧‍👦",
	"both quotes":        `it's "so" or '1'="1`,
	"xpath":              `' or '1'='1`,
	"expression":         `"); say('trap'); ("`,
	"template literal":   "${say('trap')}`${say('trap')}`",
	"comma":              `x, #trap`,
	"pseudo":             `:not(x):has(y)>*~z+w`,
	"role":               `x[role="button"][name="trap"]`,
	"prefix":             `xpath///*[@id="trap"]`,
	"script address":     `javascript:say('trap')`,
	"address":            `//evil.example/`,
	"back address":       `\\evil.example\`,
	"user":               `@evil.example/`,
	"port":               `:80@evil.example`,
	"folder":             `../../trap`,
	"encoded folder":     `..%2f..%2Ftrap%00`,
	"query":              `?a=b&c=d#e;f`,
	"expression bomb":    strings.Repeat("a", 5000) + "!",
	"star":               `*`,
}

// The largest values are as long as the JSON of GATEWAY_MAX_BODY_BYTES lets them be. They go where the work that a value makes is of
// its own kind, which must not grow faster than the value.
const (
	megabyte = "a megabyte"
	quotes   = "a request's quotes"
)

var largest = map[string]string{
	megabyte: strings.Repeat("0123456789abcdef", 1<<16),
	quotes:   strings.Repeat(`'"`, (1<<20)/len(`'\"`)),
}

var largestIn = map[string][]string{
	"path":                 {megabyte},
	"query":                {megabyte},
	"typed":                {megabyte},
	"edited":               {megabyte},
	"expression":           {megabyte},
	"address compared":     {megabyte},
	"title compared":       {megabyte},
	"pattern":              {megabyte},
	"replaced":             {megabyte},
	"header":               {megabyte},
	"form":                 {megabyte},
	"body":                 {megabyte},
	"path in JSON":         {quotes},
	"css string":           {quotes},
	"css id":               {megabyte},
	"xpath":                {quotes},
	"xpath in apostrophes": {megabyte},
	"text":                 {megabyte},
	"aria":                 {quotes},
}

// nastyIn are the values for a place or a selector.
func nastyIn(where string) map[string]string {
	values := maps.Clone(nasty)
	for _, name := range largestIn[where] {
		values[name] = largest[name]
	}
	return values
}

// places are the steps in which a value can stand.
var places = map[string]string{
	"path":              `{type: navigate, url: "/echo/{{ x }}"}`,
	"path that is kept": `{type: navigate, url: "/echo/{{ x | path }}"}`,
	"query":             `{type: navigate, url: "/echo/?x={{ x }}"}`,
	"fragment":          `{type: navigate, url: "/echo/#{{ x }}"}`,
	"host":              `{type: navigate, url: "http://{{ x }}/"}`,
	"end of the host":   `{type: navigate, url: "{{ baseUrl }}{{ x }}"}`,
	"whole address":     `{type: navigate, url: "{{ x }}"}`,
	"typed":             `{type: change, selectors: ["#field"], value: "{{ x }}"}`,
	"typed in an area":  `{type: change, selectors: ["#area"], value: "{{ x }}"}`,
	"chosen":            `{type: change, timeout: 50, selectors: ["#choice"], value: "{{ x }}"}`,
	"edited":            `{type: change, selectors: ["#edit"], value: "{{ x }}"}`,
	"expression":        `{type: waitForExpression, expression: "(window.got = {{ x }}) !== null"}`,
	"address compared":  `{type: customStep, name: when, parameters: {url: "*{{ x }}", then: [{type: click, selectors: ["#trap"]}]}}`,
	"title compared":    `{type: click, timeout: 50, selectors: ["#plain"], assertedEvents: [{type: navigation, title: "{{ x }}"}]}`,
	"pattern":           `{type: change, selectors: ["#field"], value: "{{ x | match: '^(a+)+$' | default: none }}"}`,
	"mapped":            `{type: change, selectors: ["#field"], value: "{{ x | map: 'a=b' | default: none }}"}`,
	"asked path":        `{type: customStep, name: extract, parameters: {fetch: {url: "/ask/{{ x }}"}, fields: {got: $.path}}}`,
	"asked query":       `{type: customStep, name: extract, parameters: {fetch: {url: "/ask/?x={{ x }}"}, fields: {got: $.query}}}`,
	"asked whole":       `{type: customStep, name: extract, parameters: {fetch: {url: "{{ x }}"}, fields: {got: $.query}}}`,
	"header":            `{type: customStep, name: extract, parameters: {fetch: {url: /ask/, headers: {X-Value: "{{ x }}"}}, fields: {got: $.header}}}`,
	"form":              `{type: customStep, name: extract, parameters: {fetch: {url: /ask/, method: POST, form: {x: "{{ x }}"}}, fields: {got: $.form}}}`,
	"body":              `{type: customStep, name: extract, parameters: {fetch: {url: /ask/, method: POST, body: '{"x": {{ x }}}'}, fields: {got: $.body.x}}}`,
	"body in YAML":      `{type: customStep, name: extract, parameters: {fetch: {url: /ask/, method: POST, body: {x: "{{ x }}"}}, fields: {got: $.body.x}}}`,
	"path in JSON":      `{type: customStep, name: extract, parameters: {into: got, fetch: {url: /list}, each: "$[?@.k == {{ x }}]", fields: {k: $.k}}}`,
	"member in JSON":    `{type: customStep, name: extract, parameters: {fetch: {url: /member}, fields: {got: {selector: "$[{{ x }}]", default: none}}}}`,
	"replaced":          `{type: change, selectors: ["#field"], value: "{{ x | replace: 'a', '$1' }}"}`,
}

// selectors are those in which a value can stand.
var selectors = map[string]string{
	"css string":           `'[title="{{ x }}"]'`,
	"css class":            `'.{{ x }}'`,
	"css id":               `'#{{ x }}'`,
	"css name":             `'{{ x }}'`,
	"pierce":               `'pierce/[title="{{ x }}"]'`,
	"xpath":                `'xpath///*[@title="{{ x }}"]'`,
	"xpath in apostrophes": `"xpath///*[@title='{{ x }}']"`,
	"text":                 `"text/{{ x }}"`,
	"aria":                 `"aria/{{ x }}"`,
}

// arrives are the places in which every value arrives that is text on one line,
// refused the values that some of them do not take: a field that makes another
// text of what is typed, an address of a megabyte.
var (
	arrives = map[string]bool{
		"typed": true, "typed in an area": true, "edited": true, "query": true, "expression": true,
		"asked query": true, "form": true, "body": true, "body in YAML": true,
	}
	refused = map[string]bool{"null": true, "lines": true, "carriage return": true, megabyte: true, "escape": true, "tab": true}
)

// attacked has a trap that says when it was sprung.
const attacked = `<meta charset=utf-8><p id=out></p><button id=trap onclick="say('trap')">trap</button>
	<button id=plain onclick="history.pushState(0, '', '/page')" style="width: 1em; height: 1em"></button>
	<input id=field><textarea id=area></textarea><select id=choice><option value=1>one</select><div id=edit contenteditable>e</div>
	<script>function say(text) { document.querySelector('#out').textContent += text }
	onerror = message => say('error ' + message)</script>`

// TestNoInputDoesMoreThanArrive puts every nasty value into every place of a
// flow, in a real browser: it arrives as itself or is refused, and nothing else
// happens.
func TestNoInputDoesMoreThanArrive(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a foreign origin was asked for %s", r.URL.Path)
	}))
	t.Cleanup(elsewhere.Close)
	for place, step := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			site, files := one("  - " + step + "\n")
			s := newShop(t, site, files, map[string]string{"/page": attacked})
			s.mux.HandleFunc("/echo/", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				path, _ := json.Marshal(strings.TrimPrefix(r.URL.Path, "/echo/"))
				query, _ := json.Marshal(r.URL.Query()["x"])
				_, _ = fmt.Fprintf(w, `<!doctype html><p id=out></p><script>window.path = %s; window.query = %s</script>`, path, query)
			})
			s.mux.HandleFunc("/ask/", ask)
			s.mux.HandleFunc("/list", serve(`[{"k": "trap"}, {"k": null}]`))
			s.mux.HandleFunc("/member", serve(`{"trap": "trap", "*": "none"}`))
			s.mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/favicon.ico" {
					t.Errorf("%s was asked for", r.URL)
				}
			})
			loaded := s.load(nil)
			s.page = newPage(t, s.ctx)
			open := func() { s.page.MustNavigate(s.url + "/page").MustWaitLoad() }
			open()
			for name, value := range nastyIn(place) {
				begun := time.Now()
				result, _, err := s.play(loaded, flow.Job{Operation: "op", Request: map[string]any{"x": value}})
				if took := time.Since(begun); took > time.Minute {
					t.Errorf("%s: took %s", name, took)
				}
				var f *flow.Failure
				if err != nil && (!errors.As(err, &f) || arrives[place] && !refused[name]) {
					t.Errorf("%s: %v", name, err)
				}
				switch {
				case err != nil:
					open() // a failure leaves the page blank
				case strings.HasPrefix(result, `{"got":`):
					answered(t, place, name, value, result)
				default:
					arrived(t, s, place, name, value)
				}
			}
		})
	}
}

// TestNoInputMakesASelectorFindMore puts every nasty value into every kind of
// selector, one after another in one flow: each finds nothing, so that the
// step takes its other alternative.
func TestNoInputMakesASelectorFindMore(t *testing.T) {
	t.Parallel()
	for kind, selector := range selectors {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var steps strings.Builder
			var names []string
			request := map[string]any{}
			for name, value := range nastyIn(kind) {
				x := fmt.Sprint("x", len(names))
				names, request[x] = append(names, name), value
				_, _ = fmt.Fprintf(&steps, "  - {type: click, timeout: 60000, selectors: [%s, '#plain']}\n", strings.Replace(selector, "{{ x }}", "{{ "+x+" }}", 1))
			}
			site, files := one("  - {type: navigate, timeout: 60000, url: /page}\n" + steps.String())
			s := newShop(t, site, files, map[string]string{"/page": attacked})
			_, trace, err := s.play(s.load(nil), flow.Job{Operation: "op", Request: request})
			if err != nil || len(trace.Steps) != 1+len(names) {
				t.Fatalf("%d steps, %v", len(trace.Steps), err)
			}
			for i, step := range trace.Steps[1:] {
				if len(step.Choices) != 1 || step.Choices[0].Won != 1 {
					t.Errorf("%s: found %+v", names[i], step.Choices)
				}
				if step.Took > time.Minute {
					t.Errorf("%s: took %s", names[i], step.Took)
				}
			}
			if said := s.page.MustEval(`() => document.querySelector('#out').textContent`).Str(); said != "" {
				t.Errorf("the page says %q", said)
			}
		})
	}
}

// ask answers what it was asked with.
func ask(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := map[string]any{
		"path": strings.TrimPrefix(r.URL.Path, "/ask/"), "query": r.URL.Query().Get("x"), "header": r.Header.Get("X-Value"), "body": json.RawMessage("null"),
	}
	if form, err := url.ParseQuery(string(body)); err == nil {
		answer["form"] = form.Get("x")
	}
	if json.Valid(body) {
		answer["body"] = json.RawMessage(body)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func serve(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// answered looks at the result of a flow that asked with a value.
func answered(t *testing.T, place, name, value, result string) {
	t.Helper()
	var got struct{ Got any }
	if err := json.Unmarshal([]byte(result), &got); err != nil {
		t.Fatal(err)
	}
	text, _ := got.Got.(string)
	arrived := func(want string) {
		marks := strings.NewReplacer("\ufffd", "")
		if marks.Replace(text) != marks.Replace(strings.ToValidUTF8(strings.TrimSpace(want), "")) { // a field's text has no blanks at its ends
			t.Errorf("%s arrived as %.80q", name, text)
		}
	}
	switch place {
	case "path in JSON":
		if list, _ := got.Got.([]any); len(list) != 0 {
			t.Errorf("%s found %v", name, got.Got)
		}
	case "member in JSON":
		arrived("none")
	case "asked path":
		if !strings.Contains(value, "//") { // Go's own server leads elsewhere from it
			arrived(value)
		}
	default:
		arrived(value)
	}
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// arrived looks at the page after a flow that did not fail.
func arrived(t *testing.T, s *shop, place, name, value string) {
	t.Helper()
	value = strings.ToValidUTF8(value, "\ufffd")
	got := s.page.MustEval(`() => ({
		said: document.querySelector('#out')?.textContent ?? '', path: window.path ?? '', query: window.query ?? [], got: window.got ?? '',
		hash: location.hash, field: window.field?.value ?? '', area: window.area?.value ?? '', edit: window.edit?.innerText ?? '', choice: window.choice?.value ?? '',
	})`)
	if said := got.Get("said").Str(); said != "" {
		t.Errorf("%s: the page says %q", name, said)
	}
	same := func(what, is string) {
		is, value := strings.TrimRight(newlines.Replace(is), "\n"), strings.TrimRight(newlines.Replace(value), "\n") // as HTML has lines
		if is != value && is != string([]rune(value)) && strings.ReplaceAll(is, "\ufffd", "") != strings.ReplaceAll(value, "\ufffd", "") {
			t.Errorf("%s: %s is %.80q", name, what, is)
		}
	}
	switch place {
	case "path", "path that is kept":
		if strings.Contains(value, "//") { // Go's own server leads elsewhere from it
			return
		}
		same("the path", got.Get("path").Str())
	case "query":
		same("the query", got.Get("query.0").Str())
	case "typed":
		same("the field", got.Get("field").Str())
	case "typed in an area":
		same("the area", got.Get("area").Str())
	case "edited":
		same("what is edited", got.Get("edit").Str())
	case "expression":
		same("the argument", got.Get("got").Str())
	case "chosen":
		t.Errorf("%s: %q was chosen", name, got.Get("choice").Str())
	case "fragment", "mapped", "replaced", "pattern", "address compared": // nothing more than that nothing was said
	default:
		t.Errorf("%s found something in %s", name, place)
	}
}
