package audit

import (
	"context"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// Each calls use with the events that filter finds, in the order of the log,
// up to the head that it has at the beginning.
func Each(ctx context.Context, log *eventlog.Log, filter eventlog.Filter, progress Progress, use func(event.Event) error) error {
	if filter.UntilSeq == 0 {
		var err error
		if filter.UntilSeq, err = log.Head(ctx); err != nil {
			return err
		}
	}
	begin := filter.AfterSeq
	total := max(0, filter.UntilSeq-begin)
	for filter.AfterSeq < filter.UntilSeq {
		events, err := log.Query(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := use(e); err != nil {
				return err
			}
			filter.AfterSeq = e.Seq
		}
		if len(events) == 0 { // a page of long events is short; an empty one is the end
			break
		}
		progress.report(filter.AfterSeq-begin, total)
	}
	progress.report(total, total)
	return nil
}
