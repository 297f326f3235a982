package placeholder

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

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
