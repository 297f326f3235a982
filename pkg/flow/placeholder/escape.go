package placeholder

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// escape writes a value for a place in which a value stands by itself.
func escape(v any, place Place, from *value) (string, error) {
	var s string
	var err error
	switch place {
	case JSON:
		s, err = literal(v)
	case CSS:
		if s, err = selecting(v); err == nil {
			s = cssEscape(s)
		}
	case Title:
		if s, err = text(v); err == nil {
			s = withoutWildcards.Replace(s)
		}
	default:
		s, err = text(v)
	}
	if err != nil {
		return "", &Error{Name: from.name(), Reason: err.Error()}
	}
	return s, nil
}

// selecting is the text of a value that selects elements. A blank one would
// select others than are meant: contains(., "") holds for all.
func selecting(v any) (string, error) {
	s, err := text(v)
	if err == nil && strings.TrimSpace(s) == "" {
		err = errors.New("the value is blank, so it selects nothing")
	}
	return s, err
}

// cssEscape is CSS.escape of the CSS Object Model. Its result reads the same
// in an identifier and inside a quoted string.
func cssEscape(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i, r := range s {
		digit := r >= '0' && r <= '9'
		switch {
		case r == 0 || r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case r < 0x20 || r == 0x7f || digit && (i == 0 || i == 1 && s[0] == '-'):
			fmt.Fprintf(&b, `\%x `, r)
		case r >= 0x80 || digit || r == '_' || r == '-' && len(s) > 1 || isLetter(r):
			b.WriteRune(r)
		default:
			b.WriteByte('\\')
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
