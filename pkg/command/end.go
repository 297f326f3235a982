package command

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/eventlog"
)

// settleTimeout bounds the append of a command's last events, which happens
// even when the command's own time is over. The caller still waits then.
const settleTimeout = bus.ReplyMargin - 2*time.Second

// sealTimeout bounds the sealing of what those events hold, so that there is
// time left to record them without.
const sealTimeout = settleTimeout / 2

// maxResult is the longest result that an event has room for, in bytes.
const maxResult = event.MaxDataBytes - 1024

// end records how a command ended, and returns what the caller is answered.
// While the database cannot be reached, the caller is not kept waiting: the end
// is recorded as soon as it can be.
func (r Recorder) end(ctx context.Context, c *Command, result any, err error) (any, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	events, recordErr := c.events(r.ending(ctx, c, result, err)...)
	if recordErr == nil {
		recordErr = c.close(ctx, events)
	}
	switch {
	case errors.Is(recordErr, eventlog.ErrConflict):
		defer r.Instance.done(c.ID)
		return r.overtaken(ctx, c, result, err)
	case recordErr != nil:
		r.keepClosing(c, events, result, err)
		return nil, unrecorded(c, recordErr)
	}
	r.Instance.done(c.ID)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// close appends a command's last events.
func (c *Command) close(ctx context.Context, events []event.Event) error {
	if c.unsure != nil {
		// The same event again: its id keeps it from being there twice.
		if err := c.append(ctx, *c.unsure); err != nil {
			return err
		}
		c.unsure = nil
	}
	return c.append(ctx, events...)
}

// keepClosing goes on with close until it comes through or the instance ends;
// after that it is recovery's to find out what happened.
func (r Recorder) keepClosing(c *Command, events []event.Event, result any, err error) {
	r.Instance.work.Go(func() {
		defer r.Instance.done(c.ID)
		pause := pauses(100*time.Millisecond, 2*time.Second)
		for r.Instance.ctx.Err() == nil {
			rest(r.Instance.ctx, pause.NextBackOff())
			if r.closeLate(c, events, result, err) == nil {
				return
			}
		}
	})
}

func (r Recorder) closeLate(c *Command, events []event.Event, result any, err error) error {
	ctx, cancel := context.WithTimeout(r.Instance.ctx, settleTimeout)
	defer cancel()
	recordErr := c.close(ctx, events)
	if errors.Is(recordErr, eventlog.ErrConflict) {
		_, _ = r.overtaken(ctx, c, result, err) // nobody waits for the answer any more
		return nil
	}
	return recordErr
}

// overtaken ends a command that others took for left behind: they have ended
// it, or put its effect in doubt. Who knows what became of the effect settles
// that here; otherwise the log's word counts.
func (r Recorder) overtaken(ctx context.Context, c *Command, result any, err error) (any, error) {
	s, readErr := r.read(ctx, c.ID)
	switch {
	case readErr != nil:
		return nil, unrecorded(c, readErr)
	case s.inDoubt() && c.started && (err == nil || c.refused):
		c.version = s.version()
		told, sealed := r.seal(ctx, c, result, err)
		recordErr := c.record(ctx, event.EffectReconciled{Applied: err == nil, By: event.ByCommand}, end(c, err, told, sealed))
		if recordErr != nil {
			return nil, unrecorded(c, recordErr)
		}
		if err != nil {
			return nil, err
		}
		return result, nil
	case s.ended():
		return r.stored(ctx, s)
	case err != nil:
		return nil, err
	default:
		return nil, unrecorded(c, eventlog.ErrConflict)
	}
}

// read tells the story of a command, whose stream must be there.
func (r Recorder) read(ctx context.Context, id string) (story, error) {
	events, err := r.Log.Stream(ctx, event.CommandStream(id))
	if err != nil {
		return story{}, err
	}
	if len(events) == 0 {
		return story{}, errNoCommand
	}
	return tell(events)
}

var errNoCommand = contracts.Errorf(contracts.NotFound, "there is no such command")

// ending returns a command's last events.
func (r Recorder) ending(ctx context.Context, c *Command, result any, err error) []event.Payload {
	told, sealed := r.seal(ctx, c, result, err)
	var events []event.Payload
	if c.unsure != nil {
		events = append(events, event.EffectNotApplied{Message: told.message, Quote: told.quote})
	}
	if c.started {
		e := effect(c, err, told)
		events = append(events, e)
		if e.EventType() == event.TypeEffectUnknown {
			return events // only its reconciliation ends such a command
		}
	}
	return append(events, end(c, err, told, sealed))
}

// effect says what became of an effect that was started.
func effect(c *Command, err error, told told) event.Payload {
	switch {
	case err == nil:
		return event.EffectConfirmed{}
	case c.refused:
		return event.EffectNotApplied{Message: told.message, Quote: told.quote}
	default:
		return event.EffectUnknown{Message: told.message, Quote: told.quote, Partial: told.partial}
	}
}

// end makes the last event of a command.
func end(c *Command, err error, told told, result json.RawMessage) event.Payload {
	duration := time.Since(c.StartedAt).Milliseconds()
	if err == nil {
		return event.CommandCompleted{Outcome: event.Succeeded, Result: result, DurationMS: duration}
	}
	kind := contracts.AsError(err).Kind
	if !c.started && refusal(kind) {
		return event.CommandRejected{Kind: kind, Message: told.message, Quote: told.quote}
	}
	return event.CommandCompleted{Outcome: event.Failed, Kind: kind, Message: told.message, Quote: told.quote, DurationMS: duration}
}

// refusal says whether an error means that the command was not carried out
// because of what was asked, rather than that carrying it out failed.
func refusal(kind contracts.Kind) bool {
	switch kind {
	case contracts.Invalid, contracts.Unauthorized, contracts.NotFound, contracts.Rejected, contracts.NotImplemented, contracts.Busy:
		return true
	default:
		return false
	}
}

// told is what the log is told of an error.
type told struct {
	message string          // readable by everybody
	quote   json.RawMessage // the application's own words, sealed; nil when there are none
	partial json.RawMessage // what was read of the result all the same, sealed; nil for nothing
}

// seal returns what the last events hold of how the command ended: the result,
// or what is told of the error. What cannot be sealed is left out, as once the
// account was erased meanwhile, and so is a result that is too long: the caller
// gets it all the same, and that the command ended is recorded.
func (r Recorder) seal(ctx context.Context, c *Command, result any, err error) (t told, sealed json.RawMessage) {
	ctx, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if err != nil {
		t = r.told(ctx, c, contracts.AsError(err))
		if c.partial != nil {
			if partial, err := r.Sealer.SealValue(ctx, c.Account, c.partial); err == nil && len(partial) <= maxResult {
				t.partial = partial
			}
		}
		return t, nil
	}
	contracts.EmptyLists(result) // as the gateway answers it
	sealed, err = r.Sealer.SealFields(ctx, c.Account, result)
	if err != nil || len(sealed) > maxResult {
		return told{}, nil
	}
	return told{}, sealed
}

// told returns what may stand in the log of the error that ended a command. The
// application's own words can name a person, so they are sealed.
func (r Recorder) told(ctx context.Context, c *Command, e *contracts.Error) told {
	if !e.Quotes {
		return told{message: e.Message}
	}
	withheld := told{message: "the application refused in words of its own, which only the caller is told"}
	if c.Account == "" {
		return withheld
	}
	if quote, err := r.Sealer.SealValue(ctx, c.Account, e.Message); err == nil {
		withheld.quote = quote
	}
	return withheld
}

// unrecorded is the answer when the end of a command could not be recorded.
func unrecorded(c *Command, err error) error {
	if c.started {
		return &contracts.Error{
			Kind: contracts.Unknown, Message: "the outcome could not be recorded; look the command up by its Command-Id before trying again", Err: err,
		}
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the result could not be recorded; trying again is safe", RetryAfter: time.Second, Err: err,
	}
}
