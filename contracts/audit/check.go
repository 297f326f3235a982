package audit

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"integration.gateway/contracts"
)

// check checks the query of a list: the texts by the names of their
// parameters, and since and until where both are given.
func check(since, until time.Time, texts map[string]string) error {
	for name, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return contracts.Errorf(contracts.Invalid, "query.%s has control characters in it", name)
		}
	}
	if !since.IsZero() && !until.IsZero() && !since.Before(until) {
		return contracts.Errorf(contracts.Invalid, "query.since must be before query.until")
	}
	return nil
}
