package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

type eventsCommands struct {
	List   eventsList   `cmd:"" help:"Show events of the log."`
	Tail   eventsTail   `cmd:"" help:"Show the last events, and those that come, until Ctrl-C."`
	Export eventsExport `cmd:"" help:"Write events into a file, one JSON object a line."`
	Replay eventsReplay `cmd:"" help:"Rebuild the read models from the events and compare them with the live ones, or send the events to a NATS subject again."`
}

// tailPeriod is the time between two looks at the log.
const tailPeriod = 500 * time.Millisecond

type eventsList struct {
	filterFlags
	Limit int  `help:"Show at most so many; 0 for all." default:"100"`
	Open  bool `help:"Show sealed values in clear (needs VAULT_KEEPER_URL)."`
}

func (c *eventsList) Run(ctx context.Context, p *printer, con *console) (err error) {
	if c.Limit < 0 {
		return errors.New("--limit must be 0 or more")
	}
	filter := c.filter()
	shown, err := newEventPrinter(ctx, p, con, c.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shown.close()) }()
	for left := c.Limit; ; {
		most := eventPage
		if c.Limit > 0 {
			most = min(most, left)
		}
		events, err := shown.log.Query(ctx, filter, most)
		if err != nil {
			return err
		}
		if err := shown.print(ctx, events...); err != nil {
			return err
		}
		left -= len(events)
		if len(events) == 0 { // a page may be short in a log that was damaged
			return nil
		}
		filter.AfterSeq = events[len(events)-1].Seq
		if c.Limit > 0 && left == 0 {
			return shown.note(filter.AfterSeq)
		}
	}
}

// eventPage is the number of events that are read at once.
const eventPage = 1000

type eventsTail struct {
	filterFlags
	Last int  `short:"n" help:"Show so many events of the past first." default:"10"`
	Open bool `help:"Show sealed values in clear (needs VAULT_KEEPER_URL)."`
}

func (c *eventsTail) Run(ctx context.Context, p *printer, con *console) (err error) {
	if c.Last < 0 || c.Last > eventPage {
		return fmt.Errorf("--last must be between 0 and %d", eventPage)
	}
	filter := c.filter()
	shown, err := newEventPrinter(ctx, p, con, c.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shown.close()) }()
	if err := shown.past(ctx, &filter, c.Last); err != nil {
		return err
	}
	ticker := time.NewTicker(tailPeriod)
	defer ticker.Stop()
	for {
		events, err := shown.log.Query(ctx, filter, eventPage)
		if err == nil && len(events) > 0 {
			filter.AfterSeq = events[len(events)-1].Seq
			err = shown.print(ctx, events...)
		}
		if ctx.Err() != nil {
			return nil // Ctrl-C is how a tail ends
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

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
