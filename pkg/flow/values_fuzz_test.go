package flow

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"integration.gateway/pkg/flow/datepattern"
	"integration.gateway/pkg/flow/placeholder"
)

// writes makes a site by how it writes numbers.
func writes(t testing.TB, decimal, group string) *Site {
	t.Helper()
	s := &Site{formats: placeholder.Formats{Decimal: decimal, Location: time.UTC}, group: group, currency: "EUR"}
	p, err := datepattern.Parse("D MMM YYYY")
	if err != nil {
		t.Fatal(err)
	}
	s.datePatterns = []datepattern.Pattern{p}
	return s
}

var amount = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// FuzzMoney reads amounts: whatever is read is an amount, and reads as itself.
func FuzzMoney(f *testing.F) {
	for _, text := range []string{"$24.99", "24,99 €", "1.234.567,89 EUR", "-5", "(5.00)", "5,- €", "US$ 1'000", "CHF 5.–", "$24.99 USD", "1 234,5", "12,34,567.80", "5-", "\u22125", "0,001", "QTY 5"} {
		f.Add(text)
	}
	sites := []*Site{writes(f, ".", ","), writes(f, ",", "."), writes(f, ",", " "), writes(f, ".", "'")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range sites {
			v, err := s.money(text)
			if err != nil {
				if len(text) > 3 && strings.Contains(err.Error(), text) {
					t.Errorf("the error tells the value: %v", err)
				}
				continue
			}
			m, _ := v.(map[string]any)
			number, _ := m["amount"].(string)
			code, _ := m["currency"].(string)
			if !amount.MatchString(number) || len(code) != 3 {
				t.Fatalf("%q is read as %v", text, v)
			}
			written := strings.Replace(number, ".", s.decimal(), 1) + " " + code
			again, err := s.money(written)
			if err != nil {
				t.Fatalf("%q is read as %v, which as %q is not: %v", text, v, written, err)
			}
			if again, _ := again.(map[string]any); again["amount"] != number || again["currency"] != code {
				t.Fatalf("%q is read as %v, and that as %v", text, v, again)
			}
		}
	})
}

// FuzzField makes values of every kind of whatever a page or an answer holds.
func FuzzField(f *testing.F) {
	for _, raw := range []string{`"7 Mar 2026"`, `"2026-03-07T10:00:00Z"`, `1e3`, `-0.0`, `1e999999999`, `true`, `null`, `[1]`, `{"a":1}`, `"1.234"`, `"yes"`, `0.1`} {
		for i := range fieldKinds {
			f.Add(raw, uint8(i), i%2 == 0)
		}
	}
	s := writes(f, ",", ".")
	s.timePatterns = s.datePatterns
	f.Fuzz(func(t *testing.T, text string, kind uint8, isJSON bool) {
		raw, err := parseJSON([]byte(text))
		if err != nil {
			raw = text
		}
		field := &field{name: "f", as: fieldKinds[int(kind)%len(fieldKinds)], json: isJSON, isConstant: true}
		v, err := s.convert(field, raw)
		if err != nil || v == nil {
			return
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%q as %s is %v, which is no JSON: %v", text, field.as, v, err)
		}
		switch field.as {
		case "integer", "decimal":
			if !amount.Match(encoded) || field.as == "integer" && strings.Contains(string(encoded), ".") {
				t.Errorf("%q as %s is %s", text, field.as, encoded)
			}
		case "date":
			if _, err := time.Parse(`"2006-01-02"`, string(encoded)); err != nil {
				t.Errorf("%q as a date is %s", text, encoded)
			}
		case "datetime":
			if _, err := time.Parse(`"`+time.RFC3339+`"`, string(encoded)); err != nil {
				t.Errorf("%q as a point in time is %s", text, encoded)
			}
		}
	})
}

// FuzzPath applies any path to any document: in bounded time, and twice with
// the same outcome.
func FuzzPath(f *testing.F) {
	const document = `{"b": [{"x": 1, "y": [2, 3]}, {"x": "a", "z": null}], "a": {"x": true, "b": {"x": 4}}}`
	for _, path := range []string{
		"$", "$.b[*].x", "$..x", "$..[?@.x == $.a.x]", "$.b[?match(@.x, 'a.*')]", "$.b[?length(@.y) > 1]", "$['b','a']", "$.b[::-1]", "$..[?count($..*) > 2]",
		"$[?@[?@[?@.x]]]", "$..*..*..*", "$.b[?value(@..x) == 1]", "$[?!@.x || (@.x && @.y < 3)]", "$[?(((((@.x)))))]", "$[?search(@, '(a*)*b')]", "$[?@.none == $.none]", "$[?@.* == @.*]",
	} {
		f.Add(path, document)
	}
	f.Fuzz(func(t *testing.T, path, document string) {
		if len(path) > maxPath {
			return
		}
		value, err := parseJSON([]byte(document))
		if err != nil {
			return
		}
		query, err := parsePath(path)
		if err != nil {
			return
		}
		apply := func() (string, error) {
			w := walker{left: 20_000}
			nodes, err := w.all(query, value)
			if err != nil {
				return "", err
			}
			raw, err := json.Marshal(nodes)
			return string(raw), err
		}
		started := time.Now()
		first, err := apply()
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s took %s", path, took)
		}
		if again, errAgain := apply(); again != first || (err == nil) != (errAgain == nil) {
			t.Errorf("%s gives %s, %v, then %s, %v", path, first, err, again, errAgain)
		}
	})
}
