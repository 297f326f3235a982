package audit

import (
	"context"
	"errors"
	"fmt"

	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
)

// Verify checks the whole log in the database: each event's hash, each
// stream's chain, what events are looked for by, and the tree of all events
// against every checkpoint and against those that trust has kept. A
// *proof.Finding names the first event that is wrong. Events that come while
// Verify works are left for the next time.
func Verify(ctx context.Context, log *eventlog.Log, trust proof.Trust, progress Progress) (proof.Report, error) {
	// In this order: a checkpoint that is already there is never ahead of the head.
	last, err := lastCheckpoint(ctx, log)
	if err != nil {
		return proof.Report{}, err
	}
	head, err := log.Head(ctx)
	if err != nil {
		return proof.Report{}, err
	}
	if last.Size == 0 && len(trust.Kept) == 0 {
		return proof.Report{}, ErrNothingSigned
	}
	keys := trust.Verifiers
	if len(keys) == 0 {
		if keys, err = verifiers(ctx, log, last.Size); err != nil {
			return proof.Report{}, err
		}
	}
	verifier, err := proof.NewVerifier(keys, trust.Kept)
	if err != nil {
		return proof.Report{}, err
	}
	signed := &checkpoints{log: log, last: last.Size}
	stored := &storedNodes{log: log, size: last.Size}
	verifier.OnComplete(stored.add)
	if err := verifyEvents(ctx, log, head, verifier, signed, stored, progress); err != nil {
		return proof.Report{}, err
	}
	if err := signed.upTo(ctx, last.Size, verifier.Checkpoint); err != nil { // those beyond the end, which are findings
		return proof.Report{}, err
	}
	if err := noStray(ctx, log); err != nil {
		return proof.Report{}, err
	}
	report, err := verifier.Close()
	report.OwnKeys = len(trust.Verifiers) == 0
	return report, err
}

// verifyEvents gives the verifier all events up to head, and each checkpoint
// behind the last event that it covers.
func verifyEvents(ctx context.Context, log *eventlog.Log, head int64, verifier *proof.Verifier, signed *checkpoints, stored *storedNodes, progress Progress) error {
	for seq := int64(0); seq < head; {
		events, err := log.Proven(ctx, seq, int(min(page, head-seq)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return &proof.Finding{FromSeq: seq + 1, ToSeq: head, Reason: "the log ends here, but its head says that there is more: the tail is missing"}
		}
		for _, e := range events {
			if missing(e) {
				return &proof.Finding{FromSeq: e.Seq, ToSeq: e.Seq, Reason: "it is missing: the log has its place and its hash"}
			}
			if err := verifier.Event(e.Event, e.Leaf); err != nil {
				return err
			}
			if e.Misfiled {
				return &proof.Finding{
					FromSeq: e.Seq, ToSeq: e.Seq, EventID: e.ID, Stream: e.Stream,
					Reason: "the log is searched by other values than the event has, so that filters miss it or find it as what it is not",
				}
			}
			if err := signed.upTo(ctx, e.Seq, verifier.Checkpoint); err != nil {
				return err
			}
		}
		if err := stored.verify(ctx); err != nil {
			return err
		}
		seq = events[len(events)-1].Seq
		progress.report(seq, head)
	}
	return nil
}

// noStray makes a finding of an event that is shown to those who read its stream,
// and that the log's order, which was verified, does not have.
func noStray(ctx context.Context, log *eventlog.Log) error {
	stray, err := log.Stray(ctx)
	if errors.Is(err, eventlog.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return &proof.Finding{
		FromSeq: max(stray.Seq, 0), ToSeq: max(stray.Seq, 0), EventID: stray.ID, Stream: stray.Stream,
		Reason: fmt.Sprintf("event %s of stream %s stands in the database and nowhere in the log's order: it was put in, or taken out of the order", stray.ID, stray.Stream),
	}
}
