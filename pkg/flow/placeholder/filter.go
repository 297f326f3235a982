package placeholder

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"integration.gateway/pkg/flow/datepattern"
)

// Formats are a site's ways to write dates and numbers. The zero value writes
// ISO dates in UTC and a decimal point.
type Formats struct {
	Dates    string         // pattern of a date; empty: YYYY-MM-DD
	Location *time.Location // where the site's clock stands; nil: UTC
	Decimal  string         // decimal mark; empty: "."
}

func (f Formats) location() *time.Location {
	if f.Location == nil {
		return time.UTC
	}
	return f.Location
}

// encodedPath is text that is percent-encoded already; rawJSON is JSON text.
type (
	encodedPath string
	rawJSON     string
)

// filter turns one value into another. Its errors never hold the value.
type filter func(v any, args []string, formats Formats) (any, error)

type kind struct {
	apply    filter
	min, max int                  // arguments
	check    func([]string) error // of the arguments, when the flow is read
}

// maxLength bounds a value between filters: a chain of them could make much of
// little.
const maxLength = 4 << 20

var errTooLong = fmt.Errorf("the value grows beyond %d bytes", maxLength)

func (k kind) arity() string {
	if k.min == k.max {
		return fmt.Sprintf("%d argument(s)", k.min)
	}
	return fmt.Sprintf("%d to %d arguments", k.min, k.max)
}

var filters = map[string]kind{
	"date":    {apply: date, max: 1, check: checkDate},
	"plus":    {apply: arithmetic(decimal.Decimal.Add), min: 1, max: 1, check: checkNumber},
	"minus":   {apply: arithmetic(decimal.Decimal.Sub), min: 1, max: 1, check: checkNumber},
	"times":   {apply: arithmetic(decimal.Decimal.Mul), min: 1, max: 1, check: checkNumber},
	"join":    {apply: join, min: 1, max: 1},
	"default": {min: 1, max: 1}, // see orDefault
	"map":     {apply: mapped, min: 1, max: 1, check: checkMap},
	"match":   {apply: match, min: 1, max: 1, check: checkMatch},
	"digits":  {apply: texts(digits)},
	"lower":   {apply: texts(strings.ToLower)},
	"upper":   {apply: texts(strings.ToUpper)},
	"replace": {apply: replace, min: 2, max: 2, check: checkReplace},
	"number":  {apply: number, min: 1, max: 1, check: checkPlaces},
	"json":    {apply: toJSON},
	"path":    {apply: toPath},
}

// texts makes a filter of a function on text.
func texts(f func(string) string) filter {
	return func(v any, _ []string, _ Formats) (any, error) {
		s, err := text(v)
		if err != nil {
			return nil, err
		}
		return f(s), nil
	}
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

func checkReplace(args []string) error {
	if args[0] == "" {
		return errors.New("the text to replace is empty")
	}
	return nil
}

func replace(v any, args []string, _ Formats) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	if len(s)+strings.Count(s, args[0])*(len(args[1])-len(args[0])) > maxLength {
		return nil, errTooLong
	}
	return strings.ReplaceAll(s, args[0], args[1]), nil
}

// orDefault is what default applies; fallback is its argument.
func orDefault(fallback any) filter {
	return func(v any, _ []string, _ Formats) (any, error) {
		list, isList := v.([]any)
		if _, none := v.(missing); none || v == "" || isList && len(list) == 0 {
			return fallback, nil
		}
		return v, nil
	}
}

// bare is the value of an argument without quotes: a number, true or false, or
// a word.
func bare(text string) any {
	switch {
	case text == "true", text == "false":
		return text == "true"
	case json.Valid([]byte(text)):
		return json.Number(text)
	}
	return text
}

func join(v any, args []string, _ Formats) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("the value is not a list")
	}
	items := make([]string, len(list))
	length := 0
	for i, item := range list {
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		items[i] = s
		if length += len(s) + len(args[0]); length > maxLength {
			return nil, errTooLong
		}
	}
	return strings.Join(items, args[0]), nil
}

func checkMap(args []string) error {
	for pair := range strings.SplitSeq(args[0], ",") {
		if !strings.Contains(pair, "=") {
			return fmt.Errorf("%q is not written from=to", pair)
		}
	}
	return nil
}

func mapped(v any, args []string, _ Formats) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	for pair := range strings.SplitSeq(args[0], ",") {
		if from, to, _ := strings.Cut(pair, "="); strings.TrimSpace(from) == s {
			return strings.TrimSpace(to), nil
		}
	}
	return missing{reason: "filter map does not list the value"}, nil
}

func checkMatch(args []string) error {
	_, err := regexp.Compile(args[0])
	return err
}

func match(v any, args []string, _ Formats) (any, error) {
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(args[0])
	if err != nil {
		return nil, err
	}
	groups := re.FindStringSubmatch(s)
	switch len(groups) {
	case 0:
		return missing{reason: "filter match does not match the value"}, nil
	case 1:
		return groups[0], nil
	}
	return groups[1], nil
}

func checkNumber(args []string) error {
	if _, err := parseDecimal(args[0]); err != nil {
		return fmt.Errorf("%q is not a number", args[0])
	}
	return nil
}

func arithmetic(op func(a, b decimal.Decimal) decimal.Decimal) filter {
	return func(v any, args []string, _ Formats) (any, error) {
		a, err := toDecimal(v)
		if err != nil {
			return nil, err
		}
		b, err := parseDecimal(args[0])
		if err != nil {
			return nil, err
		}
		return json.Number(op(a, b).String()), nil
	}
}

func checkPlaces(args []string) error {
	if n, err := strconv.Atoi(args[0]); err != nil || n < 0 || n > 20 {
		return fmt.Errorf("%q is not a number of decimals from 0 to 20", args[0])
	}
	return nil
}

func number(v any, args []string, formats Formats) (any, error) {
	d, err := toDecimal(v)
	if err != nil {
		return nil, err
	}
	places, err := strconv.Atoi(args[0])
	if err != nil {
		return nil, err
	}
	s := d.StringFixed(int32(places)) //nolint:gosec // checkPlaces bounds it
	if formats.Decimal != "" {
		s = strings.Replace(s, ".", formats.Decimal, 1)
	}
	return s, nil
}

func toDecimal(v any) (decimal.Decimal, error) {
	s, err := text(v)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return parseDecimal(s)
}

// parseDecimal bounds the exponent: 1e999999999 would be written out in full.
func parseDecimal(s string) (decimal.Decimal, error) {
	s = strings.TrimSpace(s)
	d, err := decimal.NewFromString(s)
	if err != nil || len(s) > 100 || d.Exponent() > 50 || d.Exponent() < -50 {
		return decimal.Decimal{}, errors.New("the value is not a number")
	}
	return d, nil
}

func checkDate(args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, err := datepattern.Parse(args[0])
	return err
}

// dateLayouts are the forms in which a contract carries dates and times.
var dateLayouts = []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", time.TimeOnly, "15:04"}

func date(v any, args []string, formats Formats) (any, error) {
	source := "YYYY-MM-DD"
	if formats.Dates != "" {
		source = formats.Dates
	}
	if len(args) > 0 {
		source = args[0]
	}
	pattern, err := datepattern.Parse(source)
	if err != nil {
		return nil, err
	}
	if t, ok := v.(time.Time); ok {
		return pattern.Format(t.In(formats.location())), nil
	}
	s, err := text(v)
	if err != nil {
		return nil, err
	}
	for i, layout := range dateLayouts {
		t, err := time.ParseInLocation(layout, s, formats.location())
		if err != nil {
			continue
		}
		if i == 0 { // only an instant moves with the zone
			t = t.In(formats.location())
		}
		return pattern.Format(t), nil
	}
	return nil, errors.New("the value is not an ISO date or time")
}

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
