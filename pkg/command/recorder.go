package command

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-kit/kit/endpoint"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/vault"
)

// settleTimeout bounds the append of a command's last events, which happens
// even when the command's own time is over. The caller still waits then.
const settleTimeout = bus.ReplyMargin - 2*time.Second

// sealTimeout bounds the sealing of what those events hold, so that there is
// time left to record them without.
const sealTimeout = settleTimeout / 2

// maxResult is the longest result that an event has room for, in bytes.
const maxResult = event.MaxDataBytes - 1024

// Log is where the events go: an eventlog.Log.
type Log interface {
	// Append adds events to a stream whose last event has the expected
	// version, and returns them as they were recorded.
	Append(ctx context.Context, stream string, expected int64, events ...event.Event) ([]event.Event, error)
}

// Sealer hides personal data before it reaches the log: a vault.Vault.
type Sealer interface {
	// SealFields returns the JSON of v with its sensitive fields sealed by
	// the account's key.
	SealFields(ctx context.Context, account string, v any) (json.RawMessage, error)

	// SealValue returns what stands in JSON where the whole of v is sealed.
	SealValue(ctx context.Context, account string, v any) (json.RawMessage, error)
}

// Recorder records the commands of a service.
type Recorder struct {
	Log    Log
	Sealer Sealer

	// Site returns the name and the content hash of the site that the
	// integration points at.
	Site func() (name, hash string)
}

// Middleware records every command of an operation, from accepted to the end.
func (r Recorder) Middleware(op contracts.Info) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			c, err := newCommand(ctx, op, r.Log)
			if err != nil {
				return nil, err
			}
			if err := r.accept(ctx, c, request); err != nil {
				return nil, unaccepted(err)
			}
			result, err := next(context.WithValue(ctx, contextKey{}, c), request)
			err = c.inDoubt(err)

			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
			defer cancel()
			if recordErr := r.settle(ctx, c, result, err); recordErr != nil {
				return nil, unrecorded(c, recordErr)
			}
			if err != nil {
				return nil, err
			}
			return result, nil
		}
	}
}

func (r Recorder) accept(ctx context.Context, c *Command, request any) error {
	sealed, err := r.Sealer.SealFields(ctx, c.Account, request)
	if err != nil {
		return err
	}
	site, hash := r.Site()
	return c.record(ctx, event.CommandAccepted{Request: sealed, Site: site, SiteHash: hash})
}

// settle records how the command ended.
func (r Recorder) settle(ctx context.Context, c *Command, result any, err error) error {
	told, sealed := r.seal(ctx, c, result, err)
	var events []event.Payload
	if c.unsure != nil {
		// The same event again: its id keeps it from being there twice.
		if err := c.append(ctx, *c.unsure); err != nil {
			return err
		}
		events = append(events, event.EffectNotApplied{Message: told.message, Quote: told.quote})
	}
	if c.started {
		e := effect(c, err, told)
		events = append(events, e)
		if e.EventType() == event.TypeEffectUnknown {
			// Only its reconciliation ends such a command.
			return c.record(ctx, events...)
		}
	}
	return c.record(ctx, append(events, end(c, err, told, sealed))...)
}

// effect says what became of an effect that was started.
func effect(c *Command, err error, told told) event.Payload {
	switch {
	case err == nil:
		return event.EffectConfirmed{}
	case c.refused:
		return event.EffectNotApplied{Message: told.message, Quote: told.quote}
	default:
		return event.EffectUnknown{Message: told.message, Quote: told.quote}
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
}

// seal returns what the last events hold of how the command ended: the result,
// or what is told of the error. What cannot be sealed is left out, as once the
// account was erased meanwhile, and so is a result that is too long: the caller
// gets it all the same, and that the command ended is recorded.
func (r Recorder) seal(ctx context.Context, c *Command, result any, err error) (t told, sealed json.RawMessage) {
	ctx, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if err != nil {
		return r.told(ctx, c, contracts.AsError(err)), nil
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

// unaccepted is the answer when a command could not be recorded as accepted.
func unaccepted(err error) error {
	if errors.Is(err, vault.ErrErased) {
		return contracts.Errorf(contracts.Unauthorized, "the account is erased; nothing was done")
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "the command could not be recorded; nothing was done", RetryAfter: time.Second, Err: err,
	}
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
