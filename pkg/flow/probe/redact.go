package probe

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const redacted = "(redacted)"

// secretNames are names under which secrets stand.
var secretNames = regexp.MustCompile(`(?i)passw|pwd|\bpass\b|token|secret|csrf|xsrf|authori[sz]ation|cookie|session|api[-_]?key|jwt|credential|signature|\botp\b|\bsid\b|\bauth\b|nonce`)

// secretValue is a value that looks like a token wherever it stands.
var secretValue = regexp.MustCompile(`^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+|^(?i:bearer|basic) `)

// longToken is a value that looks like a key in a header of a page's own.
var longToken = regexp.MustCompile(`^[A-Za-z0-9+/=_.-]{20,}$`)

// browsers are the headers of a request that any browser sends.
var browsers = regexp.MustCompile(`(?i)^(?:accept.*|user-agent|content-type|content-length|referer|origin|sec-.*|cache-control|pragma|connection|host|upgrade-insecure-requests|dnt|priority)$`)

func isBrowsers(header string) bool { return browsers.MatchString(header) }

func redactedHeader(name, value string) string {
	if secretNames.MatchString(name) || secretValue.MatchString(value) || longToken.MatchString(value) {
		return redacted
	}
	return abridged(value)
}

// Redacted is an address without the secrets in its query, and without a user's
// name and password.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that cannot be read)"
	}
	u.User = nil
	u.RawQuery = redactedQuery(u.RawQuery)
	if strings.Contains(u.Fragment, "=") { // as in an answer of OAuth
		u.Fragment, u.RawFragment = redactedQuery(u.Fragment), ""
	}
	return strings.ReplaceAll(u.String(), url.QueryEscape(redacted), redacted)
}

// redactedQuery keeps a query's order.
func redactedQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		plainName, _ := url.QueryUnescape(name)
		plainValue, _ := url.QueryUnescape(value)
		if secretNames.MatchString(plainName) || secretValue.MatchString(plainValue) {
			parts[i] = name + "=" + url.QueryEscape(redacted)
		}
	}
	return strings.Join(parts, "&")
}

// redactedBody shows a request's body: JSON and forms without their secrets, of
// others the size.
func redactedBody(contentType, body string) string {
	var value any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	switch {
	case body == "":
		return ""
	case d.Decode(&value) == nil && !d.More():
		text, err := json.Marshal(redactedTree("", value))
		if err == nil {
			return long(string(text))
		}
	case strings.HasPrefix(contentType, "application/x-www-form-urlencoded"):
		return long(strings.ReplaceAll(redactedQuery(body), url.QueryEscape(redacted), redacted))
	}
	return fmt.Sprintf("(%d bytes of %s)", len(body), contentType)
}

func redactedTree(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for inner := range v {
			v[inner] = redactedTree(name+"."+inner, v[inner])
		}
	case []any:
		for i := range v {
			v[i] = redactedTree(name, v[i])
		}
	case string:
		if secretNames.MatchString(name) || secretValue.MatchString(v) {
			return redacted
		}
	case json.Number:
		if secretNames.MatchString(name) {
			return redacted
		}
	}
	return value
}

// Value is a value in an answer: where it stands, as a JSONPath, and what it
// is.
type Value struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // text, number, boolean, null, object or list
	Sample string `json:"sample,omitempty"`
}

const (
	maxPaths = 60
	maxItems = 20 // of a list that are looked at
)

// shapeOf lists the values of an answer, those of a list's items once. What
// stands inside of something that has the name of a secret is one.
func shapeOf(value any) []Value {
	list := []Value{}
	var walk func(path, name string, value any)
	walk = func(path, name string, value any) {
		kind, sample := "null", ""
		switch v := value.(type) {
		case map[string]any:
			for _, inner := range slices.Sorted(maps.Keys(v)) {
				walk(path+member(inner), name+"."+inner, v[inner])
			}
			return
		case []any:
			kind, sample = "list", fmt.Sprintf("%d items", len(v))
		case string:
			kind, sample = "text", abridged(v)
		case json.Number:
			kind, sample = "number", v.String()
		case bool:
			kind, sample = "boolean", fmt.Sprint(v)
		}
		text, _ := value.(string)
		if (kind == "text" || kind == "number") && (secretNames.MatchString(name) || secretValue.MatchString(text)) {
			sample = redacted
		}
		list = add(list, Value{path, kind, sample})
		if items, ok := value.([]any); ok {
			for _, item := range items[:min(maxItems, len(items))] {
				walk(path+"[*]", name, item)
			}
		}
	}
	walk("$", "", value)
	return list
}

// add adds a value, unless its path is there. A value stands in for null.
func add(list []Value, v Value) []Value {
	i := slices.IndexFunc(list, func(other Value) bool { return other.Path == v.Path })
	switch {
	case i >= 0 && list[i].Kind == "null":
		list[i] = v
	case i < 0 && len(list) < maxPaths:
		return append(list, v)
	}
	return list
}

// plainMember is a name that needs no brackets in a JSONPath.
var plainMember = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func member(name string) string {
	if plainMember.MatchString(name) {
		return "." + name
	}
	return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name) + "']"
}

func abridged(text string) string { return cut(text, 60) }

func long(text string) string { return cut(text, 400) }

func cut(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}
