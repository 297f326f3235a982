package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// MaxDataBytes is the largest Data an event may have. With its headers such
// an event stays below the 1 MiB that a NATS server accepts by default; a
// larger one could be stored and never be published.
const MaxDataBytes = 768 << 10

// maxAttributeBytes bounds every other field of an event.
const maxAttributeBytes = 256

// endOfTime is the first second of the year 10000, which RFC 3339 cannot write.
const endOfTime = 253402300800

// Event is one fact in the log. The caller of an append fills in ID, Type,
// Integration, Operation, Command, Caller, Account and Data; the log fills in
// Stream, Version, Time, PrevHash and Hash, and later Seq.
type Event struct {
	ID          string          `json:"id"`                  // unique in the whole log; see NewID
	Type        string          `json:"type"`                // one of the Type constants
	Stream      string          `json:"stream"`              // see CommandStream, SessionStream, AccountStream, SiteStream
	Version     int64           `json:"version"`             // place in its stream, from 1
	Time        time.Time       `json:"time"`                // when the log recorded it; UTC, whole microseconds
	Integration string          `json:"integration"`         // such as "marketplace"
	Operation   string          `json:"operation,omitempty"` // such as "buy-now"; empty if it belongs to none
	Command     string          `json:"command,omitempty"`   // id of the command that caused it
	Caller      string          `json:"caller,omitempty"`    // id of the caller on whose behalf it happened
	Account     string          `json:"account,omitempty"`   // id of the account that it concerns
	Data        json.RawMessage `json:"data"`                // the payload, byte for byte as it was appended
	Seq         int64           `json:"seq,omitempty"`       // place in the whole log, from 1, dense; 0 until sequenced
	PrevHash    []byte          `json:"prevHash,omitempty"`  // Hash of the stream's event before; empty for the first
	Hash        []byte          `json:"hash,omitempty"`      // see Hash

	// Replay is the id of the replay that sent this copy of the event once
	// more. It is empty in the log and in JetStream's copy of it; Hash does not
	// cover it.
	Replay string `json:"replay,omitempty"`
}

// NewID returns an id for a new event. Ids rise with time, which keeps the
// log's indexes dense. A writer that may have to repeat an append chooses the
// ids itself, before the first attempt.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// CommandStream names the stream of a command.
func CommandStream(id string) string { return "command/" + id }

// SessionStream names the stream of a session.
func SessionStream(id string) string { return "session/" + id }

// AccountStream names the stream of an account.
func AccountStream(id string) string { return "account/" + id }

// SiteStream names the stream of a site of an integration.
func SiteStream(integration, site string) string { return "site/" + integration + "/" + site }

// Validate reports the first of the writer's fields that an event cannot
// have. It does not look at what the log fills in.
func (e Event) Validate() error {
	if err := validateWritten(e); err != nil {
		return err
	}
	if !json.Valid(e.Data) {
		return errors.New("event data is not JSON")
	}
	return nil
}

// validateWritten checks all of the writer's fields, and of Data only its
// length: a verifier has no need to read what the hash covers anyway.
func validateWritten(e Event) error {
	switch {
	case e.ID == "":
		return errors.New("event has no id")
	case !isType(e.Type):
		return fmt.Errorf("event type %q is not of the form noun.verb", e.Type)
	case !isToken(e.Integration):
		return fmt.Errorf("event integration %q is not lower-case words joined by hyphens", e.Integration)
	case e.Operation != "" && !isToken(e.Operation):
		return fmt.Errorf("event operation %q is not lower-case words joined by hyphens", e.Operation)
	case len(e.Data) > MaxDataBytes:
		return fmt.Errorf("event data has %d bytes; the most is %d", len(e.Data), MaxDataBytes)
	}
	for _, a := range [...]struct{ name, value string }{
		{"id", e.ID},
		{"type", e.Type},
		{"integration", e.Integration},
		{"operation", e.Operation},
		{"command", e.Command},
		{"caller", e.Caller},
		{"account", e.Account},
	} {
		if err := validateAttribute(a.name, a.value); err != nil {
			return err
		}
	}
	return nil
}

// validatePlaced checks an event together with what an append has filled in.
func validatePlaced(e Event) error {
	if err := validateWritten(e); err != nil {
		return err
	}
	if err := ValidateStream(e.Stream); err != nil {
		return err
	}
	wantPrev := 32
	if e.Version == 1 {
		wantPrev = 0
	}
	switch {
	case e.Version < 1:
		return fmt.Errorf("event %s has version %d; the first is 1", e.ID, e.Version)
	case e.Time.Unix() < 0 || e.Time.Unix() >= endOfTime:
		return fmt.Errorf("event %s has the time %v", e.ID, e.Time)
	case e.Time.Nanosecond()%1000 != 0:
		return fmt.Errorf("event %s has the time %v, which is not in whole microseconds", e.ID, e.Time)
	case len(e.Hash) != 32:
		return fmt.Errorf("event %s has a hash of %d bytes, not 32", e.ID, len(e.Hash))
	case len(e.PrevHash) != wantPrev:
		return fmt.Errorf("event %s has a predecessor's hash of %d bytes, not %d", e.ID, len(e.PrevHash), wantPrev)
	}
	return nil
}

// ValidateStream reports why a stream cannot have a name, if it cannot.
func ValidateStream(name string) error {
	if name == "" {
		return errors.New("event stream has no name")
	}
	return validateAttribute("stream", name)
}

// validateAttribute checks a value against the String type of CloudEvents
// 1.0 (section 3.1): no control characters, no surrogates, no noncharacters.
func validateAttribute(name, v string) error {
	if len(v) > maxAttributeBytes {
		return fmt.Errorf("event %s has %d bytes; the most is %d", name, len(v), maxAttributeBytes)
	}
	if !isPrintable(v) && (!utf8.ValidString(v) || strings.ContainsFunc(v, forbidden)) {
		return fmt.Errorf("event %s holds characters that CloudEvents forbids", name)
	}
	return nil
}

// isPrintable tells whether v is of printable ASCII alone, as most values are:
// that is seen at a glance.
func isPrintable(v string) bool {
	for i := range len(v) {
		if v[i] < ' ' || v[i] > '~' {
			return false
		}
	}
	return true
}

// isToken tells whether v is lower-case words joined by hyphens.
func isToken(v string) bool {
	wordBefore := false // a hyphen stands behind a word, and so does the end
	for i := range len(v) {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			wordBefore = true
		case c == '-' && wordBefore:
			wordBefore = false
		default:
			return false
		}
	}
	return wordBefore
}

// isType tells whether v is two tokens joined by a dot.
func isType(v string) bool {
	noun, verb, found := strings.Cut(v, ".")
	return found && isToken(noun) && isToken(verb)
}

func forbidden(r rune) bool {
	return unicode.IsControl(r) || r&0xFFFE == 0xFFFE || (r >= 0xFDD0 && r <= 0xFDEF)
}
