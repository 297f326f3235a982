package sandbox

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// cents are an amount of US dollars.
type cents int64

// String writes the amount as it is shown, such as "$1,240.50".
func (c cents) String() string {
	whole := strconv.FormatInt(int64(c/100), 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return fmt.Sprintf("$%s.%02d", whole, c%100)
}

// plain writes the amount as it is typed, such as "1240.50".
func (c cents) plain() string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

var typedAmount = regexp.MustCompile(`^\$?(\d{1,6})(?:\.(\d{2}))?$`)

// parseCents reads what was typed as an amount.
func parseCents(text string) (cents, bool) {
	parts := typedAmount.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(text), ",", ""))
	if parts == nil {
		return 0, false
	}
	whole, _ := strconv.ParseInt(parts[1], 10, 64) // the pattern allows digits only
	part, _ := strconv.ParseInt("0"+parts[2], 10, 64)
	return cents(100*whole + part), true
}
