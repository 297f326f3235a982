package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"integration.gateway/contracts/event"
	"integration.gateway/pkg/eventlog"
)

const (
	// replayFlush is the number of events after which a replay waits until the
	// server has them all.
	replayFlush = 100
	// flushLimit bounds that wait.
	flushLimit = 10 * time.Second
	// maxSubject is the longest subject that a replay goes to, in bytes.
	maxSubject = 256
)

// Replay sends events of the log to one NATS subject again, each marked as a
// part of this replay (see event.Event's Replay).
type Replay struct {
	Log     *eventlog.Log
	NATS    *nats.Conn // one that does not connect again: what was on its way is lost then, and nobody told
	Subject string
	ID      string  // tells this replay from others
	Rate    float64 // events a second, at most

	// Sent is told the last event up to which the NATS server has the replay's, so
	// that a replay that is cut short can go on from there. An error ends the
	// replay.
	Sent func(last event.Event) error
}

// ErrSubject says that events cannot be replayed to a subject.
var ErrSubject = errors.New("choose another subject for the replay")

// CheckSubject reports why events cannot be replayed to a subject: it is not
// one, or it is one of the gateway's own, where a replay would be taken for
// what happens now.
func CheckSubject(subject string) error {
	if len(subject) > maxSubject || strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%w: it must be at most %d printable ASCII characters without spaces", ErrSubject, maxSubject)
	}
	tokens := strings.Split(subject, ".")
	for _, token := range tokens {
		if token == "" || strings.ContainsAny(token, "*>") {
			return fmt.Errorf("%w: it must be words joined by dots, without wildcards", ErrSubject)
		}
	}
	if own := tokens[0]; own == "evt" || own == "cmd" || own == "log" || strings.HasPrefix(own, "$") || own == "_INBOX" {
		return fmt.Errorf("%w: what begins with %q belongs to the gateway or to NATS itself", ErrSubject, own)
	}
	return nil
}

// Run replays the events that filter finds, in the log's order. It returns the
// number of events that the NATS server has.
func (r Replay) Run(ctx context.Context, filter eventlog.Filter, progress Progress) (sent int64, err error) {
	if err := CheckSubject(r.Subject); err != nil {
		return 0, err
	}
	limit := rate.NewLimiter(rate.Limit(r.Rate), max(1, int(r.Rate/100))) // a burst of 10 ms
	pending, last := int64(0), event.Event{}
	flush := func() error {
		if pending == 0 {
			return nil
		}
		if err := r.NATS.FlushTimeout(flushLimit); err != nil {
			return fmt.Errorf("the NATS server does not confirm the replay: %w", err)
		}
		sent, pending = sent+pending, 0
		return r.Sent(last)
	}
	err = Each(ctx, r.Log, filter, progress, func(e event.Event) error {
		if err := limit.Wait(ctx); err != nil {
			return err
		}
		if err := r.send(e); err != nil {
			return err
		}
		pending, last = pending+1, e
		if pending < replayFlush {
			return nil
		}
		return flush()
	})
	return sent, errors.Join(err, flush())
}

func (r Replay) send(e event.Event) error {
	e.Replay = r.ID
	_, header, data, err := event.Encode(e)
	if err != nil {
		return err
	}
	if err := r.NATS.PublishMsg(&nats.Msg{Subject: r.Subject, Header: header, Data: data}); err != nil {
		return fmt.Errorf("replay event %d: %w", e.Seq, err)
	}
	return nil
}
