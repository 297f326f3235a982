package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"integration.gateway/pkg/flow/datepattern"
)

// fieldError is a value of the page that cannot be made into what the field
// wants. It does not hold the value.
type fieldError struct {
	field  *field
	reason string
}

func (e *fieldError) Error() string {
	return fmt.Sprintf("field %s (%s): %s", e.field.name, e.field.origin(), e.reason)
}

// convert makes a field's value from what its source gave: match, map, then
// as. It returns nil when there is none.
func (s *Site) convert(f *field, raw any) (any, error) {
	raw = f.matched(raw)
	if text, ok := raw.(string); raw == nil || ok && strings.TrimSpace(text) == "" {
		return f.fallback, nil
	}
	if f.mapping != nil {
		key, ok := plainText(raw)
		mapped, listed := f.mapping[key]
		if listed = listed && ok; !listed && !f.hasDefault {
			return nil, &fieldError{f, "map does not list the value"}
		}
		if !listed {
			return f.fallback, nil
		}
		raw = mapped
	}
	v, err := s.as(f, raw)
	if err != nil {
		return nil, &fieldError{f, err.Error()}
	}
	return v, nil
}

// matched is what the field's match leaves of a value.
func (f *field) matched(raw any) any {
	text, ok := plainText(raw)
	if f.match == nil || !ok {
		return raw
	}
	groups := f.match.FindStringSubmatch(text)
	if groups == nil {
		return nil
	}
	return groups[min(1, len(groups)-1)]
}

// plainText is the text of a value that is no list and no object.
func plainText(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

var errKind = errors.New("the value is of another kind; match or map may help")

// as makes a value the kind that the field names. Where it names none a value
// keeps its own.
func (s *Site) as(f *field, raw any) (any, error) {
	switch v := raw.(type) {
	case string:
		return s.textAs(f, strings.TrimSpace(v))
	case float64:
		text, _ := plainText(v)
		return s.numberAs(f.as, json.Number(text))
	case json.Number:
		return s.numberAs(f.as, v)
	case bool:
		switch f.as {
		case "", "boolean", "exists":
			return v, nil
		case "text":
			return strconv.FormatBool(v), nil
		}
		return nil, errKind
	}
	if f.as != "" {
		return nil, errKind
	}
	return raw, nil
}

// textAs reads a text of the page, or one in JSON.
func (s *Site) textAs(f *field, text string) (any, error) {
	switch f.as {
	case "integer":
		n, err := s.numberOf(f, text)
		if err != nil || strings.Contains(n, ".") {
			return nil, errors.New("the value is no whole number; match can cut it out")
		}
		return json.Number(n), nil
	case "decimal":
		n, err := s.numberOf(f, text)
		if err != nil {
			return nil, err
		}
		return json.Number(n), nil
	case "money":
		if plainNumber.MatchString(text) { // also as JSON writes it
			n, err := s.numberOf(f, text)
			if err != nil {
				return nil, err
			}
			return s.amount(n, "")
		}
		return s.money(text)
	case "date":
		return s.date(text)
	case "datetime":
		return s.datetime(text)
	case "boolean":
		return boolean(text)
	}
	return text, nil
}

// numberAs takes a number of JSON as it is; no site has a say in it.
func (s *Site) numberAs(kind string, n json.Number) (any, error) {
	switch kind {
	case "":
		return n, nil
	case "text":
		return n.String(), nil
	case "boolean":
		return boolean(n.String())
	case "integer", "decimal", "money":
	default:
		return nil, errKind
	}
	text, err := exact(n)
	switch {
	case err != nil:
		return nil, err
	case kind == "money":
		return s.amount(text, "")
	case kind == "integer" && strings.Contains(text, "."):
		return nil, errors.New("the value is no whole number")
	}
	return json.Number(text), nil
}

// exact writes a number of JSON without an exponent, and a whole one without a
// fraction.
func exact(n json.Number) (string, error) {
	const longest = 60 // digits; none that a page shows comes near it
	_, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e < -longest || e > longest) || len(n) > longest {
		return "", errors.New("the value has too many digits")
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return "", errors.New("the value is no number")
	}
	if r.IsInt() {
		return r.Num().String(), nil
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits), nil
}

var errDate = errors.New("the value is not written as the site's dates and times are")

// date reads a day: as the site writes it, or as ISO 8601 does; of a point in
// time, the day that it is on the site's clock.
func (s *Site) date(text string) (any, error) {
	t, err := s.read(text, s.datePatterns, time.DateOnly)
	if err != nil {
		if t, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, errDate
		}
		t = t.In(s.location())
	}
	return t.Format(time.DateOnly), nil
}

// datetime reads a point in time; one without a zone is on the site's clock.
func (s *Site) datetime(text string) (any, error) {
	t, err := s.read(text, s.timePatterns, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04")
	if err != nil {
		return nil, err
	}
	return t.Format(time.RFC3339), nil
}

func (s *Site) read(text string, patterns []datepattern.Pattern, layouts ...string) (time.Time, error) {
	for _, p := range patterns {
		if t, err := p.Read(text, s.location()); err == nil && t.Year() > 0 { // a time of day alone is in no year
			return t, nil
		}
	}
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, text, s.location())
		if err == nil && t.Year() > 0 && (layout == time.RFC3339 || t.Format(layout) == text) {
			return t, nil
		}
	}
	return time.Time{}, errDate
}

func (s *Site) location() *time.Location {
	if s.formats.Location == nil {
		return time.UTC
	}
	return s.formats.Location
}

func boolean(text string) (any, error) {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "✓", "✔":
		return true, nil
	case "no", "off", "n", "✗", "✘":
		return false, nil
	}
	b, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil {
		return nil, errors.New("the value is neither yes nor no; map can say which")
	}
	return b, nil
}
