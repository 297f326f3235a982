package audit

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
)

// ErrNothingSigned says that the log has no checkpoint yet, so that nothing
// can be proven. The keeper signs within seconds of the first event.
var ErrNothingSigned = errors.New("the event log has no signed checkpoint yet; is the audit service running?")

// Export writes a bundle: what proof.VerifyBundle checks with no database and
// no network. Without a filter it holds the whole log up to the last
// checkpoint; with one, the events that the filter finds, each with the proof
// that it stands in the log. Kept are the checkpoints of an auditor who wants
// proof that the log has only grown since; only a bundle with a filter needs
// them. The result is the last checkpoint of the bundle.
func Export(ctx context.Context, log *eventlog.Log, w io.Writer, filter eventlog.Filter, kept []proof.Checkpoint, progress Progress) (proof.Checkpoint, error) {
	last, err := lastCheckpoint(ctx, log)
	if err != nil {
		return proof.Checkpoint{}, err
	}
	if last.Size == 0 {
		return proof.Checkpoint{}, ErrNothingSigned
	}
	keys, err := verifiers(ctx, log, last.Size)
	if err != nil {
		return proof.Checkpoint{}, err
	}
	bundle, err := proof.NewWriter(w, keys)
	if err != nil {
		return proof.Checkpoint{}, err
	}
	e := exporter{log: log, bundle: bundle, last: last, progress: progress}
	if filter == (eventlog.Filter{}) {
		err = e.whole(ctx)
	} else {
		err = e.part(ctx, filter, kept)
	}
	if err != nil {
		return proof.Checkpoint{}, err
	}
	if err := bundle.Close(); err != nil {
		return proof.Checkpoint{}, err
	}
	return proof.OpenCheckpoint(last.Note, keys...)
}

type exporter struct {
	log      *eventlog.Log
	bundle   *proof.Writer
	last     eventlog.SignedCheckpoint
	progress Progress
}

// whole writes all events, and each checkpoint at its place between them. It
// leaves out what is missing in a log that was damaged: the bundle shows it.
func (e exporter) whole(ctx context.Context) error {
	signed := &checkpoints{log: e.log, last: e.last.Size}
	for seq := int64(0); seq < e.last.Size; {
		events, err := e.log.Proven(ctx, seq, int(min(page, e.last.Size-seq)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, proven := range events {
			if err := e.event(proven); err != nil {
				return err
			}
			if err := signed.upTo(ctx, proven.Seq, e.bundle.Checkpoint); err != nil {
				return err
			}
		}
		seq = events[len(events)-1].Seq
		e.progress.report(seq, e.last.Size)
	}
	return signed.upTo(ctx, e.last.Size, e.bundle.Checkpoint)
}

func (e exporter) event(proven eventlog.ProvenEvent) error {
	if missing(proven) {
		return nil
	}
	return e.bundle.Event(proven.Event, proven.Leaf)
}

// missing says whether the log has a place for an event that is not there.
func missing(proven eventlog.ProvenEvent) bool { return proven.Stream == "" }

// part writes the events that filter finds, proven by the last checkpoint, and
// the proof that this one continues those that the auditor has kept.
func (e exporter) part(ctx context.Context, filter eventlog.Filter, kept []proof.Checkpoint) error {
	if err := e.checkpoints(ctx, kept); err != nil {
		return err
	}
	if filter.UntilSeq == 0 || filter.UntilSeq > e.last.Size {
		filter.UntilSeq = e.last.Size
	}
	return Each(ctx, e.log, filter, e.progress, func(found event.Event) error {
		if err := e.bundle.Event(found, found.Hash); err != nil {
			return err
		}
		hashes, err := proof.Inclusion(ctx, e.log, found.Seq, e.last.Size)
		if err != nil {
			return err
		}
		return e.bundle.Inclusion(e.last.Size, hashes)
	})
}

// checkpoints writes those that are kept and the log's last one, each with the
// proof that it continues the one before.
func (e exporter) checkpoints(ctx context.Context, kept []proof.Checkpoint) error {
	kept = slices.DeleteFunc(slices.Clone(kept), func(c proof.Checkpoint) bool { return c.Size >= e.last.Size })
	slices.SortFunc(kept, func(a, b proof.Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	before := int64(0)
	for _, c := range append(kept, proof.Checkpoint{Size: e.last.Size, Note: e.last.Note}) {
		if before > 0 {
			hashes, err := proof.Consistency(ctx, e.log, before, c.Size)
			if err != nil {
				return err
			}
			if err := e.bundle.Consistency(before, c.Size, hashes); err != nil {
				return err
			}
		}
		if err := e.bundle.Checkpoint(c.Note); err != nil {
			return err
		}
		before = c.Size
	}
	return nil
}
