package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// hashDomain sets these hashes apart from all others; a new layout gets a
// new name.
const hashDomain = "integration.gateway/event/v1"

// Hash computes what e.Hash must be: SHA-256 over the event's canonical text.
func Hash(e Event) []byte {
	sum := sha256.Sum256(AppendCanonical(make([]byte, 0, 512+len(e.Data)), e))
	return sum[:]
}

// AppendCanonical appends an event's canonical text to b: the text in UTF-8
// whose hash links the event into its stream and into the whole log. It
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
func AppendCanonical(b []byte, e Event) []byte {
	b = append(b, hashDomain...)
	b = append(b, ' ')
	b = appendNumber(b, e.Version)
	b = appendNumber(b, e.Time.UnixMicro())
	b = appendNumber(b, int64(hex.EncodedLen(len(e.PrevHash))))
	b = append(hex.AppendEncode(b, e.PrevHash), ' ')
	for _, field := range [...]string{
		e.ID, e.Type, e.Stream, e.Integration, e.Operation, e.Command, e.Caller, e.Account,
	} {
		b = appendNumber(b, int64(len(field)))
		b = append(append(b, field...), ' ')
	}
	b = appendNumber(b, int64(len(e.Data)))
	return append(b, e.Data...)
}

func appendNumber(b []byte, n int64) []byte {
	return append(strconv.AppendInt(b, n, 10), ' ')
}

// ParseCanonical reads a canonical text. It accepts what AppendCanonical
// writes for an event that the log can hold, and nothing else, so that an
// event has one text and a text one event. The event that it returns has its
// Hash, computed from the text, and no Seq. Its Data is part of text.
func ParseCanonical(text []byte) (Event, error) {
	rest, ok := bytes.CutPrefix(text, []byte(hashDomain+" "))
	if !ok {
		return Event{}, fmt.Errorf("canonical text does not begin with %q", hashDomain)
	}
	r := canonicalReader{rest: rest}
	e := Event{Version: r.number(), Time: time.UnixMicro(r.number()).UTC(), PrevHash: r.hash()}
	for _, field := range [...]*string{
		&e.ID, &e.Type, &e.Stream, &e.Integration, &e.Operation, &e.Command, &e.Caller, &e.Account,
	} {
		*field = string(r.field())
	}
	e.Data = json.RawMessage(r.last())
	if r.err != nil {
		return Event{}, fmt.Errorf("canonical text: %w", r.err)
	}
	sum := sha256.Sum256(text)
	e.Hash = sum[:]
	if err := validatePlaced(e); err != nil {
		return Event{}, err
	}
	return e, nil
}

// canonicalReader reads one part after the other and keeps the first error.
type canonicalReader struct {
	rest []byte
	err  error
}

func (r *canonicalReader) fail(err error) {
	if r.err == nil {
		r.err, r.rest = err, nil
	}
}

// number reads a number in its only decimal form, and the space after it.
func (r *canonicalReader) number() int64 {
	digits, rest, found := bytes.Cut(r.rest, []byte(" "))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if !found || err != nil || strconv.FormatInt(n, 10) != string(digits) {
		r.fail(errors.New("a number is missing or malformed"))
		return 0
	}
	r.rest = rest
	return n
}

// field reads a length and as many bytes, and the space after them.
func (r *canonicalReader) field() []byte {
	n := r.number()
	if r.err == nil && (n < 0 || n >= int64(len(r.rest)) || r.rest[n] != ' ') {
		r.fail(errors.New("a field does not end where its length says"))
	}
	if r.err != nil {
		return nil
	}
	field := r.rest[:n]
	r.rest = r.rest[n+1:]
	return field
}

// hash reads a hash in lower-case hexadecimal, or an empty field.
func (r *canonicalReader) hash() []byte {
	field := r.field()
	if len(field) == 0 {
		return nil
	}
	hash, err := hex.DecodeString(string(field))
	if err != nil || hex.EncodeToString(hash) != string(field) {
		r.fail(errors.New("the predecessor's hash is not in lower-case hexadecimal"))
	}
	return hash
}

// last reads a length and the bytes up to the end.
func (r *canonicalReader) last() []byte {
	n := r.number()
	if r.err == nil && n != int64(len(r.rest)) {
		r.fail(errors.New("the data does not end where its length says"))
	}
	return r.rest
}
