package event

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// plainDepth is how deep a value may be nested for plainJSON to look into it.
const plainDepth = 100

// validJSON is json.Valid at several times its speed: checking an event's data
// would otherwise cost an auditor more than its hash. What plainJSON does not
// take, json.Valid decides.
func validJSON(data []byte) bool { return plainJSON(data) || json.Valid(data) }

// plainJSON tells whether data is surely JSON: it may say no to what is, and
// never says yes to what is not.
func plainJSON(data []byte) bool {
	end := plainValue(data, skipSpace(data, 0), plainDepth)
	return end > 0 && skipSpace(data, end) == len(data)
}

// plainValue returns where the value that begins at i ends; 0 if it is none.
func plainValue(d []byte, i, depth int) int {
	if i >= len(d) || depth == 0 {
		return 0
	}
	switch c := d[i]; {
	case c == '"':
		return plainString(d, i+1)
	case c == '{', c == '[':
		return plainList(d, i+1, c == '{', depth-1)
	case c == '-', c >= '0' && c <= '9':
		return plainNumber(d, i)
	case c == 't':
		return literal(d, i, "true")
	case c == 'f':
		return literal(d, i, "false")
	case c == 'n':
		return literal(d, i, "null")
	}
	return 0
}

// plainList reads an object or an array behind its opening bracket.
func plainList(d []byte, i int, object bool, depth int) int {
	closing := byte(']')
	if object {
		closing = '}'
	}
	if i = skipSpace(d, i); i < len(d) && d[i] == closing {
		return i + 1
	}
	for {
		if object {
			if i = plainName(d, i); i == 0 {
				return 0
			}
		}
		if i = plainValue(d, skipSpace(d, i), depth); i == 0 {
			return 0
		}
		i = skipSpace(d, i)
		switch {
		case i < len(d) && d[i] == closing:
			return i + 1
		case i < len(d) && d[i] == ',':
			i = skipSpace(d, i+1)
		default:
			return 0
		}
	}
}

// plainName reads the name of an object's member and the colon after it.
func plainName(d []byte, i int) int {
	if i >= len(d) || d[i] != '"' {
		return 0
	}
	if i = plainString(d, i+1); i == 0 {
		return 0
	}
	if i = skipSpace(d, i); i < len(d) && d[i] == ':' {
		return i + 1
	}
	return 0
}

// plainString reads a string behind its opening quote.
func plainString(d []byte, i int) int {
	for {
		i += ordinary(d[i:])
		switch {
		case i == len(d) || d[i] < ' ':
			return 0
		case d[i] == '"':
			return i + 1
		case i+1 == len(d) || !escapable(d[i+1]):
			return 0 // among them \u, which json.Valid looks into
		}
		i += 2
	}
}

// ordinary returns how many bytes stand before the first quote, backslash or control
// character. It looks at eight at a time: strings are most of an event's data.
func ordinary(d []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(d); n += 8 {
		w := binary.LittleEndian.Uint64(d[n:])
		quote, backslash := w^ones*'"', w^ones*'\\'
		// The high bit of a byte: it is below a space, or zero in one of the other two.
		// Borrows reach only bytes above one that is marked already.
		found := ((w-ones*' ')&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(d) && d[n] >= ' ' && d[n] != '"' && d[n] != '\\' {
		n++
	}
	return n
}

func escapable(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// plainNumber reads a number without an exponent.
func plainNumber(d []byte, i int) int {
	if d[i] == '-' {
		i++
	}
	whole := skipDigits(d, i)
	if whole == i || d[i] == '0' && whole > i+1 {
		return 0
	}
	if whole == len(d) || d[whole] != '.' {
		return whole
	}
	if end := skipDigits(d, whole+1); end > whole+1 {
		return end
	}
	return 0
}

func skipDigits(d []byte, i int) int {
	for i < len(d) && d[i] >= '0' && d[i] <= '9' {
		i++
	}
	return i
}

func skipSpace(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// literal returns where word ends if it stands at i.
func literal(d []byte, i int, word string) int {
	if end := i + len(word); end <= len(d) && string(d[i:end]) == word {
		return end
	}
	return 0
}
