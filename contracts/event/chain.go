package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// hashDomain sets these hashes apart from all others; a new layout gets a
// new name.
const hashDomain = "integration.gateway/event/v1"

// Hash computes what e.Hash must be: SHA-256 over a text in UTF-8, which
// begins with
//
//	integration.gateway/event/v1 Version Time
//
// (Time in microseconds since 1970), goes on with these fields, each preceded
// by its length in bytes,
//
//	PrevHash (in hexadecimal), ID, Type, Stream,
//	Integration, Operation, Command, Caller, Account
//
// and ends with the length of Data and Data as it is. Numbers are decimal.
// One space stands after each number and after each field but Data.
//
// Seq is left out: it is given later, and the order of the whole log has a
// proof of its own. Data counts as stored, sealed fields sealed, so that
// erasing a key never breaks a chain.
func Hash(e Event) []byte {
	b := make([]byte, 0, 512+len(e.Data))
	b = fmt.Appendf(b, "%s %d %d ", hashDomain, e.Version, e.Time.UnixMicro())
	for _, field := range [...]string{
		hex.EncodeToString(e.PrevHash), e.ID, e.Type, e.Stream,
		e.Integration, e.Operation, e.Command, e.Caller, e.Account,
	} {
		b = fmt.Appendf(b, "%d %s ", len(field), field)
	}
	b = fmt.Appendf(b, "%d ", len(e.Data))
	b = append(b, e.Data...)
	sum := sha256.Sum256(b)
	return sum[:]
}

// VerifyStream checks a whole stream from its first event on: one stream,
// no version missing, doubled or swapped, every event as it was hashed, every
// event linked to its predecessor. The error names the first event that is
// wrong. A tail that was cut off does not show here; the log's checkpoints
// show it.
func VerifyStream(events []Event) error {
	var prev Event
	for i, e := range events {
		if err := follows(prev, e, i); err != nil {
			return fmt.Errorf("stream %s, event %d (id %s, version %d): %w", events[0].Stream, i+1, e.ID, e.Version, err)
		}
		prev = e
	}
	return nil
}

func follows(prev, e Event, i int) error {
	switch {
	case i > 0 && e.Stream != prev.Stream:
		return fmt.Errorf("it belongs to stream %s", e.Stream)
	case e.Version != prev.Version+1:
		return fmt.Errorf("version %d was expected", prev.Version+1)
	case !bytes.Equal(e.PrevHash, prev.Hash):
		return fmt.Errorf("it does not carry its predecessor's hash")
	case !bytes.Equal(e.Hash, Hash(e)):
		return fmt.Errorf("its hash does not match its content")
	}
	return nil
}
