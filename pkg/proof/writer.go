package proof

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"

	"integration.gateway/contracts/event"
)

const bundleHeader = "integration.gateway/bundle/v1"

// Writer writes a bundle; the package's comment has its form. The caller gives
// the records in that order: the Writer knows no more of it than what it
// counts. After the first error every call returns it.
type Writer struct {
	out    *bufio.Writer
	line   []byte
	events int64
	err    error
}

// NewWriter begins a bundle with the keys of its checkpoints, name+hash+….
func NewWriter(w io.Writer, verifiers []string) (*Writer, error) {
	ring, err := newKeyring(verifiers)
	if err != nil {
		return nil, fmt.Errorf("a bundle needs the log's key: %w", err)
	}
	b := &Writer{out: bufio.NewWriterSize(w, readBytes)}
	b.write([]byte(bundleHeader + "\n"))
	for _, v := range ring.verifiers {
		b.write([]byte("key " + v + "\n"))
	}
	return b, b.err
}

// Checkpoint writes a signed note. In a whole bundle it follows the last event that
// it covers.
func (b *Writer) Checkpoint(note []byte) error {
	if len(note) == 0 || len(note) > maxNoteBytes || note[len(note)-1] != '\n' {
		return b.fail(fmt.Errorf("a note of %d bytes is no checkpoint", len(note)))
	}
	b.begin("checkpoint", int64(len(note)))
	b.end()
	b.write(note)
	return b.err
}

// Consistency writes the proof that leads from the checkpoint before to the one
// that follows.
func (b *Writer) Consistency(from, to int64, hashes [][]byte) error {
	b.begin("consistency", from, to)
	b.hashes(hashes)
	b.end()
	return b.err
}

// Event writes an event and the leaf that the log's tree has for it; nil if that is
// the event's own hash.
func (b *Writer) Event(e event.Event, leaf []byte) error {
	text := event.AppendCanonical(nil, e)
	if leaf == nil {
		leaf = event.Hash(e)
	}
	if len(text) > maxTextBytes {
		return b.fail(fmt.Errorf("event %d has %d bytes; the most is %d", e.Seq, len(text), maxTextBytes))
	}
	b.begin("event", e.Seq, int64(len(text)))
	b.hashes([][]byte{leaf})
	b.end()
	b.write(append(text, '\n'))
	b.events++
	return b.err
}

// Inclusion writes the proof that the event before is among the size events of
// the bundle's last checkpoint.
func (b *Writer) Inclusion(size int64, hashes [][]byte) error {
	b.begin("proof", size)
	b.hashes(hashes)
	b.end()
	return b.err
}

// Close writes the end and all that is buffered. It does not close what the bundle
// is written to. A bundle without its end does not verify.
func (b *Writer) Close() error {
	b.begin("end", b.events)
	b.end()
	if b.err != nil {
		return b.err
	}
	b.err = b.out.Flush()
	if b.err != nil {
		return fmt.Errorf("writing the bundle: %w", b.err)
	}
	b.err = errors.New("the bundle is closed")
	return nil
}

func (b *Writer) begin(word string, numbers ...int64) {
	b.line = append(b.line[:0], word...)
	for _, n := range numbers {
		b.line = strconv.AppendInt(append(b.line, ' '), n, 10)
	}
}

func (b *Writer) hashes(hashes [][]byte) {
	if err := wellFormed(hashes); err != nil {
		_ = b.fail(err)
	}
	for _, h := range hashes {
		b.line = base64.StdEncoding.AppendEncode(append(b.line, ' '), h)
	}
}

func (b *Writer) end() { b.write(append(b.line, '\n')) }

func (b *Writer) write(p []byte) {
	if b.err != nil {
		return
	}
	if _, err := b.out.Write(p); err != nil {
		b.err = fmt.Errorf("writing the bundle: %w", err)
	}
}

func (b *Writer) fail(err error) error {
	if b.err == nil {
		b.err = err
	}
	return b.err
}
