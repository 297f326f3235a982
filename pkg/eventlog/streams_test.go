package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"integration.gateway/contracts/event"
)

// Appends in any order, of any size, right ones, conflicting ones and repeated
// ones, leave streams as a list for each stream would have them.
func TestStreamsAreWhatWasAppendedToThem(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &model{t: t, log: log, run: runs, streams: map[string][]event.Event{}}
		actions := []func(*rapid.T){m.append, m.append, m.conflict, m.repeat, m.repeatChanged, m.takeID}
		for range rapid.IntRange(1, 10).Draw(rt, "appends") {
			rapid.SampledFrom(actions).Draw(rt, "action")(rt)
		}
		m.compare(rt)
	})
}

// model is what the log should hold of one run's streams.
type model struct {
	t       *testing.T
	log     *Log
	run     int
	streams map[string][]event.Event
	appends []appended
}

// appended is an append that came through.
type appended struct {
	stream string
	last   event.Event
	events []event.Event // as the log answered
}

func (m *model) stream(rt *rapid.T) string {
	return event.CommandStream(fmt.Sprintf("%d-%d", m.run, rapid.IntRange(0, 2).Draw(rt, "stream")))
}

func (m *model) events(rt *rapid.T) []event.Event {
	events := make([]event.Event, rapid.IntRange(1, 4).Draw(rt, "events"))
	for i := range events {
		events[i] = accepted(m.t, "")
		data, err := json.Marshal(rapid.String().Draw(rt, "data"))
		if err != nil {
			rt.Fatal(err)
		}
		events[i].Data = data
	}
	return events
}

func (m *model) append(rt *rapid.T) {
	stream := m.stream(rt)
	last := m.last(stream)
	events := m.events(rt)
	got, err := m.log.Append(limited(m.t), stream, last, events...)
	if err != nil {
		rt.Fatal(err)
	}
	for i, e := range got {
		if e.ID == "" || e.Version != last.Version+int64(i)+1 || !bytes.Equal(e.Data, events[i].Data) {
			rt.Errorf("event %d came back as %+v", i, e)
		}
	}
	m.streams[stream] = append(m.streams[stream], got...)
	m.appends = append(m.appends, appended{stream, last, got})
}

// last is the last event of a stream.
func (m *model) last(stream string) (last event.Event) {
	if there := m.streams[stream]; len(there) > 0 {
		last = there[len(there)-1]
	}
	return last
}

func (m *model) conflict(rt *rapid.T) {
	stream := m.stream(rt)
	last := m.last(stream)
	there := last.Version
	last.Version = rapid.Int64Range(0, there+3).Filter(func(v int64) bool { return v != there }).Draw(rt, "wrong version")
	m.refused(rt, stream, last, m.events(rt)...)
}

// repeat makes an earlier append again, as one does who got no answer.
func (m *model) repeat(rt *rapid.T) {
	if len(m.appends) == 0 {
		return
	}
	a := rapid.SampledFrom(m.appends).Draw(rt, "append")
	got, err := m.log.Append(limited(m.t), a.stream, a.last, bare(a.events)...)
	if err != nil {
		rt.Fatal(err)
	}
	if diff := gocmp.Diff(a.events, got); diff != "" {
		rt.Errorf("the repeated append was answered otherwise: %s", diff)
	}
}

func (m *model) repeatChanged(rt *rapid.T) {
	if len(m.appends) == 0 {
		return
	}
	a := rapid.SampledFrom(m.appends).Draw(rt, "append")
	events := bare(a.events)
	e := &events[rapid.IntRange(0, len(events)-1).Draw(rt, "changed")]
	if rapid.Bool().Draw(rt, "change the id") {
		e.ID = event.NewID()
	} else {
		e.Data = append(slices.Clone(e.Data), ' ')
	}
	m.refused(rt, a.stream, a.last, events...)
}

// takeID appends an event whose id is in use.
func (m *model) takeID(rt *rapid.T) {
	if len(m.appends) == 0 {
		return
	}
	used := rapid.SampledFrom(m.appends).Draw(rt, "append").events[0].ID
	stream := m.stream(rt)
	events := m.events(rt)
	events[len(events)-1].ID = used
	m.refused(rt, stream, m.last(stream), events...)
}

func (m *model) refused(rt *rapid.T, stream string, last event.Event, events ...event.Event) {
	if _, err := m.log.Append(limited(m.t), stream, last, events...); !errors.Is(err, ErrConflict) {
		rt.Errorf("an append to %s after version %d: %v", stream, last.Version, err)
	}
}

// bare returns events as a caller has them before an append, with their ids.
func bare(events []event.Event) []event.Event {
	events = slices.Clone(events)
	for i := range events {
		e := &events[i]
		e.Stream, e.Version, e.Time, e.PrevHash, e.Hash = "", 0, time.Time{}, nil, nil
	}
	return events
}

func (m *model) compare(rt *rapid.T) {
	for stream, want := range m.streams {
		got, err := m.log.Stream(limited(m.t), stream)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			rt.Errorf("stream %s: %s", stream, diff)
		}
		if err := event.VerifyStream(got); err != nil {
			rt.Error(err)
		}
	}
}
