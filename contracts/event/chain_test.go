package event_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"integration.gateway/contracts/event"
)

// stream returns a stream of two events as the log would hold it.
func stream() []event.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	first := event.Event{
		ID: "0190a000-0000-7000-8000-000000000001", Type: event.TypeCommandAccepted,
		Stream: event.CommandStream("c1"), Version: 1, Time: at, Seq: 41,
		Integration: "marketplace", Operation: "buy-now", Command: "c1", Caller: "caller-ü", Account: "a1",
		Data: json.RawMessage(`{"request":{"asin":"B0"}}`),
	}
	first.Hash = event.Hash(first)
	second := first
	second.ID, second.Type = "0190a000-0000-7000-8000-000000000002", event.TypeCommandCompleted
	second.Version, second.Seq, second.Time = 2, 42, at.Add(time.Microsecond)
	second.Data = json.RawMessage(`{"outcome":"succeeded","durationMs":5}`)
	second.PrevHash = first.Hash
	second.Hash = event.Hash(second)
	return []event.Event{first, second}
}

// The vector was computed by a program of its own, in Python, from the text
// of Hash's comment. If it changes, every log that exists stops verifying.
func TestHashMatchesTheGoldenVector(t *testing.T) {
	t.Parallel()
	want := []string{
		"90dd44e2ff639fbbbbce19f6f9d8296ed6b2299edc23f6154c6f720baab1ba2a",
		"32cde7cc506f315a51e25b91dca06efa57bd870570850eaa6782e5a11162f14b",
	}
	for i, e := range stream() {
		if got := hex.EncodeToString(e.Hash); got != want[i] {
			t.Errorf("hash of event %d is %s, want %s", i+1, got, want[i])
		}
	}
}

func TestHashKeepsNeighbouringFieldsApart(t *testing.T) {
	t.Parallel()
	a := event.Event{Command: "ab", Caller: "c"}
	b := event.Event{Command: "a", Caller: "bc"}
	if bytes.Equal(event.Hash(a), event.Hash(b)) {
		t.Error("two events that differ only in where a field ends have the same hash")
	}
}

func TestVerifyStreamAcceptsAnUnbrokenChain(t *testing.T) {
	t.Parallel()
	if err := event.VerifyStream(stream()); err != nil {
		t.Error(err)
	}
	if err := event.VerifyStream(nil); err != nil {
		t.Errorf("empty stream: %v", err)
	}
}

func TestVerifyStreamNamesTheFirstWrongEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		damage func(s []event.Event) []event.Event
		want   string
	}{
		{"a byte of data", func(s []event.Event) []event.Event {
			s[0].Data = json.RawMessage(`{"request":{"asin":"B1"}}`)
			return s
		}, "event 1 (id 0190a000-0000-7000-8000-000000000001, version 1): its hash"},
		{"the account", func(s []event.Event) []event.Event { s[1].Account = "a2"; return s }, "event 2"},
		{"the time", func(s []event.Event) []event.Event { s[1].Time = s[1].Time.Add(time.Second); return s }, "event 2"},
		{"first event taken out", func(s []event.Event) []event.Event { return s[1:] }, "version 1 was expected"},
		{"an event doubled", func(s []event.Event) []event.Event { return append(s, s[1]) }, "version 3 was expected"},
		{"events swapped", func(s []event.Event) []event.Event { return []event.Event{s[1], s[0]} }, "event 1"},
		{"an event of another stream", func(s []event.Event) []event.Event {
			s[1].Stream = event.CommandStream("c2")
			return s
		}, "belongs to stream command/c2"},
		{"rewritten with a hash of its own", func(s []event.Event) []event.Event {
			s[0].Caller = "somebody"
			s[0].Hash = event.Hash(s[0])
			return s
		}, "event 2 (id 0190a000-0000-7000-8000-000000000002, version 2): it does not carry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := event.VerifyStream(tt.damage(stream()))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}
