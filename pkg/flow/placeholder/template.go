// Package placeholder fills the {{ placeholders }} of flows.
//
// A template is text with placeholders: a dotted name, then filters, such as
// {{ startDate | date: "MM/DD/YYYY" }}. A value is escaped for the place where
// it stands, which the template's reader names: whatever a value holds, it
// cannot become a step, a selector, a statement or an origin.
package placeholder

import (
	"fmt"
	"slices"
	"strings"
)

// Place is what the text of a template is.
type Place int

// The places.
const (
	Plain      Place = iota // text that nobody parses: typed text, text/ and aria/ selectors
	URL                     // an address; values are percent-encoded
	CSS                     // a CSS selector; values are backslash-escaped
	XPath                   // an XPath expression; values stand inside quotes
	JSON                    // JSON or JSONPath; values become JSON literals
	Expression              // JavaScript; values become arguments of a function around it
	Title                   // a text to compare with, in which * is anything; values are only themselves
	Address                 // an address to compare with, likewise; values are percent-encoded
)

// Template is text with placeholders, ready to be filled. The zero value is
// the empty text.
type Template struct {
	source string
	place  Place
	parts  []part
}

// part is literal text or a placeholder.
type part struct {
	literal string
	value   *value
	quote   byte // XPath: the quote that the part stands in, or 0
}

// Parse reads a template for a place. The error tells what is wrong and names
// the placeholder.
func Parse(source string, place Place) (Template, error) {
	t := Template{source: source, place: place}
	for rest := source; rest != ""; {
		open := strings.Index(rest, "{{")
		if open < 0 {
			t.parts = append(t.parts, part{literal: rest})
			break
		}
		if open > 0 {
			t.parts = append(t.parts, part{literal: rest[:open]})
		}
		v, after, err := parseValue(rest[open+2:])
		if err != nil {
			return Template{}, err
		}
		t.parts = append(t.parts, part{value: v})
		rest = after
	}
	if err := t.checkPlace(); err != nil {
		return Template{}, err
	}
	return t, nil
}

// String returns the template as it was written; it holds no values.
func (t Template) String() string { return t.source }

// IsZero reports whether the template is the empty text.
func (t Template) IsZero() bool { return t.source == "" }

// Place returns what the template's text is.
func (t Template) Place() Place { return t.place }

// Names returns the dotted names that the template takes values from, in
// order, as lists of their segments.
func (t Template) Names() [][]string {
	var names [][]string
	for _, p := range t.parts {
		if p.value != nil {
			names = append(names, p.value.path)
		}
	}
	return names
}

// Needs reports whether a placeholder of a name, as Names returns it, has no
// default: without a value it cannot be filled.
func (t Template) Needs(name []string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool {
		return p.value != nil && slices.Equal(p.value.path, name) &&
			!slices.ContainsFunc(p.value.filters, func(a application) bool { return a.name == "default" })
	})
}

// Sole reports whether the template is one placeholder and nothing else, so
// that its value may keep its type.
func (t Template) Sole() bool { return len(t.parts) == 1 && t.parts[0].value != nil }

// Scope finds the value of a dotted name; ok is false when there is none.
type Scope func(path []string) (v any, ok bool)

// Error is a placeholder that cannot be filled. It never holds a value.
type Error struct {
	Name    string // the dotted name
	Missing bool   // there is no value, and no default
	Reason  string
}

// Error names the placeholder and tells what is wrong.
func (e *Error) Error() string {
	if e.Missing {
		return fmt.Sprintf("{{ %s }} has no value", e.Name)
	}
	return fmt.Sprintf("{{ %s }}: %s", e.Name, e.Reason)
}

// Fill returns the text with every placeholder replaced by its value, escaped
// for the template's place. The error is an *Error.
func (t Template) Fill(scope Scope, formats Formats) (string, error) {
	switch t.place {
	case URL:
		return t.fillURL(scope, formats)
	case Address:
		return t.fillAddress(scope, formats)
	case XPath:
		return t.fillXPath(scope, formats)
	case Expression:
		return t.fillExpression(scope, formats)
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.value == nil {
			b.WriteString(t.written(p.literal))
			continue
		}
		v, err := p.value.resolve(scope, formats)
		if err != nil {
			return "", err
		}
		text, err := escape(v, t.place, p.value)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Value returns the value of a template that is one placeholder, with its own
// type; of any other template, the filled text.
func (t Template) Value(scope Scope, formats Formats) (any, error) {
	if !t.Sole() {
		return t.Fill(scope, formats)
	}
	v, err := t.parts[0].value.resolve(scope, formats)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case encodedPath:
		return string(v), nil
	case rawJSON:
		return string(v), nil
	}
	return v, nil
}
