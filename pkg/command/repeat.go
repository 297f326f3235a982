package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/bus"
	"integration.gateway/pkg/vault"
)

// repeatPause is the longest pause between two looks at a command under way.
const repeatPause = 200 * time.Millisecond

// find tells the story of a command that is there already: a caller sent its
// request again with the same Idempotency-Key.
func (r Recorder) find(ctx context.Context, c *Command, request any) (story, error) {
	s, err := r.read(ctx, c.ID)
	if err != nil {
		return s, unread(err)
	}
	return s, r.same(ctx, c, s, request)
}

// await answers a repeated request with what becomes of the attempt that is under
// way, or was the last. It needs no worker.
func (r Recorder) await(ctx context.Context, s story) (any, error) {
	id, attempt := s.first().Command, s.attempt
	pause := pauses(firstPause, repeatPause)
	for waits := false; !s.ended() && s.attempt == attempt; waits = true {
		if s.inDoubt() {
			return nil, &contracts.Error{
				Kind: contracts.Unknown, Message: "command " + id + " is in doubt", RetryAfter: firstLook, Outcome: contracts.NotKnown,
			}
		}
		if !waits {
			if err := bus.GiveWorkerBack(ctx); err != nil {
				return nil, err
			}
		}
		rest(ctx, pause.NextBackOff())
		var err error
		s, err = r.read(ctx, id)
		switch {
		case ctx.Err() != nil:
			return nil, underWay(id)
		case err != nil:
			return nil, unread(err)
		}
	}
	if s.attempt != attempt {
		return nil, underWay(id) // the next one is, already
	}
	return r.stored(ctx, s)
}

// underWay is the answer when another request carries the command out.
func underWay(id string) error {
	return &contracts.Error{
		Kind: contracts.Unknown, Message: "command " + id + " is still under way", RetryAfter: time.Second, Outcome: contracts.NotKnown,
	}
}

// same returns an error unless a command was given by the same caller, for the
// same account, and with the same request.
func (r Recorder) same(ctx context.Context, c *Command, s story, request any) error {
	e := s.first()
	if e.Caller != c.Caller || e.Account != c.Account || e.Integration != c.Operation.Integration || e.Operation != c.Operation.Name {
		return notThisOne(contracts.Errorf(contracts.Fault, "the id of this command is taken by another one"))
	}
	opened, err := r.Sealer.OpenFields(ctx, c.Account, s.accepted.Request)
	if err != nil {
		return unread(err)
	}
	first := reflect.New(reflect.TypeOf(request).Elem())
	if err := json.Unmarshal(opened, first.Interface()); err != nil {
		return unreadable("the stored request of command %s is not one of its operation", c.ID)
	}
	// Compared as JSON: that is what both were.
	a, errA := json.Marshal(first.Interface())
	b, errB := json.Marshal(request)
	if err := errors.Join(errA, errB); err != nil {
		return unread(err)
	}
	if !bytes.Equal(a, b) {
		return notThisOne(contracts.Errorf(contracts.Invalid,
			"this Idempotency-Key came with another request before (command %s); give each request a key of its own", c.ID))
	}
	return nil
}

// notThisOne is the error when the key of a request names another one.
func notThisOne(e *contracts.Error) error {
	e.Outcome, e.Final = contracts.NotBegun, true
	return e
}

// stored is the answer of a command that has ended, as its caller got it.
func (r Recorder) stored(ctx context.Context, s story) (any, error) {
	first, end := s.first(), s.completed
	switch {
	case s.late != nil:
		return r.storedResult(ctx, first, s.late.Result, "the command was carried out late")
	case s.rejected != nil:
		return nil, r.storedError(ctx, s, s.rejected.Kind, s.rejected.Message, s.rejected.Quote)
	case s.mayAppear():
		return r.provisional(ctx, s)
	case end.Outcome != event.Succeeded:
		return nil, r.storedError(ctx, s, end.Kind, end.Message, end.Quote)
	}
	return r.storedResult(ctx, first, end.Result, "the command succeeded")
}

// provisional is the answer of a command whose effect the application did not
// show: as long as it is looked for, it may still appear.
func (r Recorder) provisional(ctx context.Context, s story) (any, error) {
	late, err := r.Register.awaited(ctx, s.first().Command)
	switch {
	case err != nil:
		return nil, unread(err)
	case late != nil:
		return nil, &contracts.Error{
			Kind: s.completed.Kind, Outcome: contracts.NotKnown, RetryAfter: min(max(late.Left, time.Minute), longestLook),
			Message: fmt.Sprintf("%s and may be late; %s; to do the same as long as that lasts, send it with the header %s: %s",
				notShown(s, late.Since), late.search(), contracts.DuplicateRiskHeader, late.ID),
		}
	}
	// It may have appeared since the log was read: then it is not looked for either.
	if s, err = r.read(ctx, s.first().Command); err != nil {
		return nil, unread(err)
	}
	if s.late != nil {
		return r.stored(ctx, s)
	}
	return nil, r.storedError(ctx, s, s.completed.Kind, s.completed.Message, s.completed.Quote)
}

// storedResult is the result of a command that was carried out.
func (r Recorder) storedResult(ctx context.Context, first event.Event, sealed json.RawMessage, what string) (any, error) {
	if len(sealed) == 0 {
		return nil, &contracts.Error{Kind: contracts.Unknown, Message: what + ", but its result was not kept", Outcome: contracts.Done, Final: true}
	}
	result, err := r.Sealer.OpenFields(ctx, first.Account, sealed)
	if err != nil {
		return nil, unread(err)
	}
	return result, nil
}

// storedError is the error that a command ended with.
func (r Recorder) storedError(ctx context.Context, s story, kind contracts.Kind, message string, quote json.RawMessage) error {
	first, stored := s.first(), &contracts.Error{Kind: kind, Message: message, Outcome: contracts.NothingDone}
	if !s.repeatable() {
		stored.Message, stored.Final = message+"; this is the stored answer", true
	}
	if len(quote) == 0 {
		return stored
	}
	opened, err := r.Sealer.OpenFields(ctx, first.Account, quote)
	if err != nil {
		return unread(err)
	}
	if err := json.Unmarshal(opened, &message); err != nil {
		return unreadable("the stored answer of command %s cannot be read", first.Command)
	}
	stored.Message, stored.Quotes = message+"; this is the stored answer", true
	return stored
}

// unread is the answer when what is stored of a command cannot be read.
func unread(err error) error {
	switch {
	case errors.Is(err, vault.ErrErased):
		return &contracts.Error{
			Kind: contracts.Unauthorized, Message: "the account is erased, and with it what became of the command",
			Outcome: contracts.NotKnown, Final: true,
		}
	case errors.Is(err, vault.ErrDamaged), errors.Is(err, vault.ErrNotFound):
		return &contracts.Error{
			Kind: contracts.Fault, Err: err, Message: "what is stored of the command does not open; look at the application",
			Outcome: contracts.NotKnown, Final: true,
		}
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, Message: "what became of the command could not be read", RetryAfter: time.Second,
		Outcome: contracts.NotKnown, Err: err,
	}
}

// unreadable is the answer when what is stored of a command is not what it should be.
func unreadable(format string, args ...any) error {
	e := contracts.Errorf(contracts.Fault, format, args...)
	e.Outcome, e.Final = contracts.NotKnown, true
	return e
}
