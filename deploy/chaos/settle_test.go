package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/audit"
	"integration.gateway/pkg/eventlog"
	"integration.gateway/pkg/proof"
)

const (
	copyLimit   = 30 * time.Second // for subscribers to get everything, once all commands have ended
	insistLimit = time.Minute      // for a definite answer then
)

// settle waits until no command is open, asks once more for what has no answer
// yet, and compares everything.
func (w *world) settle(ctx context.Context) *report {
	w.mu.Lock()
	clear(w.latest) // no fault strikes from here on
	w.mu.Unlock()
	for _, m := range w.members {
		m.nats.awaitWhole()
		if m.database != nil {
			m.database.awaitWhole()
		}
	}
	r := &report{world: w}
	if err := until(ctx, timing.open, w.noneOpen); err != nil {
		fmt.Printf("chaos: %v\n", err)
	}
	for _, t := range w.trials {
		w.insist(ctx, t)
	}
	w.operator.stop()
	if err := until(ctx, copyLimit, w.noSession); err != nil {
		r.wrong("sessions without an end", nil, "%v", err)
	}
	if err := until(ctx, copyLimit, w.copied); err != nil {
		r.wrong("lost events", nil, "%v", err)
	}
	events, err := w.events(ctx)
	w.must(err)
	w.compareCopy(ctx, r, events)
	verified, err := audit.Verify(ctx, w.log, proof.Trust{Verifiers: []string{w.verifier}}, nil)
	if err != nil {
		r.wrong("log does not verify", nil, "%v", err)
	}
	r.verified = verified
	stories, err := w.stories(ctx, events)
	w.must(err)
	r.compare(stories)
	return r
}

// until tries something until it works.
func until(ctx context.Context, limit time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v: %w", limit, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (w *world) noneOpen(ctx context.Context) error {
	var open, doubt, late int
	err := w.pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE in_doubt), (SELECT count(*) FROM late_checks) FROM open_commands`).
		Scan(&open, &doubt, &late)
	if err == nil && open+late > 0 {
		err = fmt.Errorf("%d commands are open, %d of them in doubt, and %d are looked for late", open, doubt, late)
	}
	return err
}

// insist asks again, with the same key, until there is a definite answer.
func (w *world) insist(ctx context.Context, t *trial) {
	for _, r := range t.requests {
		if r.key == "" || r.definite() != nil {
			continue
		}
		_ = until(ctx, insistLimit, func(ctx context.Context) error {
			time.Sleep(time.Second)
			if r.send(ctx, 0, patience); r.definite() == nil {
				return errors.New("no definite answer")
			}
			return nil
		})
	}
}

func (w *world) copied(ctx context.Context) error {
	state, err := eventlog.State(ctx, w.pool, w.nats, eventlog.DefaultStream)
	if err != nil {
		return err
	}
	if state.Unsequenced > 0 || state.Copied != state.Head || state.Checkpoint != state.Head {
		return fmt.Errorf("of %d events %d more wait for their place, %d are copied and %d signed: %s",
			state.Head, state.Unsequenced, state.Copied, state.Checkpoint, state.Problem)
	}
	return nil
}

// compareCopy compares what subscribers were sent with the log, and the log's
// order with what was appended.
func (w *world) compareCopy(ctx context.Context, r *report, events []event.Event) {
	ctx, cancel := context.WithTimeout(ctx, copyLimit)
	defer cancel()
	var appended int
	w.must(w.pool.QueryRow(ctx, `SELECT count(*) FROM events`).Scan(&appended))
	r.events = appended
	if appended != len(events) {
		r.wrong("lost events", nil, "%d events were appended, and the log's order has %d", appended, len(events))
	}
	js, err := jetstream.New(w.nats)
	w.must(err)
	consumer, err := js.OrderedConsumer(ctx, eventlog.DefaultStream, jetstream.OrderedConsumerConfig{})
	w.must(err)
	for _, e := range events {
		msg, err := consumer.Next(jetstream.FetchMaxWait(copyLimit))
		if err != nil {
			r.wrong("lost events", nil, "event %d did not reach subscribers: %v", e.Seq, err)
			return
		}
		if copied, err := event.Decode(msg.Subject(), msg.Headers(), msg.Data()); err != nil || copied.ID != e.ID || copied.Seq != e.Seq {
			r.wrong("lost events", nil, "subscribers got event %s at the place of %s: %v", copied.ID, e.ID, err)
		}
	}
}
