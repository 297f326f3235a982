package eventlog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

const (
	relayWindow   = 256             // messages under way to JetStream at once
	publishLimit  = 5 * time.Second // for JetStream to confirm a message
	recheckPeriod = 2 * time.Second // between two looks at an idle stream, which may have lost its end
)

// relay copies the log into JetStream: event n becomes message n. JetStream
// itself refuses a message whose predecessor is not the one expected, so that
// neither a second relay nor a message lost on the way can break the order.
type relay struct {
	log    *Log
	nc     *nats.Conn
	config jetstream.StreamConfig
	moved  <-chan struct{} // the sequencer moved events
	report func(error)     // what keeps the relay from its work; nil when it works
	logger *slog.Logger
}

// run copies until ctx ends. After a failure it looks what the stream really
// holds and goes on from there; after a mismatch it halts and waits for ctx.
func (r *relay) run(ctx context.Context) error {
	js, err := jetstream.New(r.nc,
		jetstream.WithPublishAsyncMaxPending(relayWindow), jetstream.WithPublishAsyncTimeout(publishLimit))
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	defer js.CleanupPublisher()
	persist(ctx, r.logger.With("task", "relay", "stream", r.config.Name), r.report, func(ctx context.Context, pauses backoff.BackOff) error {
		return r.follow(ctx, js, pauses)
	})
	return nil
}

// follow finds out where the stream ends and publishes all that comes after,
// until something fails. While the log is quiet it looks again from time to
// time: a stream that lost its end or its store is filled up even then.
func (r *relay) follow(ctx context.Context, js jetstream.JetStream, pauses backoff.BackOff) error {
	seq, err := r.resume(ctx, js)
	if err != nil {
		return err
	}
	recheck := time.NewTicker(recheckPeriod)
	defer recheck.Stop()
	for {
		events, err := r.log.Range(ctx, seq, relayWindow)
		if err != nil {
			return err
		}
		if err := r.publish(ctx, js, seq, events); err != nil {
			return err
		}
		seq += int64(len(events))
		pauses.Reset()
		r.report(nil)
		if len(events) > 0 {
			continue
		}
		select {
		case <-r.moved:
		case <-recheck.C:
			if seq, err = r.resume(ctx, js); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resume returns the seq of the last event that the stream holds.
func (r *relay) resume(ctx context.Context, js jetstream.JetStream) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	stream, err := openCopy(ctx, js, r.config)
	if err != nil {
		return 0, err
	}
	return lastCopied(ctx, stream, r.log)
}

// publish sends the events that follow seq without waiting in between, then
// waits for all the answers. It returns the first failure.
func (r *relay) publish(ctx context.Context, js jetstream.JetStream, seq int64, events []event.Event) error {
	answers := make([]jetstream.PubAckFuture, 0, len(events))
	var sendErr error
	for i, e := range events {
		if want := seq + int64(i) + 1; e.Seq != want {
			return fmt.Errorf("%w: event %d is missing in the log", ErrMismatch, want)
		}
		answer, err := r.send(js, e)
		if err != nil {
			sendErr = err
			break
		}
		answers = append(answers, answer)
	}
	// All are awaited, even after a failure: what is still under way takes up
	// a place in the window. The first failure explains those that follow it.
	var failure error
	for i, answer := range answers {
		if err := await(ctx, answer, events[i]); err != nil && failure == nil {
			failure = err
		}
	}
	if failure != nil {
		return failure
	}
	return sendErr
}

func (r *relay) send(js jetstream.JetStream, e event.Event) (jetstream.PubAckFuture, error) {
	subject, header, data, err := event.Encode(e)
	if err != nil {
		return nil, fmt.Errorf("%w: event %d cannot be published: %w", ErrMismatch, e.Seq, err)
	}
	answer, err := js.PublishMsgAsync(&nats.Msg{Subject: subject, Header: header, Data: data},
		jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(r.config.Name), jetstream.WithExpectLastSequence(uint64(e.Seq-1)))
	if err != nil {
		return nil, fmt.Errorf("publish event %d: %w", e.Seq, err)
	}
	return answer, nil
}

// await waits for JetStream's answer to one event.
func await(ctx context.Context, answer jetstream.PubAckFuture, e event.Event) error {
	select {
	case ack := <-answer.Ok():
		// A duplicate is what it should be, if it has the right place.
		if ack.Sequence != uint64(e.Seq) {
			return fmt.Errorf("%w: event %d (%s) is message %d", ErrMismatch, e.Seq, e.ID, ack.Sequence)
		}
		return nil
	case err := <-answer.Err():
		return fmt.Errorf("publish event %d: %w", e.Seq, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}
