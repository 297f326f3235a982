package command

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// repeatPause is the longest pause between two looks at a command under way.
const repeatPause = 200 * time.Millisecond

// repeat answers a request whose command is there already: a caller sent it
// again with the same Idempotency-Key. It gets that command's answer, once
// there is one.
func (r Recorder) repeat(ctx context.Context, c *Command, request any) (any, error) {
	pause := pauses(firstPause, repeatPause)
	for {
		s, err := r.read(ctx, c.ID)
		if err != nil {
			return nil, unread(err)
		}
		if err := r.same(ctx, c, s, request); err != nil {
			return nil, err
		}
		switch {
		case s.ended():
			return r.stored(ctx, s)
		case s.inDoubt():
			return nil, &contracts.Error{
				Kind: contracts.Unknown, RetryAfter: firstLook,
				Message: "whether command " + c.ID + " took effect is not known yet; send the same request with the same Idempotency-Key later to learn it",
			}
		}
		rest(ctx, pause.NextBackOff())
		if ctx.Err() != nil {
			return nil, &contracts.Error{
				Kind: contracts.Timeout, RetryAfter: time.Second,
				Message: "command " + c.ID + " is still under way; send the same request with the same Idempotency-Key again to get its answer",
			}
		}
	}
}

// same returns an error unless a command was given by the same caller, for the
// same account, and with the same request.
func (r Recorder) same(ctx context.Context, c *Command, s story, request any) error {
	e := s.first()
	if e.Caller != c.Caller || e.Account != c.Account || e.Integration != c.Operation.Integration || e.Operation != c.Operation.Name {
		return contracts.Errorf(contracts.Fault, "the id of this command is taken by another one")
	}
	opened, err := r.Sealer.OpenFields(ctx, c.Account, s.accepted.Request)
	if err != nil {
		return unread(err)
	}
	first := reflect.New(reflect.TypeOf(request).Elem())
	if err := json.Unmarshal(opened, first.Interface()); err != nil {
		return contracts.Errorf(contracts.Fault, "the stored request of command %s is not one of its operation", c.ID)
	}
	// Compared as JSON: that is what both were.
	a, errA := json.Marshal(first.Interface())
	b, errB := json.Marshal(request)
	if err := errors.Join(errA, errB); err != nil {
		return unread(err)
	}
	if string(a) != string(b) {
		return contracts.Errorf(contracts.Invalid,
			"this Idempotency-Key came with another request before (command %s); give each request a key of its own; nothing was done", c.ID)
	}
	return nil
}

// stored is the answer of a command that has ended, as its caller got it.
func (r Recorder) stored(ctx context.Context, s story) (any, error) {
	if s.rejected != nil {
		return nil, r.storedError(ctx, s.first(), s.rejected.Kind, s.rejected.Message, s.rejected.Quote)
	}
	end := s.completed
	if end.Outcome != event.Succeeded {
		return nil, r.storedError(ctx, s.first(), end.Kind, end.Message, end.Quote)
	}
	if len(end.Result) == 0 {
		return nil, contracts.Errorf(contracts.Unknown,
			"the command succeeded, but its result was not kept; look at the application, and at the command by its Command-Id, and do not try again")
	}
	result, err := r.Sealer.OpenFields(ctx, s.first().Account, end.Result)
	if err != nil {
		return nil, unread(err)
	}
	return result, nil
}

// storedError is the error that a command ended with.
func (r Recorder) storedError(ctx context.Context, first event.Event, kind contracts.Kind, message string, quote json.RawMessage) error {
	e := &contracts.Error{Kind: kind, Message: message}
	if len(quote) == 0 {
		return e
	}
	opened, err := r.Sealer.OpenFields(ctx, first.Account, quote)
	if err != nil {
		return unread(err)
	}
	if err := json.Unmarshal(opened, &e.Message); err != nil {
		return contracts.Errorf(contracts.Fault, "the stored answer of command %s cannot be read", first.Command)
	}
	e.Quotes = true
	return e
}

// unread is the answer when what is stored of a command cannot be read.
func unread(err error) error {
	return &contracts.Error{
		Kind: contracts.Unavailable, RetryAfter: time.Second, Err: err,
		Message: "what became of the command could not be read; send the same request with the same Idempotency-Key again",
	}
}
