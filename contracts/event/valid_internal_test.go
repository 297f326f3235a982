package event

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The forms as they are meant; isToken and isType are the same by hand.
var (
	tokenForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	typeForm  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)
)

// FuzzTextChecks: the fast checks of texts say what the slow ones say.
func FuzzTextChecks(f *testing.F) {
	for _, seed := range []string{
		"", "a", "-", "a-", "-a", "a--b", "a-b", "buy-now-2", "a.b", "a-1.b-2", ".", "a.", ".b", "a.b.c", "a\n", "A", "é",
		"caller-ü", "\x7f", "\u0085", "\ufdd0", "\uffff", "\xff", "tab\t", "~ !",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if got, want := isToken(v), tokenForm.MatchString(v); got != want {
			t.Errorf("isToken(%q) is %v", v, got)
		}
		if got, want := isType(v), typeForm.MatchString(v); got != want {
			t.Errorf("isType(%q) is %v", v, got)
		}
		want := len(v) <= maxAttributeBytes && utf8.ValidString(v) && !strings.ContainsFunc(v, forbidden)
		if got := validateAttribute("id", v) == nil; got != want {
			t.Errorf("validateAttribute(%q) is %v", v, got)
		}
	})
}

// FuzzValidJSON: validJSON says what json.Valid says, and takes the usual texts
// without its help.
func FuzzValidJSON(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, `nul`, `true`, `false `, `truex`, `0`, `-0`, `-`, `01`, `1.`, `1.5`, `.5`, `1e3`, `1E-2`, `1e`, `+1`,
		`""`, `"`, `"\n\"\\\/"`, `"\u00e9"`, `"\u00"`, `"\x"`, `"\`, "\"\n\"", "\"\xff\"", `"€"`,
		`[]`, `[ ]`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `[1`, `]`, `{}`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":}`, `{"a" : [ {} , null ] } `,
		`{"a":1}{"b":2}`, `{"a":1,"b"`, `"12345678"`, `"1234567\n901234567890"`, "\"12345678901\x1f3456789012\"", "\"ééééééééé\x80\xff\x7f ok\"", `"123456\\" `, `"1234567890123456`, strings.Repeat("[", 101) + strings.Repeat("]", 101),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		valid := json.Valid(data)
		if got := validJSON(data); got != valid {
			t.Errorf("validJSON(%q) is %v", data, got)
		}
		if plainJSON(data) && !valid {
			t.Errorf("plainJSON takes %q", data)
		}
	})
}

func TestTooDeepDataIsNotJSON(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{plainDepth - 1, plainDepth, plainDepth + 1, 10_000, 10_001} {
		data := []byte(strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat("}", depth))
		if got, want := validJSON(data), json.Valid(data); got != want {
			t.Errorf("depth %d: %v, want %v", depth, got, want)
		}
	}
}

func TestUsualDataNeedsNoSecondLook(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"request":{"asin":"B0 \"x\"","n":[1,-2.5,true,null]},"s":{"sealed":"AbC="}}`, ` [ ] `, `"x"`} {
		if !plainJSON([]byte(data)) {
			t.Errorf("%s is left to json.Valid", data)
		}
	}
}
