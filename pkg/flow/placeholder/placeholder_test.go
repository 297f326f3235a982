package placeholder_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow/placeholder"
)

var values = map[string]any{
	"query":    "it's a \"test\" & more",
	"asin":     "B0CX23V2ZK",
	"customer": map[string]any{"phone": "+1 (555) 010-7788"},
	"ids":      []any{"a", "b", json.Number("3")},
	"quantity": 2,
	"rate":     json.Number("12.5"),
	"day":      "2026-03-07",
	"instant":  "2026-03-07T23:30:00Z",
	"link":     "https://shop.example/dp/1?x=%20y",
	"dots":     "..",
	"flag":     true,
	"empty":    "",
	"both":     `""''"`,
	"none":     []any{},
	"stars":    `*\*`,
	"starred":  "https://shop.example/*",
}

func scope(path []string) (any, bool) {
	var current any = values
	for _, p := range path {
		switch v := current.(type) {
		case map[string]any:
			current = v[p]
		case []any:
			current = v[p[0]-'0']
		}
	}
	return current, current != nil
}

func fill(t *testing.T, source string, place placeholder.Place) (string, error) {
	t.Helper()
	template, err := placeholder.Parse(source, place)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return template.Fill(scope, placeholder.Formats{Dates: "MM/DD/YYYY", Location: newYork, Decimal: ","})
}

func TestFill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place  placeholder.Place
		source string
		want   string
	}{
		{placeholder.Plain, "no placeholder } }} {", "no placeholder } }} {"},
		{placeholder.Plain, "{{query}}!", "it's a \"test\" & more!"},
		{placeholder.Plain, "{{ customer.phone | digits }}", "15550107788"},
		{placeholder.Plain, "{{ ids.0 }}{{ ids.2 }}", "a3"},
		{placeholder.Plain, `{{ ids | join: ", " }}`, "a, b, 3"},
		{placeholder.Plain, "{{ quantity | plus: 1 | times: 2 | minus: 0.5 }}", "5.5"},
		{placeholder.Plain, "{{ rate | number: 2 }}", "12,50"},
		{placeholder.Plain, "{{ day | date }}", "03/07/2026"},
		{placeholder.Plain, `{{ day | date: "D MMM YYYY" }}`, "7 Mar 2026"},
		{placeholder.Plain, `{{ instant | date: "YYYY-MM-DD HH:mm" }}`, "2026-03-07 18:30"},
		{placeholder.Plain, "{{ nothing | default: none }}", "none"},
		{placeholder.Plain, "{{ empty | default: 'none' }}", "none"},
		{placeholder.Plain, "{{ nothing | lower | default: 'NONE' | lower }}", "none"},
		{placeholder.Plain, `{{ flag | map: "true=yes, false=no" }}`, "yes"},
		{placeholder.Plain, `{{ asin | match: "^B(..)" }}`, "0C"},
		{placeholder.Plain, `{{ asin | match: "nope" | default: x }}`, "x"},
		{placeholder.Plain, `{{ asin | lower | replace: "b0", "-" }}`, "-cx23v2zk"},
		{placeholder.Plain, "{{ query | json }}", `"it's a \"test\" \u0026 more"`},
		{placeholder.URL, "/s?q={{ query }}", "/s?q=it%27s%20a%20%22test%22%20%26%20more"},
		{placeholder.URL, "{{ link }}", "https://shop.example/dp/1?x=%20y"},
		{placeholder.URL, `/f/{{ link | replace: "https://shop.example", "" | path }}`, "/f//dp/1%3Fx%3D%2520y"},
		{placeholder.CSS, `[title="{{ query }}"]`, `[title="it\'s\ a\ \"test\"\ \&\ more"]`},
		{placeholder.CSS, `#item-{{ quantity }}`, `#item-\32 `},
		{placeholder.XPath, `//a[.="{{ asin }}"]`, `//a[.="B0CX23V2ZK"]`},
		{placeholder.XPath, `//a[.='x {{ query }}']`, `//a[.=concat("x it's a ",'"test" & more')]`},
		{placeholder.XPath, `//a[.='{{ both }}']`, `//a[.=concat('""',"''",'"')]`},
		{placeholder.JSON, `{"n": {{ nothing | default: 1 }}, "b": {{ nothing | default: false }}, "t": {{ nothing | default: "1" }}}`, `{"n": 1, "b": false, "t": "1"}`},
		{placeholder.Plain, `{{ none | default: "no ids" }}`, "no ids"},
		{placeholder.Title, `a\b* {{ stars }}`, `a\\b* \*\\\*`},
		{placeholder.Address, `*/s?q={{ stars }}`, `*/s?q=%2A%5C%2A`},
		{placeholder.Address, `{{ starred }}*`, `https://shop.example/\**`},
		{placeholder.JSON, `{"q": {{ query }}, "n": {{ quantity }}, "l": {{ ids }}}`, `{"q": "it's a \"test\" \u0026 more", "n": 2, "l": ["a","b",3]}`},
		{placeholder.Expression, "f({{ asin }}, {{ quantity }})", "((placeholder1, placeholder2) => (f( placeholder1 ,  placeholder2 )\n))(\"B0CX23V2ZK\", 2)"},
	} {
		if got, err := fill(t, c.source, c.place); err != nil || got != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.source, got, err, c.want)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place   placeholder.Place
		source  string
		missing bool
	}{
		{placeholder.Plain, "{{ nothing }}", true},
		{placeholder.Plain, "{{ customer.fax }}", true},
		{placeholder.Plain, "{{ customer }}", false},
		{placeholder.Plain, "{{ ids }}", false},
		{placeholder.Plain, "{{ query | plus: 1 }}", false},
		{placeholder.Plain, "{{ query | date }}", false},
		{placeholder.Plain, `{{ asin | map: "a=b" }}`, false},
		{placeholder.Plain, `{{ asin | match: "nope" }}`, false},
		{placeholder.URL, "{{ asin }}/x", false},
		{placeholder.URL, "/dp/{{ dots }}/x", false},
		{placeholder.URL, "/dp/.%2{{ dots | replace: '..', 'E' }}", false},
	} {
		got, err := fill(t, c.source, c.place)
		var e *placeholder.Error
		if !errors.As(err, &e) || e.Missing != c.missing {
			t.Errorf("%s gives %q, %v", c.source, got, err)
			continue
		}
		if strings.Contains(err.Error(), "B0CX") {
			t.Errorf("the error tells the value: %v", err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for source, place := range map[string]placeholder.Place{
		"{{ }}":                         placeholder.Plain,
		"{{ a":                          placeholder.Plain,
		"{{ a b }}":                     placeholder.Plain,
		"{{ a. }}":                      placeholder.Plain,
		"{{ a | shout }}":               placeholder.Plain,
		"{{ a | replace: 'x' }}":        placeholder.Plain,
		"{{ a | plus: x }}":             placeholder.Plain,
		"{{ a | match: '(' }}":          placeholder.Plain,
		"{{ a | date: 'x' }}":           placeholder.Plain,
		"{{ a | map: 'x' }}":            placeholder.Plain,
		"{{ a | number: -1 }}":          placeholder.Plain,
		"{{ a | replace: '', 'x' }}":    placeholder.Plain,
		`{{ a | default: "x }}`:         placeholder.Plain,
		"{{ {{ a }} }}":                 placeholder.Plain,
		"//a[.={{ a }}]":                placeholder.XPath,
		`//a[.="{{ a }}]`:               placeholder.XPath,
		`f("{{ a }}")`:                  placeholder.Expression,
		"f(`${ {{ a }} }`)":             placeholder.Expression,
		`f("\"{{ a }}")`:                placeholder.Expression,
		`{"q": "{{ a }}"}`:              placeholder.JSON,
		`$.items[?(@.id == '{{ a }}')]`: placeholder.JSON,
	} {
		if _, err := placeholder.Parse(source, place); err == nil {
			t.Errorf("%s is accepted", source)
		}
	}
}
