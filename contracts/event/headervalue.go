package event

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// prefix begins the name of every header that holds an attribute.
const prefix = "ce-"

// escape percent-encodes an attribute's value as the NATS protocol binding
// demands (1.0.3, section 3.1.3.2): space, double quote, percent and all that
// is not printable ASCII, byte by byte, in upper-case hexadecimal.
func escape(v string) string {
	plain := 0
	for plain < len(v) && !escaped(v[plain]) {
		plain++
	}
	if plain == len(v) { // as are nearly all
		return v
	}
	var b strings.Builder
	b.WriteString(v[:plain])
	for i := plain; i < len(v); i++ {
		if c := v[i]; escaped(c) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func escaped(c byte) bool { return c <= ' ' || c == '"' || c == '%' || c > '~' }

// unescape is the reverse. It also takes the quoted strings (RFC 7230,
// section 3.2.6) that earlier versions of the binding allowed, and refuses
// bytes that are not UTF-8 once decoded.
func unescape(v string) (string, error) {
	if strings.HasPrefix(v, `"`) {
		unquoted, err := unquote(v)
		if err != nil {
			return "", err
		}
		v = unquoted
	}
	decoded, err := url.PathUnescape(v)
	if err != nil {
		return "", fmt.Errorf("percent-encoding: %w", err)
	}
	if !utf8.ValidString(decoded) {
		return "", errors.New("percent-encoded bytes are not UTF-8")
	}
	return decoded, nil
}

func unquote(v string) (string, error) {
	var b strings.Builder
	for i := 1; i < len(v); i++ {
		switch v[i] {
		case '"':
			if i != len(v)-1 {
				return "", errors.New("text follows the closing quote")
			}
			return b.String(), nil
		case '\\':
			i++
			if i == len(v) {
				return "", errors.New("quoted string has no end")
			}
		}
		b.WriteByte(v[i])
	}
	return "", errors.New("quoted string has no end")
}
