package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// eventPrinter shows events, in a table of fixed columns or as JSON lines.
type eventPrinter struct {
	*printer
	log    *logDatabase
	opener *opener // nil: sealed values stay so
	titled bool
}

func newEventPrinter(ctx context.Context, p *printer, con *console, open bool) (*eventPrinter, error) {
	log, err := openLog(ctx, con)
	if err != nil {
		return nil, err
	}
	shown := &eventPrinter{printer: p, log: log}
	if open {
		if shown.opener, err = log.newOpener(ctx, con.stderr); err != nil {
			log.close()
			return nil, err
		}
	}
	return shown, nil
}

func (s *eventPrinter) close() error {
	defer s.log.close()
	return s.opener.close()
}

// past shows the last events and moves the filter behind them.
func (s *eventPrinter) past(ctx context.Context, filter *eventlog.Filter, last int) error {
	head, err := s.log.Head(ctx)
	if err != nil {
		return err
	}
	if last > 0 {
		newest := *filter
		newest.Newest = true
		events, err := s.log.Query(ctx, newest, last)
		if err != nil {
			return err
		}
		slices.Reverse(events)
		if err := s.print(ctx, events...); err != nil {
			return err
		}
		if len(events) > 0 {
			head = max(head, events[len(events)-1].Seq)
		}
	}
	filter.AfterSeq = max(filter.AfterSeq, head)
	return nil
}

const eventRow = "%9v  %-19s  %-22s  %-34s  %-36s  %s\n"

func (s *eventPrinter) print(ctx context.Context, events ...event.Event) error {
	if !s.titled && !s.json {
		s.titled = true
		fmt.Fprintf(s.w, eventRow, "SEQ", "TIME (UTC)", "TYPE", "OPERATION", "COMMAND OR ACCOUNT", "DATA")
	}
	for _, e := range events {
		e, err := s.opener.open(ctx, e)
		if err != nil {
			return err
		}
		if s.json {
			err = writeLine(s.w, e)
		} else {
			_, err = fmt.Fprintf(s.w, eventRow, e.Seq, e.Time.Format(time.DateTime),
				printable(e.Type), printable(operationOf(e)), printable(subjectOf(e)), excerpt(e.Data))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// note tells, below a table that has reached its limit, how to go on.
func (s *eventPrinter) note(last int64) error {
	if s.json {
		return nil
	}
	_, err := fmt.Fprintf(s.w, "There may be more: go on with --after %d.\n", last)
	return err
}

// writeLine writes an event as one line of JSON. It cannot where the data of the
// event is none, as in a log that was tampered with.
func writeLine(w io.Writer, e event.Event) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return nil
}

func operationOf(e event.Event) string {
	if e.Operation == "" {
		return e.Integration
	}
	return e.Integration + "." + e.Operation
}

func subjectOf(e event.Event) string {
	if e.Command == "" {
		return e.Account
	}
	return e.Command
}

// maxExcerpt is how much of an event's data a table shows, in characters.
const maxExcerpt = 120

// excerpt returns the beginning of data, on one line of harmless characters.
func excerpt(data []byte) string {
	text := []rune(printable(string(data)))
	if len(text) <= maxExcerpt {
		return string(text)
	}
	return string(text[:maxExcerpt-1]) + "…"
}
