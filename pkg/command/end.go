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

// ending is how the operation ended.
type ending struct {
	result any
	err    error
	took   time.Duration // since the command came in
}

// answer is what the caller gets of it, once it is recorded.
func (e ending) answer() answer {
	if e.err != nil {
		return answer{err: e.err}
	}
	return answer{result: e.result}
}

// end records how a command ended, and returns what the caller is answered.
// While the database cannot be reached, the caller is not kept waiting: the end
// is recorded as soon as it can be. After the end of this instance, it is
// recovery's to find out what happened.
func (r Recorder) end(ctx context.Context, c *Command, result any, err error) (any, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	result, err = c.own(result, err)
	e := ending{result, err, time.Since(c.begun)}
	answer, recordErr := r.close(ctx, c, e)
	if recordErr != nil {
		r.Instance.goOn(c.ID, func(ctx context.Context) { r.keepClosing(ctx, c, e) })
		return nil, unrecorded(c, recordErr)
	}
	return answer.result, answer.err
}

// keepClosing goes on with close until it comes through.
func (r Recorder) keepClosing(ctx context.Context, c *Command, e ending) {
	pause := pauses(100*time.Millisecond, 2*time.Second)
	for ctx.Err() == nil {
		rest(ctx, pause.NextBackOff())
		attempt, cancel := context.WithTimeout(ctx, settleTimeout)
		_, err := r.close(attempt, c, e)
		cancel()
		if err == nil {
			return
		}
	}
}

// answer is what the caller gets: a result or an error.
type answer struct {
	result any
	err    error
}

// close appends a command's last events. It may be called again after an error.
func (r Recorder) close(ctx context.Context, c *Command, e ending) (answer, error) {
	err := r.appendLast(ctx, c, e)
	if errors.Is(err, eventlog.ErrClaimed) {
		e = ending{err: errNotOwn, took: e.took}
		err = r.appendLast(ctx, c, e)
	}
	if errors.Is(err, eventlog.ErrConflict) {
		return r.overtaken(ctx, c, e)
	}
	return e.answer(), err
}

func (r Recorder) appendLast(ctx context.Context, c *Command, e ending) error {
	if c.unsure != nil {
		// The same event again: its id keeps it from being there twice.
		if err := c.append(ctx, *c.unsure); err != nil {
			return err
		}
		c.unsure = nil
	}
	events, err := r.lastEvents(ctx, c, e)
	if err != nil {
		return err
	}
	return c.record(ctx, events...)
}

// overtaken closes a command with which others have gone on, taking it for left
// behind: they have ended it, or put its effect in doubt. Who knows what became
// of the effect settles that here; otherwise the log's word counts.
func (r Recorder) overtaken(ctx context.Context, c *Command, e ending) (answer, error) {
	s, err := r.read(ctx, c.ID)
	applied := c.started && e.err == nil
	switch {
	case contracts.AsError(err).Kind == contracts.NotFound: // the log was rolled back: its recovery brings the command back
		return answer{err: unrecorded(c, err)}, nil
	case err != nil:
		return answer{}, err
	case s.attempt != c.attempt && !s.ended(): // what is known here is of an attempt that did nothing
		return answer{err: underWay(c.ID)}, nil
	case s.mayAppear() && applied: // it is late
	case s.ended() && applied && !s.succeeded() && s.late == nil:
		r.Instance.logger.Error("an effect was confirmed after it had been settled that there was none", "command", c.ID)
		return answer{err: &contracts.Error{
			Kind: contracts.Unknown, Message: "the effect was confirmed after it had been settled that there was none",
			Outcome: contracts.Done, Final: true,
		}}, nil
	case s.ended():
		result, err := r.stored(ctx, s)
		return answer{result, err}, nil
	case !s.inDoubt(): // a guard of the database refused the end: left to recovery
		return answer{err: unrecorded(c, eventlog.ErrConflict)}, nil
	case !applied && !c.refused:
		return answer{err: e.err}, nil
	}
	if e.err != nil {
		final := *contracts.AsError(e.err)
		final.Final = true
		e.err = &final
	}
	rep, sealed, err := r.seal(ctx, c, e)
	if err != nil {
		return answer{}, err
	}
	if s.mayAppear() {
		err = r.foundLate(ctx, r.command(s), event.EffectFoundLate{By: event.ByCommand, Result: sealed, Created: rep.created})
	} else {
		settled := event.EffectReconciled{Applied: applied, By: event.ByCommand, Created: rep.created}
		err = r.command(s).record(ctx, settled, lastEvent(c, e, rep, sealed))
	}
	switch {
	case errors.Is(err, eventlog.ErrClaimed): // nobody knows more than before
		return answer{err: errNotOwn}, nil
	case err != nil:
		return answer{}, err
	}
	return e.answer(), nil
}

// lastEvents returns a command's last events.
func (r Recorder) lastEvents(ctx context.Context, c *Command, e ending) ([]event.Payload, error) {
	rep, sealed, err := r.seal(ctx, c, e)
	if err != nil {
		return nil, err
	}
	last := lastEvent(c, e, rep, sealed)
	switch {
	case !c.started:
		return []event.Payload{last}, nil
	case e.err == nil:
		return []event.Payload{event.EffectConfirmed{Created: rep.created}, last}, nil
	case c.refused:
		return []event.Payload{event.EffectNotApplied{Message: rep.message, Quote: rep.quote}, last}, nil
	default: // only its reconciliation ends such a command
		return []event.Payload{event.EffectUnknown{
			Message: rep.message, Quote: rep.quote, Partial: rep.partial, Picture: c.picture, Answered: c.answered,
		}}, nil
	}
}

// lastEvent is the last event of a command.
func lastEvent(c *Command, e ending, rep report, result json.RawMessage) event.Payload {
	took := e.took.Milliseconds()
	if e.err == nil {
		return event.CommandCompleted{Outcome: event.Succeeded, Result: result, DurationMS: took}
	}
	err := contracts.AsError(e.err)
	if !c.started && refusal(err.Kind) {
		return event.CommandRejected{Kind: err.Kind, Message: rep.message, Quote: rep.quote, Repeatable: !err.Final}
	}
	return event.CommandCompleted{
		Outcome: event.Failed, Kind: err.Kind, Message: rep.message, Quote: rep.quote, Repeatable: !err.Final,
		Picture: c.picture, DurationMS: took,
	}
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

// unrecorded is the answer when the end of a command could not be recorded.
func unrecorded(c *Command, err error) error {
	if c.started && !c.refused {
		return &contracts.Error{
			Kind: contracts.Unknown, Message: "the outcome could not be recorded", Outcome: contracts.NotKnown, Err: err,
		}
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the result could not be recorded", RetryAfter: time.Second, Outcome: contracts.NothingDone, Err: err,
	}
}
