package placeholder

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// encodedPath is text that is percent-encoded already; rawJSON is JSON text.
type (
	encodedPath string
	rawJSON     string
)

func toJSON(v any, _ []string, _ Formats) (any, error) {
	raw, err := literal(v)
	if err != nil {
		return nil, err
	}
	return rawJSON(raw), nil
}

func toPath(v any, _ []string, _ Formats) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(s, "/")
	for i, p := range parts {
		parts[i] = percentEncode(p)
	}
	return encodedPath(strings.Join(parts, "/")), nil
}

// text writes a single value as text.
func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case encodedPath:
		return string(v), nil
	case rawJSON:
		return string(v), nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case time.Time:
		return v.UTC().Format(time.RFC3339), nil
	}
	return "", errors.New("the value is a list or an object; use join, json or a dotted name")
}

// literal writes any value as JSON.
func literal(v any) (string, error) {
	switch v := v.(type) {
	case rawJSON:
		return string(v), nil
	case encodedPath:
		return literal(string(v))
	case time.Time:
		s, err := text(v) // as everywhere else
		if err != nil {
			return "", err
		}
		return literal(s)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "", errors.New("the value cannot be written as JSON")
	}
	return string(raw), nil
}
