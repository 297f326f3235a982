package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

const (
	// recordPatience is how long an event waits for a log that cannot be
	// reached. It is left out then.
	recordPatience = 30 * time.Second
	// maxPending bounds the events that wait. Clients that come and go faster than
	// the log takes it are not all told of.
	maxPending = 1000
)

// story records the events of a session in the order in which they happen.
// Nobody waits for it but for the first of them.
type story struct {
	log    Log
	logger *slog.Logger
	stream string
	about  event.Event // what all events have in common
	wake   chan struct{}
	done   chan struct{} // closed when run has returned
	// complete says, once done is closed, that the last event is in the log.
	complete bool
	last     event.Event // of the stream, as the log holds it

	mu      sync.Mutex
	pending []event.Event
	ended   bool // there are no more to come
}

func newStory(log Log, logger *slog.Logger, id string, r Request) *story {
	return &story{
		log: log, logger: logger, stream: event.SessionStream(id), wake: make(chan struct{}, 1), done: make(chan struct{}),
		about: event.Event{
			Integration: r.Integration, Operation: r.Operation, Command: r.Identity.CommandID,
			Caller: r.Identity.CallerID, Account: r.Identity.AccountID,
		},
	}
}

// begin records the first event.
func (s *story) begin(ctx context.Context, p event.Payload) error {
	e, err := s.event(p)
	if err == nil {
		err = s.append(ctx, e)
	}
	return err
}

func (s *story) event(p event.Payload) (event.Event, error) {
	e, err := event.New(p)
	about := s.about
	about.ID, about.Type, about.Data = e.ID, e.Type, e.Data
	return about, err
}

// add has an event recorded.
func (s *story) add(p event.Payload) {
	e, err := s.event(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.ended || len(s.pending) >= maxPending {
		s.logger.Error("an event of a session was not recorded", "stream", s.stream, "type", e.Type, "error", err)
		return
	}
	s.pending = append(s.pending, e)
	s.tell()
}

// end has run return once all events are recorded.
func (s *story) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.tell()
}

func (s *story) tell() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run records until end, or until ctx ends. Taken is called when somebody else
// has gone on with the stream, as if this process had died.
func (s *story) run(ctx context.Context, taken func()) {
	defer close(s.done)
	for {
		s.mu.Lock()
		batch, over := s.pending, s.ended
		s.pending = nil
		s.mu.Unlock()
		if len(batch) == 0 {
			if over {
				return
			}
			select {
			case <-s.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := s.record(ctx, batch)
		s.complete = err == nil
		switch {
		case errors.Is(err, eventlog.ErrConflict):
			s.logger.Warn("a session was ended by another instance", "stream", s.stream)
			taken()
			return
		case err != nil:
			s.logger.Error("events of a session were not recorded", "stream", s.stream, "events", len(batch), "error", err)
		}
	}
}

func (s *story) record(ctx context.Context, batch []event.Event) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := s.append(ctx, batch...)
		if errors.Is(err, eventlog.ErrConflict) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxElapsedTime(recordPatience))
	return err
}

func (s *story) append(ctx context.Context, events ...event.Event) error {
	appended, err := s.log.Append(ctx, s.stream, s.last, events...)
	if err == nil {
		s.last = appended[len(appended)-1]
	}
	return err
}
