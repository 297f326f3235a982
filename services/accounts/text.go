package accounts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"integration.gateway/contracts"
)

// newID returns the id of a new caller, token or account. Ids rise with time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// isID says whether text has the form of an id. What has not is the id of
// nothing, and need not be looked up.
func isID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil && len(text) == len(uuid.UUID{}.String())
}

// checkText refuses texts that would not be shown as they are, or that the
// database cannot hold.
func checkText(field, text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return contracts.Errorf(contracts.Invalid, "body.%s has control characters in it", field)
	}
	return nil
}
