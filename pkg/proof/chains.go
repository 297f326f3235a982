package proof

import (
	"bytes"
	"fmt"
	"strings"

	"integration.gateway/contracts/event"
)

// link is the last event of a stream: what the next one must refer to.
type link struct {
	hash    [hashBytes]byte
	version int64
	seq     int64
}

// chains has the last link of every stream.
type chains map[string]link

// follow checks that an event is the next of its stream and takes it as the last.
// Events up to signed are known to be right.
func (c chains) follow(e event.Event, signed int64) error {
	prev, known := c[e.Stream]
	if e.Version != prev.version+1 || known && !bytes.Equal(e.PrevHash, prev.hash[:]) {
		return broken(prev, e, signed)
	}
	c.put(e, known)
	return nil
}

// put takes an event as the last of its stream. A new name is copied: it is cut from
// a text that would stay in memory with it.
func (c chains) put(e event.Event, known bool) {
	last := link{version: e.Version, seq: e.Seq}
	copy(last.hash[:], e.Hash)
	name := e.Stream
	if !known {
		name = strings.Clone(name)
	}
	c[name] = last
}

// broken is the finding for an event that does not continue its stream. The
// event may be right and the stream's last one wrong, unless that one is signed for.
func broken(prev link, e event.Event, signed int64) *Finding {
	f := findingAt(e.Seq, e, "")
	switch {
	case e.Version > prev.version+1:
		f.FromSeq = max(prev.seq, signed) + 1
		f.Reason = fmt.Sprintf("version %d of the stream was expected, and %d came: one is missing or moved", prev.version+1, e.Version)
	case e.Version <= prev.version:
		f.Reason = fmt.Sprintf("version %d of the stream was expected, and %d came again", prev.version+1, e.Version)
	default:
		f.Reason = fmt.Sprintf("it does not carry the hash of its predecessor, event %d", prev.seq)
	}
	if e.Version <= prev.version+1 && prev.seq > signed {
		f.FromSeq = prev.seq
	}
	return f
}

// agree checks an event of a partial bundle, which may have gaps in its streams.
func (c chains) agree(e event.Event) error {
	prev, known := c[e.Stream]
	switch {
	case e.Version <= prev.version:
		return broken(prev, e, e.Seq)
	case known && e.Version == prev.version+1 && !bytes.Equal(e.PrevHash, prev.hash[:]):
		return broken(prev, e, e.Seq)
	}
	c.put(e, known)
	return nil
}
