// Package datepattern writes and reads dates and times in the patterns that
// people use for them: "MM/DD/YYYY", "D MMM YYYY h:mm a".
//
// The tokens are YYYY YY MMMM MMM MM M DD D HH H hh h mm m ss A a. Text in
// [brackets] stands for itself, and so does every character that is no letter,
// and a T. Names of months are English.
package datepattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxLength bounds a pattern, in bytes.
const maxLength = 200

// tokens in the order in which they are tried: longer ones first.
var tokens = []string{"YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "D", "HH", "H", "hh", "h", "mm", "m", "ss", "A", "a"}

type element struct {
	token   string // one of tokens, or empty for literal text
	literal string
}

// Pattern is a parsed pattern. The zero value is an empty pattern.
type Pattern struct {
	source   string
	elements []element
}

// Parse reads a pattern. It fails on an empty pattern, on one without any
// token, on an unclosed bracket and on letters that are no token: dd would be
// taken for the day by a person, and for the letters by a computer.
func Parse(source string) (Pattern, error) {
	p := Pattern{source: source}
	found := false
	if len(source) > maxLength {
		return Pattern{}, fmt.Errorf("a date pattern has at most %d characters", maxLength)
	}
	for rest := source; rest != ""; {
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return Pattern{}, fmt.Errorf("date pattern %q: [ is not closed", source)
			}
			p.literal(rest[1:end])
			rest = rest[end+1:]
			continue
		}
		token := leadingToken(rest)
		if run := leadingRun(rest); isLetter(rest[0]) && run != token && run != "T" {
			return Pattern{}, fmt.Errorf("date pattern %q: %s is none of %s; text of its own stands in [brackets]", source, run, strings.Join(tokens, " "))
		}
		if token != "" {
			p.elements = append(p.elements, element{token: token})
			rest, found = rest[len(token):], true
			continue
		}
		p.literal(rest[:1])
		rest = rest[1:]
	}
	if !found {
		return Pattern{}, fmt.Errorf("date pattern %q names no part of a date", source)
	}
	return p, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.source }

func (p *Pattern) literal(text string) {
	if n := len(p.elements); n > 0 && p.elements[n-1].token == "" {
		p.elements[n-1].literal += text
		return
	}
	p.elements = append(p.elements, element{literal: text})
}

func leadingToken(text string) string {
	for _, token := range tokens {
		if strings.HasPrefix(text, token) {
			return token
		}
	}
	return ""
}

// leadingRun is the first letter of a text as often as it follows itself.
func leadingRun(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Format writes t.
func (p Pattern) Format(t time.Time) string {
	var b strings.Builder
	for _, e := range p.elements {
		if e.token == "" {
			b.WriteString(e.literal)
			continue
		}
		b.WriteString(write(t, e.token))
	}
	return b.String()
}

func write(t time.Time, token string) string {
	switch token {
	case "YYYY":
		return fmt.Sprintf("%04d", t.Year())
	case "YY":
		return fmt.Sprintf("%02d", t.Year()%100)
	case "MMMM":
		return t.Month().String()
	case "MMM":
		return t.Month().String()[:3]
	case "MM", "M":
		return padded(int(t.Month()), token)
	case "DD", "D":
		return padded(t.Day(), token)
	case "HH", "H":
		return padded(t.Hour(), token)
	case "hh", "h":
		return padded((t.Hour()+11)%12+1, token)
	case "mm", "m":
		return padded(t.Minute(), token)
	case "ss":
		return padded(t.Second(), token)
	case "A":
		return t.Format("PM")
	default:
		return t.Format("pm")
	}
}

func padded(n int, token string) string { return fmt.Sprintf("%0*d", len(token), n) }

// Read reads a date that was written in this pattern; parts that the pattern
// does not name are those of 1 January of year 0, midnight, in loc. Case and
// the number of spaces do not matter, and a number may be shorter than its
// token unless another one follows it at once.
func (p Pattern) Read(text string, loc *time.Location) (time.Time, error) {
	r := reader{rest: strings.Join(strings.Fields(text), " "), month: 1, day: 1}
	for i, e := range p.elements {
		if err := r.take(e, i+1 < len(p.elements) && p.elements[i+1].isNumber()); err != nil {
			return time.Time{}, fmt.Errorf("not a date as in %q: %w", p.source, err)
		}
	}
	if r.rest != "" {
		return time.Time{}, fmt.Errorf("not a date as in %q: it is longer", p.source)
	}
	t, err := r.time(loc)
	if err != nil {
		return time.Time{}, fmt.Errorf("not a date as in %q: %w", p.source, err)
	}
	return t, nil
}

// reader holds the parts read so far and the text that follows.
type reader struct {
	rest                                   string
	year, month, day, hour, minute, second int
	afternoon, morning                     bool
	half                                   bool // the hour is one of twelve
	read                                   map[*int]bool
}

// isNumber reports whether the element begins with a digit when written.
func (e element) isNumber() bool {
	if literal := strings.TrimLeft(e.literal, " "); literal != "" {
		return literal[0] >= '0' && literal[0] <= '9'
	}
	return e.token != "" && e.token != "MMMM" && e.token != "MMM" && e.token != "A" && e.token != "a"
}

func (r *reader) take(e element, tight bool) error {
	if e.token == "" {
		literal := strings.Join(strings.Fields(e.literal), " ")
		r.rest = strings.TrimLeft(r.rest, " ")
		if len(r.rest) < len(literal) || !strings.EqualFold(r.rest[:len(literal)], literal) {
			return fmt.Errorf("%q is missing", literal)
		}
		r.rest = strings.TrimLeft(r.rest[len(literal):], " ")
		return nil
	}
	switch e.token {
	case "MMMM", "MMM":
		return r.monthName()
	case "A", "a":
		return r.halfDay()
	}
	return r.number(e.token, tight)
}

// number reads the digits of a token; tight says that more of them follow.
func (r *reader) number(token string, tight bool) error {
	width := max(len(token), 2)
	n := 0
	for n < len(r.rest) && n < width && r.rest[n] >= '0' && r.rest[n] <= '9' {
		n++
	}
	whole := tight || token == "YYYY" || token == "YY"
	if n == 0 || whole && n != len(token) {
		return fmt.Errorf("no number for %s", token)
	}
	value, err := strconv.Atoi(r.rest[:n])
	if err != nil {
		return err
	}
	r.rest = r.rest[n:]
	part := map[byte]*int{'Y': &r.year, 'M': &r.month, 'D': &r.day, 'H': &r.hour, 'h': &r.hour, 'm': &r.minute, 's': &r.second}[token[0]]
	if token == "YY" {
		value += 2000
	}
	r.half = r.half || token[0] == 'h'
	return r.put(part, value)
}

// put notes a part of the date; one that stands there twice must agree.
func (r *reader) put(part *int, value int) error {
	if r.read == nil {
		r.read = map[*int]bool{}
	}
	if r.read[part] && *part != value {
		return errors.New("it contradicts itself")
	}
	*part, r.read[part] = value, true
	return nil
}

func (r *reader) monthName() error {
	n := 0
	for n < len(r.rest) && (r.rest[n]|0x20) >= 'a' && (r.rest[n]|0x20) <= 'z' {
		n++
	}
	word := strings.ToLower(r.rest[:n])
	for m := time.January; m <= time.December; m++ {
		if n >= 3 && strings.HasPrefix(strings.ToLower(m.String()), word) {
			r.rest = strings.TrimPrefix(r.rest[n:], ".")
			return r.put(&r.month, int(m))
		}
	}
	return errors.New("no name of a month")
}

func (r *reader) halfDay() error {
	for _, word := range []string{"a.m.", "p.m.", "am", "pm"} {
		if len(r.rest) >= len(word) && strings.EqualFold(r.rest[:len(word)], word) {
			r.afternoon, r.morning, r.rest = word[0] == 'p', word[0] == 'a', r.rest[len(word):]
			return nil
		}
	}
	return errors.New("no am or pm")
}

func (r *reader) time(loc *time.Location) (time.Time, error) {
	if r.half && !r.afternoon && !r.morning {
		return time.Time{}, errors.New("h is an hour of twelve and needs A or a; H is one of the day")
	}
	if r.afternoon || r.morning {
		if r.hour < 1 || r.hour > 12 {
			return time.Time{}, errors.New("no such hour")
		}
		r.hour %= 12
		if r.afternoon {
			r.hour += 12
		}
	}
	t := time.Date(r.year, time.Month(r.month), r.day, r.hour, r.minute, r.second, 0, loc)
	// time.Date folds the 31st of April into May, and an hour that the clocks
	// leap over into the next; the page meant something else.
	if int(t.Month()) != r.month || t.Day() != r.day || t.Hour() != r.hour || r.minute > 59 || r.second > 59 {
		return time.Time{}, errors.New("no such day or time")
	}
	return t, nil
}
