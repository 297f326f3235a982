package proof

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"

	"integration.gateway/contracts/event"
)

const (
	readBytes    = 64 << 10
	maxLineBytes = 4 << 10                    // a proof of 64 hashes has 3 KiB
	maxTextBytes = event.MaxDataBytes + 4<<10 // an event's data and its other fields
	maxKeys      = 64                         // of one bundle
	hashText     = (hashBytes + 2) / 3 * 4    // a hash in base64
)

// recordKind tells the records of a bundle apart by their first words.
type recordKind string

const (
	kindCheckpoint  recordKind = "checkpoint"
	kindConsistency recordKind = "consistency"
	kindEvent       recordKind = "event"
	kindProof       recordKind = "proof"
	kindEnd         recordKind = "end"
)

// record is one record of a bundle. The fields that its kind does not have are
// empty. Its bytes are valid until the next one is read.
type record struct {
	kind     recordKind
	from, to int64    // consistency
	number   int64    // seq of an event, size of a proof, events of the end
	text     []byte   // note of a checkpoint, canonical text of an event
	hashes   [][]byte // leaf of an event, a proof's
}

// reader reads a bundle's records one after the other. What it holds at a time
// is bounded, whatever the bundle says.
type reader struct {
	in        *bufio.Reader
	verifiers []string // the bundle's own
	line      int64    // of the record that was read last
	next      int64    // line after it
	text      []byte
	words     [][]byte
	decoded   []byte
}

// malformed says at which line a bundle does not have the form of one.
type malformed struct {
	line   int64
	reason string
}

func (m *malformed) Error() string { return fmt.Sprintf("line %d of the bundle: %s", m.line, m.reason) }

// newReader reads a bundle's head: its form and its keys.
func newReader(r io.Reader) (*reader, error) {
	b := &reader{in: bufio.NewReaderSize(r, readBytes), next: 1}
	line, err := b.readLine()
	if err != nil {
		return nil, err
	}
	if string(line) != bundleHeader {
		return nil, b.malformed("it is not %q: this is no bundle, or one of another version", bundleHeader)
	}
	for {
		if ahead, _ := b.in.Peek(4); string(ahead) != "key " {
			break
		}
		if line, err = b.readLine(); err != nil {
			return nil, err
		}
		if len(b.verifiers) == maxKeys {
			return nil, b.malformed("more than %d keys", maxKeys)
		}
		b.verifiers = append(b.verifiers, string(line[len("key "):]))
	}
	if len(b.verifiers) == 0 {
		return nil, b.malformed("a key line was expected after it")
	}
	return b, nil
}

// read reads the next record. Behind the end record it returns io.EOF.
func (b *reader) read() (record, error) {
	line, err := b.readLine()
	if err != nil {
		return record{}, err
	}
	b.split(line)
	rec := record{kind: recordKind(b.words[0])}
	switch rec.kind {
	case kindCheckpoint:
		err = b.readNote(&rec)
	case kindConsistency:
		err = b.parse(&rec.hashes, maxProofHashes, &rec.from, &rec.to)
	case kindEvent:
		err = b.readEvent(&rec)
	case kindProof:
		err = b.parse(&rec.hashes, maxProofHashes, &rec.number)
	case kindEnd:
		err = b.readEnd(&rec)
	default:
		err = b.malformed("%.32q begins no record", b.words[0])
	}
	return rec, err
}

func (b *reader) readNote(rec *record) error {
	var size int64
	if err := b.parse(&rec.hashes, 0, &size); err != nil {
		return err
	}
	if size < 1 || size > maxNoteBytes {
		return b.malformed("a checkpoint of %d bytes; the most is %d", size, maxNoteBytes)
	}
	var err error
	if rec.text, err = b.readText(size); err == nil && rec.text[size-1] != '\n' {
		err = b.malformed("the checkpoint does not end where its length says")
	}
	return err
}

func (b *reader) readEvent(rec *record) error {
	var size int64
	if err := b.parse(&rec.hashes, 1, &rec.number, &size); err != nil {
		return err
	}
	switch {
	case len(rec.hashes) != 1:
		return b.malformed("the event has no leaf")
	case size < 1 || size > maxTextBytes:
		return b.malformed("an event of %d bytes; the most is %d", size, maxTextBytes)
	}
	text, err := b.readText(size + 1)
	if err != nil {
		return err
	}
	if text[size] != '\n' {
		return b.malformed("the event does not end where its length says")
	}
	rec.text = text[:size]
	return nil
}

// readEnd reads the last line. Nothing may follow it.
func (b *reader) readEnd(rec *record) error {
	if err := b.parse(&rec.hashes, 0, &rec.number); err != nil {
		return err
	}
	switch _, err := b.in.Peek(1); {
	case err == nil:
		return b.malformed("something follows the end")
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("reading the bundle: %w", err)
	}
	return nil
}

// readLine returns the next line without its end.
func (b *reader) readLine() ([]byte, error) {
	b.line = b.next
	line, err := b.in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return nil, b.malformed("the bundle breaks off: its end record is missing")
	case errors.Is(err, bufio.ErrBufferFull), len(line) > maxLineBytes:
		return nil, b.malformed("a line of more than %d bytes", maxLineBytes)
	case err != nil:
		return nil, fmt.Errorf("reading the bundle: %w", err)
	}
	b.next++
	return line[:len(line)-1], nil
}

// readText returns the next size bytes.
func (b *reader) readText(size int64) ([]byte, error) {
	if int64(cap(b.text)) < size {
		b.text = make([]byte, size)
	}
	text := b.text[:size]
	_, err := io.ReadFull(b.in, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, b.malformed("the bundle breaks off within this record")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the bundle: %w", err)
	}
	b.next += int64(bytes.Count(text, []byte("\n")))
	return text, nil
}

// split cuts a line at each space.
func (b *reader) split(line []byte) {
	b.words = b.words[:0]
	for {
		i := bytes.IndexByte(line, ' ')
		if i < 0 {
			b.words = append(b.words, line)
			return
		}
		b.words, line = append(b.words, line[:i]), line[i+1:]
	}
}

// parse reads the words behind the first: as many numbers as are given, then at
// most so many hashes. Each has one form only, so that a record has one too.
func (b *reader) parse(hashes *[][]byte, most int, numbers ...*int64) error {
	words := b.words[1:]
	if len(words) < len(numbers) || len(words) > len(numbers)+most {
		return b.malformed("a %s record has %d words", b.words[0], len(b.words))
	}
	for i, n := range numbers {
		var ok bool
		if *n, ok = parseNumber(words[i]); !ok {
			return b.malformed("%.32q is not a number", words[i])
		}
	}
	b.decoded = b.decoded[:0]
	for _, word := range words[len(numbers):] {
		h, ok := b.parseHash(word)
		if !ok {
			return b.malformed("%.64q is not a hash", word)
		}
		*hashes = append(*hashes, h)
	}
	return nil
}

// parseNumber reads a number from 0 on in its only form.
func parseNumber(word []byte) (int64, bool) {
	if len(word) == 0 || len(word) > 19 || word[0] == '0' && len(word) > 1 {
		return 0, false
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	return n, err == nil
}

var strictBase64 = base64.StdEncoding.Strict()

func (b *reader) parseHash(word []byte) ([]byte, bool) {
	if len(word) != hashText {
		return nil, false
	}
	from := len(b.decoded)
	decoded, err := strictBase64.AppendDecode(b.decoded, word)
	if err != nil || len(decoded) != from+hashBytes {
		return nil, false
	}
	b.decoded = decoded
	return decoded[from:len(decoded):len(decoded)], true
}

func (b *reader) malformed(format string, args ...any) error {
	return &malformed{line: b.line, reason: fmt.Sprintf(format, args...)}
}
