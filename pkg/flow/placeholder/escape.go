package placeholder

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
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

// percentEncode encodes all but the unreserved characters of RFC 3986.
func percentEncode(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		c := s[i]
		if isLetter(rune(c)) || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func (t Template) fillURL(scope Scope, formats Formats) (string, error) {
	var b strings.Builder
	filled := ""
	for i, p := range t.parts {
		if p.value == nil {
			b.WriteString(p.literal)
			continue
		}
		filled = p.value.name()
		v, err := p.value.resolve(scope, formats)
		if err != nil {
			return "", err
		}
		s, err := urlPart(v, i == 0)
		if err != nil {
			return "", &Error{Name: filled, Reason: err.Error()}
		}
		b.WriteString(s)
	}
	address := b.String()
	// No encoding hides a dot segment: browsers read %2e%2e as .. too.
	if filled != "" && hasDotSegment(address) {
		return "", &Error{Name: filled, Reason: "the value may not lead to another folder of the address"}
	}
	return address, nil
}

func urlPart(v any, first bool) (string, error) {
	if p, ok := v.(encodedPath); ok && !first {
		return string(p), nil
	}
	s, err := text(v)
	if err != nil {
		return "", err
	}
	if !first {
		return percentEncode(s), nil
	}
	return wholeURL(s)
}

// wholeURL checks an address that a value gives in full. What browsers and Go
// read in different ways is refused: back slashes, spaces, user names.
func wholeURL(s string) (string, error) {
	bad := strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
	u, err := url.Parse(s)
	if bad || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", errors.New("the value is not an http or https address")
	}
	return u.String(), nil
}

func hasDotSegment(address string) bool {
	end := strings.IndexAny(address, "?#")
	if end < 0 {
		end = len(address)
	}
	for segment := range strings.SplitSeq(address[:end], "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// withoutWildcards makes of a text one that is compared with as it is: a back
// slash takes the meaning from a star, and from another back slash.
var withoutWildcards = strings.NewReplacer(`\`, `\\`, `*`, `\*`)

// written is what a flow's author wrote, whose stars are wildcards.
func (t Template) written(literal string) string {
	if t.place == Title || t.place == Address {
		return strings.ReplaceAll(literal, `\`, `\\`)
	}
	return literal
}

// fillAddress fills an address to compare with as fillURL does one to open.
func (t Template) fillAddress(scope Scope, formats Formats) (string, error) {
	var b strings.Builder
	for i, p := range t.parts {
		if p.value == nil {
			b.WriteString(t.written(p.literal))
			continue
		}
		v, err := p.value.resolve(scope, formats)
		if err != nil {
			return "", err
		}
		s, err := urlPart(v, i == 0)
		if err != nil {
			return "", &Error{Name: p.value.name(), Reason: err.Error()}
		}
		b.WriteString(withoutWildcards.Replace(s))
	}
	return b.String(), nil
}

// checkPlace finds the placeholders that stand where no escaping can be right.
func (t *Template) checkPlace() error {
	switch t.place {
	case XPath:
		return t.checkQuotes(`"'`, false)
	case Expression:
		return t.checkQuotes("\"'`", true)
	case JSON:
		return t.checkQuotes(`"'`, true)
	}
	return nil
}

// checkQuotes notes in which quote each part stands. In XPath, which knows no
// escapes, a placeholder must stand inside quotes; in JSON and JavaScript it
// is a literal of its own and must stand outside.
func (t *Template) checkQuotes(quotes string, escapes bool) error {
	quote := byte(0)
	for i := range t.parts {
		p := &t.parts[i]
		if p.value != nil {
			p.quote = quote
			if t.place == XPath && quote == 0 {
				return fmt.Errorf("placeholder {{ %s }} must stand inside quotes in XPath", p.value.name())
			}
			if t.place != XPath && quote != 0 {
				return fmt.Errorf("placeholder {{ %s }} must stand outside quotes: it brings its own", p.value.name())
			}
			continue
		}
		for j := 0; j < len(p.literal); j++ {
			c := p.literal[j]
			switch {
			case escapes && quote != 0 && c == '\\':
				j++
			case quote == c:
				quote = 0
			case quote == 0 && strings.IndexByte(quotes, c) >= 0:
				quote = c
			}
		}
	}
	if quote != 0 && t.place == XPath && len(t.Names()) > 0 {
		return errors.New("a quote is not closed")
	}
	return nil
}

// fillXPath gathers each quoted string with the values inside it and writes
// it anew, with quotes that it does not hold, or as concat().
func (t Template) fillXPath(scope Scope, formats Formats) (string, error) {
	if len(t.Names()) == 0 {
		return t.source, nil
	}
	var out, quoted strings.Builder
	quote := byte(0)
	for _, p := range t.parts {
		if p.value != nil {
			v, err := p.value.resolve(scope, formats)
			if err != nil {
				return "", err
			}
			s, err := selecting(v)
			if err != nil {
				return "", &Error{Name: p.value.name(), Reason: err.Error()}
			}
			quoted.WriteString(s)
			continue
		}
		for j := range len(p.literal) {
			switch c := p.literal[j]; {
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote == 0:
				out.WriteByte(c)
			case quote == c:
				out.WriteString(xpathString(quoted.String()))
				quoted.Reset()
				quote = 0
			default:
				quoted.WriteByte(c)
			}
		}
	}
	return out.String(), nil
}

func xpathString(s string) string {
	if !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	if !strings.Contains(s, `'`) {
		return `'` + s + `'`
	}
	var parts []string
	for s != "" {
		quote := `"`
		if s[0] == '"' {
			quote = `'`
		}
		n := strings.IndexByte(s, quote[0])
		if n < 0 {
			n = len(s)
		}
		parts, s = append(parts, quote+s[:n]+quote), s[n:]
	}
	return "concat(" + strings.Join(parts, ",") + ")"
}

// fillExpression puts values in as arguments of a function around the
// expression: an identifier stays one token wherever it stands, so that not
// even a placeholder which the reader of quotes misjudged can become code.
func (t Template) fillExpression(scope Scope, formats Formats) (string, error) {
	var body strings.Builder
	var names, args []string
	for _, p := range t.parts {
		if p.value == nil {
			body.WriteString(p.literal)
			continue
		}
		v, err := p.value.resolve(scope, formats)
		if err != nil {
			return "", err
		}
		arg, err := literal(v)
		if err != nil {
			return "", &Error{Name: p.value.name(), Reason: err.Error()}
		}
		name := "placeholder" + strconv.Itoa(len(names)+1)
		names, args = append(names, name), append(args, arg)
		body.WriteString(" " + name + " ")
	}
	return "((" + strings.Join(names, ", ") + ") => (" + body.String() + "\n))(" + strings.Join(args, ", ") + ")", nil
}
