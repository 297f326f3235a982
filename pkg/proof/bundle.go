package proof

import (
	"errors"
	"io"

	"integration.gateway/contracts/event"
)

// VerifyBundle reads a bundle to its end and checks all that it says. What is
// wrong with it is a *Finding; any other error means that trust is unusable or that
// r could not be read. Without keys in trust the bundle's own count, and the report
// says so.
func VerifyBundle(r io.Reader, trust Trust) (Report, error) {
	in, err := newReader(r)
	if err != nil {
		return Report{}, atLine(err, 0)
	}
	keys := trust.Verifiers
	if len(keys) == 0 {
		keys = in.verifiers
	}
	v, err := NewVerifier(keys, trust.Kept)
	if err != nil && len(trust.Verifiers) == 0 {
		return Report{}, &Finding{Reason: "the bundle's own keys: " + err.Error()}
	}
	if err != nil {
		return Report{}, err
	}
	first, err := in.read()
	if err != nil {
		return Report{}, atLine(err, 0)
	}
	var report Report
	if first.kind == kindEvent {
		report, err = verifyWhole(in, first, v)
	} else {
		report, err = verifyPart(in, first, v)
	}
	if err != nil {
		return Report{}, err
	}
	report.OwnKeys = len(trust.Verifiers) == 0
	return report, nil
}

// verifyWhole checks a bundle that begins with an event.
func verifyWhole(in *reader, rec record, v *Verifier) (Report, error) {
	for rec.kind != kindEnd {
		var err error
		switch rec.kind {
		case kindEvent:
			var e event.Event
			if e, err = parseEvent(rec, v.tree.Size()+1); err == nil {
				err = v.event(e, rec.hashes[0])
			}
		case kindCheckpoint:
			err = v.Checkpoint(rec.text)
		case kindConsistency, kindProof, kindEnd:
			err = atLine(in.malformed("a %s record in a bundle of a whole log", rec.kind), v.tree.Size()+1)
		}
		if err != nil {
			return Report{}, err
		}
		if rec, err = in.read(); err != nil {
			return Report{}, atLine(err, v.tree.Size()+1)
		}
	}
	if size := v.tree.Size(); rec.number != size {
		return Report{}, atLine(in.malformed("the end says %d events, and %d were there", rec.number, size), min(rec.number, size)+1)
	}
	report, err := v.Close()
	if err != nil {
		return Report{}, err
	}
	if report.Unsigned > 0 {
		return Report{}, v.since(report.Last.Size, "no checkpoint of the bundle covers them: nobody signed for them")
	}
	return report, nil
}

// parseEvent reads an event of a bundle. seq is the one to name if it has none that can be
// believed.
func parseEvent(rec record, seq int64) (event.Event, error) {
	e, err := event.ParseCanonical(rec.text)
	if err != nil {
		return event.Event{}, &Finding{FromSeq: seq, ToSeq: seq, Reason: "it was altered: " + err.Error()}
	}
	e.Seq = rec.number
	return e, nil
}

// atLine makes a finding of a bundle that does not have the form of one; seq is the
// first event that it keeps from being verified, 0 if that is not known.
func atLine(err error, seq int64) error {
	if bad, ok := errors.AsType[*malformed](err); ok {
		return &Finding{FromSeq: seq, ToSeq: seq, Reason: bad.Error()}
	}
	return err
}
