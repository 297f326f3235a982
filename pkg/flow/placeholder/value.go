package placeholder

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// value is one placeholder: a dotted name and the filters after it.
type value struct {
	path    []string
	filters []application
}

// application is a filter with its arguments.
type application struct {
	name  string
	apply filter
	args  []string
}

func (v *value) name() string { return strings.Join(v.path, ".") }

// parseValue reads what follows "{{" and returns the text after "}}".
func parseValue(text string) (*value, string, error) {
	s := &scanner{rest: text}
	v := &value{}
	for {
		segment := s.word()
		if segment == "" {
			return nil, "", fmt.Errorf("placeholder {{%s has no name", abridged(text))
		}
		v.path = append(v.path, segment)
		if !s.accept(".") {
			break
		}
	}
	for s.space(); s.accept("|"); s.space() {
		a, err := s.filter()
		if err != nil {
			return nil, "", fmt.Errorf("placeholder {{ %s }}: %w", v.name(), err)
		}
		v.filters = append(v.filters, a)
	}
	if !s.accept("}}") {
		return nil, "", fmt.Errorf("placeholder {{ %s: expected | or }} before %q", v.name(), abridged(s.rest))
	}
	return v, s.rest, nil
}

// IsName reports whether a text is a dotted name and nothing else.
func IsName(text string) bool {
	v, rest, err := parseValue(text + "}}")
	return err == nil && rest == "" && v.name() == text
}

// abridged keeps error messages short.
func abridged(text string) string {
	const limit = 20
	n := 0
	for i := range text {
		if n++; n > limit {
			return text[:i] + "…"
		}
	}
	return text
}

type scanner struct{ rest string }

func (s *scanner) space() { s.rest = strings.TrimLeftFunc(s.rest, unicode.IsSpace) }

func (s *scanner) accept(token string) bool {
	after, ok := strings.CutPrefix(s.rest, token)
	s.rest = after
	return ok
}

// word reads letters, digits, _ and - after spaces.
func (s *scanner) word() string {
	s.space()
	n := 0
	for n < len(s.rest) {
		r, size := utf8.DecodeRuneInString(s.rest[n:])
		if r == utf8.RuneError || !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-') {
			break
		}
		n += size
	}
	word := s.rest[:n]
	s.rest = s.rest[n:]
	return word
}

func (s *scanner) filter() (application, error) {
	name := s.word()
	kind, ok := filters[name]
	if !ok {
		return application{}, fmt.Errorf("unknown filter %q", name)
	}
	a := application{name: name, apply: kind.apply}
	s.space()
	if s.accept(":") {
		for {
			arg, quoted, err := s.argument()
			if err != nil {
				return a, fmt.Errorf("filter %s: %w", name, err)
			}
			a.args = append(a.args, arg)
			if name == "default" {
				a.apply = orDefault(arg)
				if !quoted {
					a.apply = orDefault(bare(arg))
				}
			}
			if s.space(); !s.accept(",") {
				break
			}
		}
	}
	if len(a.args) < kind.min || len(a.args) > kind.max {
		return a, fmt.Errorf("filter %s takes %s, not %d", name, kind.arity(), len(a.args))
	}
	if kind.check != nil {
		if err := kind.check(a.args); err != nil {
			return a, fmt.Errorf("filter %s: %w", name, err)
		}
	}
	return a, nil
}

// argument reads a quoted text, or a bare word or number. As in Liquid, quotes
// know no escapes: a text that holds one kind is written in the other.
func (s *scanner) argument() (text string, quoted bool, err error) {
	s.space()
	if s.rest == "" {
		return "", false, errors.New("an argument is missing")
	}
	if quote := s.rest[:1]; quote == `"` || quote == `'` {
		text, after, ok := strings.Cut(s.rest[1:], quote)
		if !ok {
			return "", false, errors.New("a quote is not closed")
		}
		s.rest = after
		return text, true, nil
	}
	n := strings.IndexFunc(s.rest, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+-", r))
	})
	if n < 0 {
		n = len(s.rest)
	}
	if n == 0 {
		return "", false, fmt.Errorf("no argument at %q", abridged(s.rest))
	}
	text = s.rest[:n]
	s.rest = s.rest[n:]
	return text, false, nil
}

// resolve finds the value and applies the filters.
func (v *value) resolve(scope Scope, formats Formats) (any, error) {
	current, ok := scope(v.path)
	if !ok || current == nil {
		current = missing{}
	}
	for _, f := range v.filters {
		if _, none := current.(missing); none && f.name != "default" {
			continue
		}
		next, err := f.apply(current, f.args, formats)
		if err == nil && tooLong(next) {
			err = errTooLong
		}
		if err != nil {
			return nil, &Error{Name: v.name(), Reason: fmt.Sprintf("filter %s: %v", f.name, err)}
		}
		current = next
	}
	if m, none := current.(missing); none {
		return nil, &Error{Name: v.name(), Missing: m.reason == "", Reason: m.reason}
	}
	return current, nil
}

func tooLong(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) > maxLength
	case encodedPath:
		return len(v) > maxLength
	case rawJSON:
		return len(v) > maxLength
	}
	return false
}

// missing stands for no value; reason is empty when there never was one.
type missing struct{ reason string }
