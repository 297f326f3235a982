package main

import (
	"context"
	"errors"
	"fmt"
	"time"
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
		if len(events) == 0 { // a page of long events is short; an empty one is the end
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
