package placeholder

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
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
