package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// hashDomain sets these hashes apart from all others; a new layout gets a
// new name.
const hashDomain = "integration.gateway/event/v1"

// maxDigits is how many digits the largest int64 has; more would not fit.
const maxDigits = 19

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
// writes for an event, and nothing else, so that an event has one text and a
// text one event. It does not look into Data. The event that it returns has its
// Hash, computed from the text, and no Seq. Its Data is part of text.
func ParseCanonical(text []byte) (Event, error) {
	if !bytes.HasPrefix(text, []byte(hashDomain+" ")) {
		return Event{}, fmt.Errorf("canonical text does not begin with %q", hashDomain)
	}
	r := canonicalReader{text: text, at: len(hashDomain) + 1}
	e := Event{Version: r.number(), Time: time.UnixMicro(r.number()).UTC(), PrevHash: r.hash()}
	r.fields(&e.ID, &e.Type, &e.Stream, &e.Integration, &e.Operation, &e.Command, &e.Caller, &e.Account)
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
// An auditor reads millions of texts, so it allocates as little as it can.
type canonicalReader struct {
	text []byte
	at   int // where the next part begins
	err  error
}

func (r *canonicalReader) fail(reason string) {
	if r.err == nil {
		r.err, r.at = errors.New(reason), len(r.text)
	}
}

// number reads a number in its only decimal form, and the space after it. No
// event has a negative one.
func (r *canonicalReader) number() int64 {
	rest := r.text[r.at:]
	n, i := uint64(0), 0
	for ; i < len(rest) && i < maxDigits && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n = 10*n + uint64(rest[i]-'0')
	}
	if i == 0 || i > 1 && rest[0] == '0' || i == len(rest) || rest[i] != ' ' || n > math.MaxInt64 {
		r.fail("a number is missing or malformed")
		return 0
	}
	r.at += i + 1
	return int64(n)
}

// field reads a length and as many bytes, and the space after them. It returns
// where they begin and end.
func (r *canonicalReader) field() (from, to int) {
	n := r.number()
	if r.err == nil && (n >= int64(len(r.text)-r.at) || r.text[r.at+int(n)] != ' ') {
		r.fail("a field does not end where its length says")
	}
	if r.err != nil {
		return 0, 0
	}
	from, to = r.at, r.at+int(n)
	r.at = to + 1
	return from, to
}

// fields reads several fields, which share the memory of one string.
func (r *canonicalReader) fields(values ...*string) {
	var bounds [8][2]int
	begin := r.at
	for i := range values {
		bounds[i][0], bounds[i][1] = r.field()
	}
	if r.err != nil {
		return
	}
	all := string(r.text[begin:r.at])
	for i, value := range values {
		*value = all[bounds[i][0]-begin : bounds[i][1]-begin]
	}
}

// hash reads a hash in lower-case hexadecimal, or an empty field.
func (r *canonicalReader) hash() []byte {
	from, to := r.field()
	if from == to {
		return nil
	}
	digits := r.text[from:to]
	hash, err := hex.AppendDecode(make([]byte, 0, sha256.Size), digits)
	if err != nil || !isLower(digits) {
		r.fail("the predecessor's hash is not in lower-case hexadecimal")
	}
	return hash
}

// isLower tells whether hexadecimal digits are in lower case.
func isLower(digits []byte) bool {
	for _, c := range digits {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	return true
}

// last reads a length and the bytes up to the end.
func (r *canonicalReader) last() []byte {
	n := r.number()
	if r.err == nil && n != int64(len(r.text)-r.at) {
		r.fail("the data does not end where its length says")
	}
	return r.text[r.at:]
}
