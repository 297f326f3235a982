package sandbox

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Cents is an amount in US dollars.
type Cents int64

// String writes an amount as the application shows it, such as $1,234.50.
func (c Cents) String() string {
	whole := strconv.FormatInt(int64(c)/100, 10)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return fmt.Sprintf("$%s.%02d", whole, int64(c)%100)
}

// Plain writes an amount as it stands in a form, such as 1234.50.
func (c Cents) Plain() string { return fmt.Sprintf("%d.%02d", int64(c)/100, int64(c)%100) }

// dayFormat is how the application writes dates.
const dayFormat = "01/02/2006"

// day writes a date; none is nothing.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(dayFormat)
}

// Day writes a date as the application does; templates use it.
func (e Employee) Day(t time.Time) string { return day(t) }

// Day writes a date as the application does; templates use it.
func (i Invoice) Day(t time.Time) string { return day(t) }

var decimal = regexp.MustCompile(`^\d{1,10}(\.\d{1,2})?$`)

// hundredths reads a number with at most two decimals, in hundredths.
func hundredths(text string) (n int64, ok bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if !decimal.MatchString(text) {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return int64(math.Round(number * 100)), err == nil
}
