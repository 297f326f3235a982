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

// Log is what is needed of the event log; *eventlog.Log has it.
type Log interface {
	Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error)
	Stream(ctx context.Context, stream string) ([]event.Event, error)
}

// Record adds e to the end of its account's stream, however many others add to
// it meanwhile. Unless is asked before each attempt, with the events that are
// there: when it says true, nothing is added. It may be nil.
func Record(ctx context.Context, log Log, e event.Event, unless func(past []event.Event) bool) error {
	stream := event.AccountStream(e.Account)
	var err error
	for range attempts {
		var past []event.Event
		if past, err = log.Stream(ctx, stream); err != nil {
			break
		}
		if unless != nil && unless(past) {
			return nil
		}
		if _, err = log.Append(ctx, stream, int64(len(past)), e); !errors.Is(err, eventlog.ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("record %s of account %s: %w", e.Type, e.Account, err)
	}
	return nil
}
