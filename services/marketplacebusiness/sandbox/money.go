package sandbox

import (
	"fmt"
	"strconv"
)

// Money is an amount in US cents.
type Money int

// String writes the amount as a US shop does, such as "$1,049.00".
func (m Money) String() string {
	dollars := strconv.Itoa(int(m) / 100)
	for i := len(dollars) - 3; i > 0; i -= 3 {
		dollars = dollars[:i] + "," + dollars[i:]
	}
	return fmt.Sprintf("$%s.%02d", dollars, int(m)%100)
}
