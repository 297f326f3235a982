package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
	"integration.gateway/pkg/vault"
)

// repeatPause is the longest pause between two looks at a command under way.
const repeatPause = 200 * time.Millisecond

// repeat answers a request whose command is there already: a caller sent it
// again with the same Idempotency-Key. It gets that command's answer, once
// there is one.
func (r Recorder) repeat(ctx context.Context, c *Command, request any) (any, error) {
	s, err := r.read(ctx, c.ID)
	if err != nil {
		return nil, unread(err)
	}
	if err := r.same(ctx, c, s, request); err != nil {
		return nil, err
	}
	pause := pauses(firstPause, repeatPause)
	for !s.ended() {
		if s.inDoubt() {
			return nil, &contracts.Error{
				Kind: contracts.Unknown, RetryAfter: firstLook,
				Message: "whether command " + c.ID + " took effect is not known yet; send the same request with the same Idempotency-Key later to learn it",
			}
		}
		rest(ctx, pause.NextBackOff())
		s, err = r.read(ctx, c.ID)
		switch {
		case ctx.Err() != nil:
			return nil, &contracts.Error{
				Kind: contracts.Unknown, RetryAfter: time.Second,
				Message: "command " + c.ID + " is still under way; send the same request with the same Idempotency-Key again to get its answer",
			}
		case err != nil:
			return nil, unread(err)
		}
	}
	return r.stored(ctx, s, "; this is the stored answer: to try again, use a new Idempotency-Key")
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
	if !bytes.Equal(a, b) {
		return contracts.Errorf(contracts.Invalid,
			"this Idempotency-Key came with another request before (command %s); give each request a key of its own; this one was not begun", c.ID)
	}
	return nil
}

// stored is the answer of a command that has ended, as its caller got it. The
// hint is added to an error.
func (r Recorder) stored(ctx context.Context, s story, hint string) (any, error) {
	first, end := s.first(), s.completed
	switch {
	case s.late != nil:
		return r.storedResult(ctx, first, s.late.Result, "the command was carried out late")
	case s.rejected != nil:
		return nil, r.storedError(ctx, first, s.rejected.Kind, s.rejected.Message, s.rejected.Quote, hint)
	case end.Outcome != event.Succeeded:
		return nil, r.storedError(ctx, first, end.Kind, end.Message, end.Quote, hint)
	}
	return r.storedResult(ctx, first, end.Result, "the command succeeded")
}

// storedResult is the result of a command that was carried out.
func (r Recorder) storedResult(ctx context.Context, first event.Event, sealed json.RawMessage, what string) (any, error) {
	if len(sealed) == 0 {
		return nil, contracts.Errorf(contracts.Unknown, "%s, but its result was not kept; look at the application, and do not try again", what)
	}
	result, err := r.Sealer.OpenFields(ctx, first.Account, sealed)
	if err != nil {
		return nil, unread(err)
	}
	return result, nil
}

// storedError is the error that a command ended with.
func (r Recorder) storedError(ctx context.Context, first event.Event, kind contracts.Kind, message string, quote json.RawMessage, hint string) error {
	if len(quote) == 0 {
		return &contracts.Error{Kind: kind, Message: message + hint}
	}
	opened, err := r.Sealer.OpenFields(ctx, first.Account, quote)
	if err != nil {
		return unread(err)
	}
	if err := json.Unmarshal(opened, &message); err != nil {
		return contracts.Errorf(contracts.Fault, "the stored answer of command %s cannot be read", first.Command)
	}
	return &contracts.Error{Kind: kind, Message: message + hint, Quotes: true}
}

// unread is the answer when what is stored of a command cannot be read.
func unread(err error) error {
	switch {
	case errors.Is(err, vault.ErrErased):
		return contracts.Errorf(contracts.Unauthorized, "the account is erased, and with it what became of the command")
	case errors.Is(err, vault.ErrDamaged), errors.Is(err, vault.ErrNotFound):
		return &contracts.Error{
			Kind: contracts.Fault, Err: err,
			Message: "what is stored of the command does not open; look at the application, and at the command by its Command-Id",
		}
	}
	return &contracts.Error{
		Kind: contracts.Unavailable, RetryAfter: time.Second, Err: err,
		Message: "what became of the command could not be read; send the same request with the same Idempotency-Key again",
	}
}
