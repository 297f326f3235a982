// Package account records what happens to a linked account, in the account's
// stream of the event log. The accounts service and the processes of the
// integrations all add to it.
package account

import (
	"context"
	"errors"
	"fmt"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

// attempts bounds how often an append is tried again because another process
// has added to the stream.
const attempts = 10

// Log is what is needed of the event log; *eventlog.Log has it. An account's
// stream grows with each sign-in, so it is never read as a whole.
type Log interface {
	Append(ctx context.Context, stream string, last event.Event, events ...event.Event) ([]event.Event, error)
	Last(ctx context.Context, stream string) (event.Event, error)
	Has(ctx context.Context, stream, kind string) (bool, error)
}

// Record adds e to the end of its account's stream, however many others add to
// it meanwhile. Unless is asked before each attempt, with the last event that is
// there, of Version 0 for none: when it says true, nothing is added. It may be nil.
func Record(ctx context.Context, log Log, e event.Event, unless func(last event.Event) (bool, error)) error {
	err := record(ctx, log, e, unless)
	if err != nil {
		return fmt.Errorf("record %s of account %s: %w", e.Type, e.Account, err)
	}
	return nil
}

func record(ctx context.Context, log Log, e event.Event, unless func(last event.Event) (bool, error)) error {
	stream := event.AccountStream(e.Account)
	for range attempts {
		last, err := log.Last(ctx, stream)
		if err != nil {
			return err
		}
		if unless != nil {
			if there, err := unless(last); there || err != nil {
				return err
			}
		}
		if _, err = log.Append(ctx, stream, last, e); !errors.Is(err, eventlog.ErrConflict) {
			return err
		}
	}
	return eventlog.ErrConflict
}
