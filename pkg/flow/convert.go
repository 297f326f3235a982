package flow

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// convert makes a field's value from what the page gave: match, map, then as.
// It returns nil when there is none.
func (s *Site) convert(f *field, raw any) (any, error) {
	if text, ok := raw.(string); ok && f.match != nil {
		groups := f.match.FindStringSubmatch(text)
		switch {
		case groups == nil:
			raw = nil
		case len(groups) == 1:
			raw = groups[0]
		default:
			raw = groups[1]
		}
	}
	if raw == nil || raw == "" {
		return f.fallback, nil
	}
	if f.mapping != nil {
		mapped, listed := f.mapping[fmt.Sprint(raw)]
		if !listed && !f.hasDefault {
			return nil, &fieldError{f, "map does not list the value"}
		}
		if !listed {
			return f.fallback, nil
		}
		raw = mapped
	}
	text, ok := raw.(string)
	if !ok { // a property, an expression or a mapped value brings its own kind
		return raw, nil
	}
	v, err := s.as(f.as, strings.TrimSpace(text))
	if err != nil {
		return nil, &fieldError{f, err.Error()}
	}
	return v, nil
}

func (s *Site) as(kind, text string) (any, error) {
	switch kind {
	case "integer":
		n, err := s.number(text)
		if err != nil || strings.Contains(n, ".") {
			return nil, fmt.Errorf("the value is no whole number; match can cut it out")
		}
		return json.Number(n), nil
	case "decimal":
		n, err := s.number(text)
		if err != nil {
			return nil, err
		}
		return json.Number(n), nil
	case "money":
		return s.money(text)
	case "date":
		t, err := s.date(text, s.datePatterns, "2006-01-02")
		if err != nil {
			return nil, err
		}
		return t.Format(time.DateOnly), nil
	case "datetime":
		t, err := s.date(text, s.timePatterns, time.RFC3339)
		if err != nil {
			return nil, err
		}
		return t.Format(time.RFC3339), nil
	case "boolean":
		return boolean(text)
	}
	return text, nil
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// number reads a number as the site writes it and returns it as JSON does.
func (s *Site) number(text string) (string, error) {
	text = strings.NewReplacer("\u2212", "-", "\u00a0", " ", "\u202f", " ", "\u2019", "'").Replace(text)
	mark := s.formats.Decimal
	whole, fraction, fractional := strings.Cut(strings.TrimSpace(text), mark)
	if at := strings.LastIndex(whole, s.group); at >= 0 && len(whole)-at-len(s.group) != 3 {
		return "", fmt.Errorf("the value is not written as the site's numbers are") // 24,99 is not 2499
	}
	text = strings.ReplaceAll(whole, s.group, "")
	if fractional {
		text += "." + fraction
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "+")
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	whole, fraction, _ = strings.Cut(text, ".")
	if trimmed := strings.TrimLeft(whole, "0"); trimmed != "" && whole != "" {
		whole = trimmed
	} else if whole != "" {
		whole = "0"
	}
	number := sign + whole
	if fraction != "" {
		number += "." + fraction
	}
	if !plainNumber.MatchString(number) {
		return "", fmt.Errorf("the value is no number; match can cut it out")
	}
	return number, nil
}

// currencies are the signs that stand for one currency alone; a plain $, kr or
// ¥ means the site's own.
var currencies = map[string]string{
	"€": "EUR", "£": "GBP", "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
	"₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₪": "ILS", "zł": "PLN", "Kč": "CZK", "R$": "BRL", "CHF": "CHF",
}

// ownSigns mean the site's currency, or the one given when it names none.
var ownSigns = map[string]string{"$": "USD", "¥": "JPY", "kr": "", "kr.": "", "Fr.": "CHF", "": ""}

var (
	amountInMoney = regexp.MustCompile(`[0-9](?:[0-9.,'’\s\x{00a0}\x{202f}]*[0-9])?`)
	isoCode       = regexp.MustCompile(`^[A-Z]{3}$`)
)

// money reads an amount with its currency, such as "$24.99" or "24,99 €".
func (s *Site) money(text string) (any, error) {
	at := amountInMoney.FindStringIndex(text)
	if at == nil {
		return nil, fmt.Errorf("the value is no amount of money")
	}
	around := text[:at[0]] + " " + text[at[1]:]
	negative := strings.ContainsAny(around, "-\u2212")
	sign := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '-' || r == '\u2212' || r == '\u00a0' {
			return ' '
		}
		return r
	}, around))
	currency, err := s.currencyOf(sign)
	if err != nil {
		return nil, err
	}
	amount, err := s.number(text[at[0]:at[1]])
	if err != nil {
		return nil, err
	}
	if negative {
		amount = "-" + amount
	}
	return map[string]any{"amount": amount, "currency": currency}, nil
}

func (s *Site) currencyOf(sign string) (string, error) {
	if code, ok := currencies[sign]; ok {
		return code, nil
	}
	if isoCode.MatchString(sign) {
		return sign, nil
	}
	code, own := ownSigns[sign]
	if !own {
		return "", fmt.Errorf("the value has more than an amount and its currency; match can cut it out")
	}
	if s.currency != "" {
		code = s.currency
	}
	if code == "" {
		return "", fmt.Errorf("the value names no currency; site.yaml may name the site's own")
	}
	return code, nil
}

func (s *Site) date(text string, patterns []datepattern.Pattern, layout string) (time.Time, error) {
	for _, p := range patterns {
		if t, err := p.Read(text, s.location()); err == nil {
			return t, nil
		}
	}
	if t, err := time.ParseInLocation(layout, text, s.location()); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("the value is not written as the site's dates and times are")
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
		return nil, fmt.Errorf("the value is neither yes nor no; map can say which")
	}
	return b, nil
}
