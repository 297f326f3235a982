package placeholder

import (
	"errors"
	"net/url"
	"strings"
)

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
