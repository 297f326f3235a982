package flow

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/currency"
)

// plainNumber is a number as JSON writes it, without an exponent.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// maxDigits bounds a number that is read.
const maxDigits = 60

var errNumber = errors.New("the value is no number; match can cut it out")

// numberOf reads a number of a page as the site writes it; in JSON, also as
// JSON does, unless the two differ.
func (s *Site) numberOf(f *field, text string) (string, error) {
	n, err := s.number(text)
	if !f.json || !plainNumber.MatchString(text) || len(text) > maxDigits {
		return n, err
	}
	if err == nil && n != plain(text) {
		return "", errors.New("the value means one number as the site writes them and another as JSON does")
	}
	return plain(text), nil
}

// plain takes the sign from a zero.
func plain(number string) string {
	if strings.Trim(number, "-0.") == "" {
		return strings.TrimPrefix(number, "-")
	}
	return number
}

// oneSpelling gives signs that look alike one spelling.
var oneSpelling = strings.NewReplacer("\u2212", "-", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2019", "'", "\ufe63", "-", "\uff0d", "-")

// number reads a number as the site writes it and returns it as JSON does.
// Marks between thousands may be left out, but not stand elsewhere: 24,99 is
// not 2499.
func (s *Site) number(text string) (string, error) {
	text = strings.TrimSpace(oneSpelling.Replace(text))
	if len(text) > maxDigits {
		return "", errNumber
	}
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", strings.TrimSpace(rest)
	} else {
		text = strings.TrimSpace(strings.TrimPrefix(text, "+"))
	}
	whole, fraction, _ := strings.Cut(text, s.decimal())
	whole, err := s.ungrouped(whole)
	if err != nil {
		return "", err
	}
	if trimmed := strings.TrimLeft(whole, "0"); whole != "" {
		whole = trimmed
		if whole == "" {
			whole = "0"
		}
	}
	number := sign + whole
	if fraction != "" {
		number += "." + fraction
	}
	if !plainNumber.MatchString(number) {
		return "", errNumber
	}
	return plain(number), nil
}

// ungrouped takes the marks between thousands out: the last group has three
// digits, those before it three, or two as in India.
func (s *Site) ungrouped(whole string) (string, error) {
	groups := strings.Split(whole, oneSpelling.Replace(s.groupMark()))
	for i, g := range groups {
		first, last := i == 0, i == len(groups)-1
		fits := len(g) == 3 || !last && len(g) == 2 || first && !last && len(g) == 1
		if len(groups) > 1 && !fits {
			return "", errors.New("the value is not written as the site's numbers are")
		}
	}
	return strings.Join(groups, ""), nil
}

func (s *Site) decimal() string {
	if s.formats.Decimal == "" {
		return "."
	}
	return s.formats.Decimal
}

func (s *Site) groupMark() string {
	if s.group == "" {
		return ","
	}
	return s.group
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
	amountInMoney = regexp.MustCompile(`[0-9](?:[0-9.,'\s]*[0-9])?`)
	noCents       = regexp.MustCompile(`^[.,][-\x{2013}\x{2014}]{1,2}`) // 5,- and 5.–
	inBrackets    = regexp.MustCompile(`^\((.*)\)$`)                    // as bookkeepers write what is negative
)

// money reads an amount with its currency, such as "$24.99" or "24,99 €".
func (s *Site) money(text string) (any, error) {
	text = oneSpelling.Replace(text)
	brackets := inBrackets.FindStringSubmatch(strings.TrimSpace(text))
	if brackets != nil {
		text = brackets[1]
	}
	at := amountInMoney.FindStringIndex(text)
	if at == nil {
		return nil, errors.New("the value is no amount of money")
	}
	around := text[:at[0]] + " " + noCents.ReplaceAllString(text[at[1]:], "")
	minuses := strings.Count(around, "-")
	if minuses > 1 || minuses == 1 && brackets != nil {
		return nil, errors.New("the value is no amount of money")
	}
	code, err := s.currencyOf(strings.Fields(strings.ReplaceAll(around, "-", " ")))
	if err != nil {
		return nil, err
	}
	number, err := s.number(text[at[0]:at[1]])
	if err != nil {
		return nil, err
	}
	if minuses == 1 || brackets != nil {
		number = plain("-" + number)
	}
	return s.amount(number, code)
}

// amount makes money of a number; without a currency it is the site's.
func (s *Site) amount(number, code string) (any, error) {
	if code == "" {
		code = s.currency
	}
	if code == "" {
		return nil, fmt.Errorf("the value names no currency; site.yaml may name the site's own")
	}
	return map[string]any{"amount": number, "currency": code}, nil
}

// currencyOf tells the currency that the words around an amount name: a sign,
// a code, or a sign with its code, as in "$24.99 USD". Empty means the site's.
func (s *Site) currencyOf(words []string) (string, error) {
	code := ""
	for _, word := range words {
		found, err := s.currencyWord(word)
		if err != nil || len(words) > 2 {
			return "", errors.New("the value has more than an amount and its currency; match can cut it out")
		}
		_, vague := ownSigns[word]
		switch {
		case code == "" || code == found:
			code = found
		case vague: // what the other word says
		case len(words) == 2 && isVague(words[0]):
			code = found
		default:
			return "", errors.New("the value names two currencies")
		}
	}
	return code, nil
}

func isVague(word string) bool {
	_, vague := ownSigns[word]
	return vague
}

func (s *Site) currencyWord(word string) (string, error) {
	if code, ok := currencies[word]; ok {
		return code, nil
	}
	if code, own := ownSigns[word]; own {
		if s.currency != "" {
			code = s.currency
		}
		return code, nil
	}
	unit, err := currency.ParseISO(word)
	if err != nil || strings.ToUpper(word) != word {
		return "", errNumber
	}
	return unit.String(), nil
}
