package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Faults are the troubles that can be switched on at a stand-in. The zero
// value is a site in good health. Where several rules fit a request, all act,
// in the order of the fields; of one list, the first that fits acts.
//
//	{"slow": [{"path": "/search", "delayMs": 2000}],
//	 "failing": [{"method": "POST", "path": "/cart", "status": 500, "times": 1}],
//	 "hangUp": [{"path": "/buy-now", "when": "after", "times": 1}],
//	 "signedOut": [{"path": "/dp/*", "times": 1}],
//	 "markup": ["new-ids"]}
type Faults struct {
	// Slow holds answers back.
	Slow []Slow `json:"slow,omitempty"`
	// SignedOut ends the sign-in of the session that sent the request.
	SignedOut []Rule `json:"signedOut,omitempty"`
	// Failing answers an error in the site's stead.
	Failing []Failing `json:"failing,omitempty"`
	// HangUp cuts the connection off without an answer.
	HangUp []Rule `json:"hangUp,omitempty"`
	// Markup lists variants of the pages; each site names its own.
	Markup []string `json:"markup,omitempty"`
}

// Rule says which requests a fault meets.
type Rule struct {
	Method string `json:"method,omitempty"` // such as "POST"; empty means any
	Path   string `json:"path"`             // "*" stands for any text, slashes too
	Skip   int    `json:"skip,omitempty"`   // this many fitting requests pass unharmed first
	Times  int    `json:"times,omitempty"`  // this many are met; zero means all
	// When says whether the trouble comes "before" the site carries the
	// request out (the default) or "after": then it is done, and only the
	// answer is lost or late.
	When When `json:"when,omitempty"`
}

// When is a moment in the life of a request.
type When string

// The moments.
const (
	Before When = "before"
	After  When = "after"
)

// Slow is a rule that holds answers back for a while.
type Slow struct {
	Rule
	DelayMS int `json:"delayMs"` // milliseconds, 1 to 60000
}

// Failing is a rule that answers an HTTP error.
type Failing struct {
	Rule
	Status int `json:"status"` // 400 to 599
}

// Losing has such requests answered 502 Bad Gateway, before the site carries
// them out or after; the answer does not tell the client which.
func Losing(method, path string, when When) Faults {
	return Faults{Failing: []Failing{{Rule: Rule{Method: method, Path: path, When: when}, Status: http.StatusBadGateway}}}
}

// Bounds of what can be put.
const (
	maxRules   = 50
	maxText    = 200
	maxCount   = 1_000_000
	maxDelayMS = 60_000
)

// DecodeFaults reads faults from JSON. Unknown fields, trailing text, values
// out of bounds and variants of the markup that are not listed are errors.
func DecodeFaults(r io.Reader, markup []string) (Faults, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return Faults{}, fmt.Errorf("read faults: %w", err)
	}
	if !utf8.Valid(body) {
		return Faults{}, errors.New("faults: not valid UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	var f Faults
	if err := decoder.Decode(&f); err != nil {
		return Faults{}, fmt.Errorf("faults: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Faults{}, errors.New("faults: text after the object")
	}
	if err := f.check(markup); err != nil {
		return Faults{}, fmt.Errorf("faults: %w", err)
	}
	return f, nil
}

func (f Faults) check(markup []string) error {
	for i, s := range f.Slow {
		if s.DelayMS < 1 || s.DelayMS > maxDelayMS {
			return fmt.Errorf("slow[%d]: delayMs must be 1 to %d", i, maxDelayMS)
		}
	}
	for i, r := range f.Failing {
		if r.Status < http.StatusBadRequest || r.Status > 599 {
			return fmt.Errorf("failing[%d]: status must be 400 to 599", i)
		}
	}
	if len(f.Markup) > maxRules {
		return fmt.Errorf("markup: more than %d entries", maxRules)
	}
	for i, name := range f.Markup {
		if !slices.Contains(markup, name) {
			return fmt.Errorf("markup[%d]: %q is none of %q", i, name, markup)
		}
	}
	return errors.Join(
		checkRules("slow", f.Slow),
		checkRules("signedOut", f.SignedOut),
		checkRules("failing", f.Failing),
		checkRules("hangUp", f.HangUp),
	)
}

func checkRules[R ruled](list string, rules []R) error {
	if len(rules) > maxRules {
		return fmt.Errorf("%s: more than %d entries", list, maxRules)
	}
	for i, r := range rules {
		if err := r.rule().check(); err != nil {
			return fmt.Errorf("%s[%d]: %w", list, i, err)
		}
	}
	return nil
}

func (r Rule) check() error {
	switch {
	case !strings.HasPrefix(r.Path, "/") && !strings.HasPrefix(r.Path, "*"):
		return errors.New("path must start with / or *")
	case len(r.Path) > maxText || len(r.Method) > maxText:
		return fmt.Errorf("method or path is longer than %d bytes", maxText)
	case r.Skip < 0 || r.Skip > maxCount || r.Times < 0 || r.Times > maxCount:
		return fmt.Errorf("skip and times must be 0 to %d", maxCount)
	case r.When != "" && r.When != Before && r.When != After:
		return fmt.Errorf("when must be %q or %q", Before, After)
	}
	return nil
}

// fits says whether the rule is about such a request, whatever its counts.
func (r Rule) fits(method, path string) bool {
	return (r.Method == "" || r.Method == method) && matches(r.Path, path)
}

// matches compares text with a pattern in which "*" stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, middle, last := parts[0], parts[1:len(parts)-1], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for _, part := range middle {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}

func (f Faults) clone() Faults {
	return Faults{
		Slow:      slices.Clone(f.Slow),
		SignedOut: slices.Clone(f.SignedOut),
		Failing:   slices.Clone(f.Failing),
		HangUp:    slices.Clone(f.HangUp),
		Markup:    slices.Clone(f.Markup),
	}
}
