package command

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"integration.gateway/contracts"
	"integration.gateway/contracts/event"
)

// story is what the events of a command's stream tell: those of its last attempt,
// since all attempts before it did nothing.
type story struct {
	events    []event.Event
	begin     int // index of the event that accepted the last attempt
	attempt   int // its number, from 1
	accepted  event.CommandAccepted
	started   *event.EffectStarted
	confirmed bool
	refused   *event.EffectNotApplied
	unknown   *event.EffectUnknown
	settled   *event.EffectReconciled
	late      *event.EffectFoundLate
	rejected  *event.CommandRejected
	completed *event.CommandCompleted
}

// tell reads a command's stream, which has one event at least.
func tell(events []event.Event) (story, error) {
	s := story{events: events}
	for i, e := range events {
		var err error
		switch e.Type {
		case event.TypeCommandAccepted:
			s = story{events: events, begin: i, attempt: s.attempt + 1}
			s.accepted, err = event.PayloadOf[event.CommandAccepted](e)
		case event.TypeEffectStarted:
			s.started, err = payload[event.EffectStarted](e)
		case event.TypeEffectConfirmed:
			s.confirmed = true
		case event.TypeEffectNotApplied:
			s.refused, err = payload[event.EffectNotApplied](e)
		case event.TypeEffectUnknown:
			s.unknown, err = payload[event.EffectUnknown](e)
		case event.TypeEffectReconciled:
			s.settled, err = payload[event.EffectReconciled](e)
		case event.TypeEffectFoundLate:
			s.late, err = payload[event.EffectFoundLate](e)
		case event.TypeCommandRejected:
			s.rejected, err = payload[event.CommandRejected](e)
		case event.TypeCommandCompleted:
			s.completed, err = payload[event.CommandCompleted](e)
		}
		if err != nil {
			return s, fmt.Errorf("read %s: %w", e.Stream, err)
		}
	}
	return s, nil
}

func payload[P event.Payload](e event.Event) (*P, error) {
	p, err := event.PayloadOf[P](e)
	return &p, err
}

// read tells the story of a command, whose stream must be there.
func (r Recorder) read(ctx context.Context, id string) (story, error) {
	events, err := r.Log.Stream(ctx, event.CommandStream(id))
	if err != nil {
		return story{}, err
	}
	if len(events) == 0 {
		return story{}, contracts.Errorf(contracts.NotFound, "there is no such command")
	}
	return tell(events)
}

// took is how long ago the attempt was accepted, by two clocks that may differ.
func (s story) took() time.Duration { return max(0, time.Since(s.first().Time)) }

// first is the event that accepted the attempt.
func (s story) first() event.Event { return s.events[s.begin] }

// last is the stream's last event.
func (s story) last() event.Event { return s.events[len(s.events)-1] }

// holds says whether the stream has an event, where the log had it.
func (s story) holds(e event.Event) bool {
	return e.Version <= int64(len(s.events)) && bytes.Equal(s.events[e.Version-1].Hash, e.Hash)
}

func (s story) ended() bool { return s.rejected != nil || s.completed != nil }

func (s story) succeeded() bool { return s.completed != nil && s.completed.Outcome == event.Succeeded }

// repeatable says whether the command has ended in such a way that the same
// request with the same key is its next attempt.
func (s story) repeatable() bool {
	return s.rejected != nil && s.rejected.Repeatable || s.completed != nil && s.completed.Repeatable
}

// inDoubt says whether nobody knows yet what became of the command's effect.
func (s story) inDoubt() bool { return s.unknown != nil && s.settled == nil && !s.ended() }

// mayAppear says whether it was settled that the effect did not happen, since the
// application did not show it: it may still.
func (s story) mayAppear() bool {
	return s.ended() && s.settled != nil && !s.settled.Applied && s.late == nil
}

// command is the command that a story is about, for who goes on with it.
func (r Recorder) command(s story) *Command {
	e := s.first()
	return &Command{
		ID: e.Command, Caller: e.Caller, Account: e.Account, StartedAt: e.Time,
		Operation: contracts.Info{Integration: e.Integration, Name: e.Operation, Effect: s.accepted.Effect},
		log:       r.Log, user: s.accepted.User, last: s.last(), attempt: s.attempt,
	}
}
