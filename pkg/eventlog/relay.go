package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"integration.gateway/contracts/event"
)

const (
	relayBatch    = 256             // events that are read from the log at once
	relayWindow   = 1024            // messages under way to JetStream at once
	relayBytes    = 4 << 20         // of data in them
	publishLimit  = 5 * time.Second // for JetStream to confirm a message
	recheckPeriod = 2 * time.Second // between two looks at an idle stream, which may have lost its end
)

var errLostEnd = errors.New("the stream does not end where the relay left it")

// relay copies the log into JetStream: event n becomes message n. JetStream
// itself refuses a message whose predecessor is not the one expected, by its
// seq and by its id, so that neither a second relay nor a message lost on the
// way nor another store behind the same address can break the order.
type relay struct {
	log    *Log
	nc     *nats.Conn
	config jetstream.StreamConfig
	moved  <-chan struct{} // the sequencer moved events
	copied func(seq int64) // is told the last event that the stream holds
	report func(error)     // what keeps the relay from its work; nil when it works
	logger *slog.Logger
}

// flight is an event on its way to JetStream.
type flight struct {
	event  event.Event
	answer jetstream.PubAckFuture
}

// window holds what is under way, in order. It bounds the number of messages
// and, since JetStream drops what it cannot buffer, their size.
type window struct {
	flights chan flight
	bytes   *semaphore.Weighted
}

func newWindow() *window {
	return &window{flights: make(chan flight, relayWindow), bytes: semaphore.NewWeighted(relayBytes)}
}

// run copies until ctx ends, or until a mismatch. After another failure it looks
// what the stream really holds and goes on from there.
func (r *relay) run(ctx context.Context) error {
	// The window is narrower than the publisher's own, which never stalls.
	js, err := jetstream.New(r.nc, jetstream.WithPublishAsyncMaxPending(2*relayWindow), jetstream.WithPublishAsyncTimeout(publishLimit))
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	defer js.CleanupPublisher()
	return persist(ctx, r.logger.With("task", "relay", "stream", r.config.Name), r.report, func(ctx context.Context, pauses backoff.BackOff) error {
		err := r.follow(ctx, js, pauses)
		select { // what is still under way takes up room, for publishLimit at most
		case <-js.PublishAsyncComplete():
		case <-ctx.Done():
		}
		return err
	})
}

// follow finds out where the stream ends and publishes all that comes after,
// until something fails. The database, this process and JetStream work at the
// same time: one batch is read while another is sent and the answers to a
// third arrive.
func (r *relay) follow(ctx context.Context, js jetstream.JetStream, pauses backoff.BackOff) error {
	last, err := r.resume(ctx, js)
	if err != nil {
		return err
	}
	batches, underWay := make(chan []event.Event, 1), newWindow()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.read(ctx, js, last, batches) })
	group.Go(func() error { return r.publish(ctx, js, batches, underWay) })
	group.Go(func() error { return r.confirm(ctx, underWay, pauses) })
	return group.Wait()
}

// resume returns the seq of the last event that the stream holds.
func (r *relay) resume(ctx context.Context, js jetstream.JetStream) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	stream, err := openCopy(ctx, js, r.config)
	if err != nil {
		return 0, err
	}
	last, err := lastCopied(ctx, stream, r.log)
	if err == nil {
		r.copied(last)
	}
	return last, err
}

// read reads the events that follow last. While the log is quiet it looks at
// the stream from time to time: one that lost its end or its store is found,
// and filled up by another follow, even then.
func (r *relay) read(ctx context.Context, js jetstream.JetStream, last int64, batches chan<- []event.Event) error {
	recheck := time.NewTicker(recheckPeriod)
	defer recheck.Stop()
	for seq := last; ; {
		events, err := r.readBatch(ctx, seq)
		if err != nil {
			return err
		}
		if len(events) > 0 {
			select {
			case batches <- events:
				seq += int64(len(events))
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if seq == last { // there is nothing whose answer could tell that all is well
			r.report(nil)
		}
		select {
		case <-r.moved:
		case <-recheck.C:
			end, err := r.resume(ctx, js)
			if err != nil {
				return err
			}
			if end != seq {
				return fmt.Errorf("%w: its last message is %d, not %d", errLostEnd, end, seq)
			}
			if err := r.trim(ctx, js, end); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// trim drops from the journal what the copy holds.
func (r *relay) trim(ctx context.Context, js jetstream.JetStream, copied int64) error {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	journal, err := openStream(ctx, js, journalConfig(r.config.Replicas))
	if err != nil {
		return err
	}
	return trimJournal(ctx, journal, r.log, copied)
}

func (r *relay) readBatch(ctx context.Context, seq int64) ([]event.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	events, err := r.log.Range(ctx, seq, relayBatch)
	if err != nil {
		return nil, err
	}
	for i, e := range events {
		if want := seq + int64(i) + 1; e.Seq != want {
			return nil, fmt.Errorf("%w: event %d is missing in the log", ErrMismatch, want)
		}
	}
	return events, nil
}

// publish sends the events, and waits only when too much is under way.
func (r *relay) publish(ctx context.Context, js jetstream.JetStream, batches <-chan []event.Event, underWay *window) error {
	predecessor := "" // of the first event: resume has seen it
	for {
		select {
		case events := <-batches:
			for _, e := range events {
				if err := underWay.bytes.Acquire(ctx, int64(len(e.Data))); err != nil {
					return err
				}
				answer, err := r.send(js, e, predecessor)
				if err != nil {
					return err
				}
				predecessor = e.ID
				select {
				case underWay.flights <- flight{e, answer}:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *relay) send(js jetstream.JetStream, e event.Event, predecessor string) (jetstream.PubAckFuture, error) {
	subject, header, data, err := event.Encode(e)
	if err != nil {
		return nil, fmt.Errorf("%w: event %d cannot be published: %w", ErrMismatch, e.Seq, err)
	}
	options := []jetstream.PublishOpt{
		jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(r.config.Name), jetstream.WithExpectLastSequence(uint64(e.Seq - 1)),
	}
	if predecessor != "" {
		options = append(options, jetstream.WithExpectLastMsgID(predecessor))
	}
	answer, err := js.PublishMsgAsync(&nats.Msg{Subject: subject, Header: header, Data: data}, options...)
	if err != nil {
		return nil, fmt.Errorf("publish event %d: %w", e.Seq, err)
	}
	return answer, nil
}

// confirm waits for the answers in order, so that the first failure, which
// explains those that follow it, is the one that is reported.
func (r *relay) confirm(ctx context.Context, underWay *window, pauses backoff.BackOff) error {
	for {
		select {
		case f := <-underWay.flights:
			if err := await(ctx, f.answer, f.event); err != nil {
				return err
			}
			underWay.bytes.Release(int64(len(f.event.Data)))
			r.copied(f.event.Seq)
			pauses.Reset()
			r.report(nil)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
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
		return fmt.Errorf("publish event %d: %w", e.Seq, explain(err))
	case <-ctx.Done():
		return ctx.Err()
	}
}
