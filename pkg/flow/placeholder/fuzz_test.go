package placeholder_test

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"integration.gateway/pkg/flow/placeholder"
)

// hostile are inputs that broke out of somewhere once, somewhere.
var hostile = []string{
	"", `"`, `'`, "`", `\`, `\"`, `"]`, `']`, "]", "*/", "//", "{{ x }}", "}}", "${x}", "\n", "\r\n", "\u2028",
	"\u202e", "\x00", "\xff", "-", "-1", "1", `"),alert(1),("`, `' or '1'='1`, `" or "1"="1`, `'"`, "../..", "%2e%2e",
	"https://evil.example", "https://shop.example@evil.example", `https://shop.example\@evil.example`, "javascript:alert(1)",
	"//evil.example", "</script>", strings.Repeat("a'\"\\", 1<<14),
}

// FuzzEscaping shows for each place that the value comes back whole when its
// text is read again, so that nothing of it can have become syntax.
func FuzzEscaping(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		in := func(source string, place placeholder.Place) (string, error) {
			template, err := placeholder.Parse(source, place)
			if err != nil {
				t.Fatal(err)
			}
			return template.Fill(func([]string) (any, bool) { return input, true }, placeholder.Formats{})
		}
		valid := strings.ToValidUTF8(input, "\ufffd")
		if got, err := in("a{{ x }}b", placeholder.Plain); err != nil || got != "a"+input+"b" {
			t.Errorf("plain: %q, %v", got, err)
		}
		blank := strings.TrimSpace(input) == "" // selects nothing
		if got, err := in(`<{{ x }}>`, placeholder.CSS); blank != (err != nil) {
			t.Errorf("css: %q, %v", got, err)
		} else if !blank && cssText(t, got) != "<"+strings.ReplaceAll(runes(input), "\x00", "\ufffd")+">" {
			t.Errorf("css: %q", got)
		}
		for _, q := range []string{`"`, `'`} {
			got, err := in("[.="+q+"<{{ x }}>"+q+"]", placeholder.XPath)
			if blank != (err != nil) || !blank && xpathText(t, got) != "<"+input+">" {
				t.Errorf("xpath: %q, %v", got, err)
			}
		}
		checkURL(t, input, in)
		var object map[string]string
		got, err := in(`{"q": {{ x }}}`, placeholder.JSON)
		if err != nil || json.Unmarshal([]byte(got), &object) != nil || len(object) != 1 || !sameText(object["q"], input, valid) {
			t.Errorf("json: %q, %v", got, err)
		}
		checkExpression(t, input, in)
	})
}

// sameText allows for the ways of replacing bytes that are not UTF-8.
func sameText(got, input, valid string) bool {
	return got == input || got == valid || got == runes(input)
}

func runes(s string) string { return string([]rune(s)) }

func checkURL(t *testing.T, input string, in func(string, placeholder.Place) (string, error)) {
	t.Helper()
	if got, err := in("https://shop.example/a/{{ x }}?q={{ x }}", placeholder.URL); err == nil {
		u, err := url.Parse(got)
		if err != nil || u.Host != "shop.example" || u.Path != "/a/"+input || u.Query().Get("q") != input || u.Fragment != "" {
			t.Errorf("url: %q, %v", got, err)
		}
	}
	if got, err := in("{{ x }}", placeholder.URL); err == nil {
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Contains(got, `\`) {
			t.Errorf("whole url: %q, %v", got, err)
		}
	}
}

// checkExpression finds the value as the sole argument after the function.
func checkExpression(t *testing.T, input string, in func(string, placeholder.Place) (string, error)) {
	t.Helper()
	const before = "((placeholder1) => (f( placeholder1 )\n))("
	got, err := in("f({{ x }})", placeholder.Expression)
	arg, found := strings.CutPrefix(got, before)
	arg, closed := strings.CutSuffix(arg, ")")
	var back string
	if err != nil || !found || !closed || json.Unmarshal([]byte(arg), &back) != nil || !sameText(back, input, strings.ToValidUTF8(input, "\ufffd")) {
		t.Errorf("expression: %q, %v", got, err)
	}
}

// cssText reads an identifier as CSS Syntax does, and fails on a character
// that would end it. The < and > around the value are literal.
func cssText(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r != '\\':
			if r < 0x80 && !strings.ContainsRune("<>_-", r) && !(r >= '0' && r <= '9') && !(r|0x20 >= 'a' && r|0x20 <= 'z') {
				t.Fatalf("%q stands unescaped in %q", r, s)
			}
			b.WriteRune(r)
		case i < len(s) && strings.IndexByte("0123456789abcdef", s[i]) >= 0:
			end := strings.IndexByte(s[i:], ' ') + i
			n, err := strconv.ParseUint(s[i:end], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteRune(rune(n))
			i = end + 1
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			b.WriteRune(r)
			i += size
		}
	}
	return b.String()
}

// xpathText evaluates [.="…"] or [.=concat(…)].
func xpathText(t *testing.T, s string) string {
	t.Helper()
	s = strings.TrimSuffix(strings.TrimPrefix(s, "[.="), "]")
	if inner, ok := strings.CutPrefix(s, "concat("); ok {
		s = strings.TrimSuffix(inner, ")") + ","
	} else {
		s += ","
	}
	var b strings.Builder
	for s != "" {
		text, after, ok := strings.Cut(s[1:], s[:1])
		if !ok || s[0] != '"' && s[0] != '\'' || !strings.HasPrefix(after, ",") {
			t.Fatalf("no XPath string at %q", s)
		}
		b.WriteString(text)
		s = after[1:]
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range append(hostile[:20:20], `{{ a.b.0 | date: "YYYY" | replace: "x", 'y' | default: -1.5 }}`, "{{ a | match: '(' }}") {
		f.Add(s, 0)
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, source string, place int) {
		template, err := placeholder.Parse(source, placeholder.Place(place))
		if err != nil {
			return
		}
		if template.String() != source {
			t.Errorf("%q is kept as %q", source, template)
		}
		_, _ = template.Fill(func([]string) (any, bool) { return "1", true }, placeholder.Formats{})
	})
}
