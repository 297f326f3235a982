package event

import (
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
