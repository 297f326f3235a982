package readmodel

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"integration.gateway/contracts/event"
)

// Trace ties a row to its stream.
type Trace struct {
	Events   int64  `json:"events"`    // of the stream that are counted in
	FirstSeq int64  `json:"first_seq"` // 0 until it is sequenced
	LastSeq  int64  `json:"last_seq"`  // of the last that is sequenced
	Problem  string `json:"problem"`   // the first event that could not be understood, and why; empty if all could
}

// count counts e in and has apply take what it tells.
func (t *Trace) count(e event.Event, apply func(event.Event) error) error {
	t.Events++
	if t.FirstSeq == 0 {
		t.FirstSeq = e.Seq
	}
	t.LastSeq = max(t.LastSeq, e.Seq)
	err := apply(e)
	if e.Version != t.Events {
		err = fmt.Errorf("it has version %d and is number %d of its stream", e.Version, t.Events)
		t.Events = e.Version // tell of one gap once
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("event %s: %w", e.ID, err)
	if t.Problem == "" {
		t.Problem = err.Error()
	}
	return err
}

// payload decodes an event's data. Its errors do not quote the data, which the
// decoder's own do.
func payload[P event.Payload](e event.Event) (P, error) {
	p, err := event.PayloadOf[P](e)
	if err != nil {
		return p, fmt.Errorf("its data is not that of a %s", e.Type)
	}
	return p, nil
}

// take decodes an event's data and has use take it.
func take[P event.Payload](e event.Event, use func(P)) error {
	p, err := payload[P](e)
	if err == nil {
		use(p)
	}
	return err
}

// maxText bounds, in bytes, each text that a row takes from an event's data,
// so that rows can be listed by the hundred.
const maxText = 1000

// text makes a text from an event's data storable: not too long and without
// NUL, which Postgres refuses.
func text(s string) string {
	if len(s) > maxText {
		cut := maxText - len("…")
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}
