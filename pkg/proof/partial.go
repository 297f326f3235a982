package proof

import (
	"bytes"
	"fmt"

	"integration.gateway/contracts/event"
)

// part is the state of the verification of a partial bundle.
type part struct {
	*Verifier
	in      *reader
	events  int64
	seq     int64           // of the last event
	leaf    [hashBytes]byte // of the last event
	pending *event.Event    // the last event, until its proof came
	link    *record         // the last consistency record, until its checkpoint came
}

// verifyPart checks a bundle that begins with a checkpoint, or has nothing in it.
func verifyPart(in *reader, rec record, v *Verifier) (Report, error) {
	p := &part{Verifier: v, in: in}
	for {
		if err := p.take(rec); err != nil {
			return Report{}, atLine(err, 0)
		}
		if rec.kind == kindEnd {
			return p.close()
		}
		var err error
		if rec, err = in.read(); err != nil {
			return Report{}, atLine(err, 0)
		}
	}
}

func (p *part) take(rec record) error {
	switch {
	case p.pending != nil && rec.kind != kindProof:
		return findingAt(p.seq, *p.pending, "its proof is missing")
	case p.link != nil && rec.kind != kindCheckpoint:
		return p.in.malformed("a checkpoint was expected behind the consistency record")
	}
	switch rec.kind {
	case kindConsistency:
		if rec.from != p.report.Last.Size {
			return p.in.malformed("a consistency record from %d to %d in the wrong place", rec.from, rec.to)
		}
		rec.hashes = cloneHashes(rec.hashes)
		p.link = &rec
	case kindCheckpoint:
		return p.takeCheckpoint(rec.text)
	case kindEvent:
		return p.takeEvent(rec)
	case kindProof:
		return p.takeProof(rec)
	case kindEnd:
		if rec.number != p.events {
			return p.in.malformed("the end says %d events, and %d were there", rec.number, p.events)
		}
	}
	return nil
}

func (p *part) takeCheckpoint(note []byte) error {
	cp, err := p.ring.open(note)
	if err != nil {
		return p.in.malformed("%v", err)
	}
	last, link := p.report.Last, p.link
	between := func(reason string) *Finding {
		return &Finding{FromSeq: min(last.Size+1, cp.Size), ToSeq: cp.Size, Reason: reason}
	}
	switch {
	case p.events > 0:
		return p.in.malformed("a checkpoint behind an event in a partial bundle")
	case last.Size == cp.Size && !bytes.Equal(last.Root, cp.Root):
		return &Finding{FromSeq: min(p.keptSize+1, cp.Size), ToSeq: cp.Size, Reason: forked(cp.Size)}
	case last.Size >= cp.Size:
		return p.in.malformed("a checkpoint of size %d behind one of size %d", cp.Size, last.Size)
	case last.Size > 0 && (link == nil || link.to != cp.Size):
		return p.in.malformed("no consistency record leads to the checkpoint of size %d", cp.Size)
	}
	if link != nil {
		if err := VerifyConsistency(last, cp, link.hashes); err != nil {
			return between(err.Error())
		}
	}
	p.report.Last, p.link = cp, nil
	p.report.Checkpoints++
	return p.compareKept(cp)
}

// compareKept compares a checkpoint of the bundle with the kept one of its size, and
// notes the kept ones of other sizes that it has passed.
func (p *part) compareKept(cp Checkpoint) error {
	for ; len(p.kept) > 0 && p.kept[0].Size <= cp.Size; p.kept = p.kept[1:] {
		kept := p.kept[0]
		switch {
		case kept.Size < cp.Size:
			p.report.Unlinked = append(p.report.Unlinked, kept.Size)
		case !bytes.Equal(kept.Root, cp.Root):
			reason := fmt.Sprintf("the log was written anew: its checkpoint of size %d has another root than the one that was kept", cp.Size)
			return &Finding{FromSeq: min(p.keptSize+1, cp.Size), ToSeq: cp.Size, Reason: reason}
		default:
			p.keptSize = cp.Size
			p.report.Unlinked = nil // a log that extends this one extends those before it
		}
	}
	return nil
}

func (p *part) takeEvent(rec record) error {
	e, err := parseEvent(rec, rec.number)
	switch {
	case err != nil:
		return err
	case e.Seq <= p.seq:
		return findingAt(e.Seq, e, fmt.Sprintf("it stands behind event %d, out of order", p.seq))
	case e.Seq > p.report.Last.Size:
		return findingAt(e.Seq, e, fmt.Sprintf("it is not among the %d events of the bundle's last checkpoint", p.report.Last.Size))
	case !bytes.Equal(e.Hash, rec.hashes[0]):
		return findingAt(e.Seq, e, "its content was altered: it does not have the hash that the log holds for it")
	}
	copy(p.leaf[:], rec.hashes[0])
	p.seq, p.pending = e.Seq, &e
	p.events++
	return nil
}

func (p *part) takeProof(rec record) error {
	if p.pending == nil {
		return p.in.malformed("a proof without an event before it")
	}
	e := *p.pending
	p.pending = nil
	if rec.number != p.report.Last.Size {
		return findingAt(e.Seq, e, fmt.Sprintf("its proof is for %d events, not for the %d of the bundle's last checkpoint", rec.number, p.report.Last.Size))
	}
	if err := VerifyInclusion(p.report.Last, e.Seq, p.leaf[:], rec.hashes); err != nil {
		return findingAt(e.Seq, e, err.Error())
	}
	return p.chains.agree(e)
}

func (p *part) close() (Report, error) {
	if len(p.kept) > 0 {
		return Report{}, cutOff(p.report.Last.Size, p.kept[len(p.kept)-1].Size)
	}
	if p.report.Last.Size == 0 {
		return Report{}, &Finding{Reason: "the bundle has no checkpoint: nobody signed for anything in it"}
	}
	p.report.Events = p.events
	p.report.Streams = int64(len(p.chains))
	p.report.Whole = false
	return p.report, nil
}

func cloneHashes(hashes [][]byte) [][]byte {
	clone := make([][]byte, len(hashes))
	for i, h := range hashes {
		clone[i] = bytes.Clone(h)
	}
	return clone
}
