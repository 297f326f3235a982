package eventlog

import (
	"context"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

// slow is a journal of which NATS sends nothing in time at first, and then a
// part at a time: no real server is slow at a chosen request.
type slow struct {
	jetstream.Stream
	asked func(times int) (inTime int) // how many entries come
}

func (s slow) OrderedConsumer(ctx context.Context, config jetstream.OrderedConsumerConfig) (jetstream.Consumer, error) {
	consumer, err := s.Stream.OrderedConsumer(ctx, config)
	return &slowConsumer{Consumer: consumer, asked: s.asked}, err
}

type slowConsumer struct {
	jetstream.Consumer

	asked func(times int) (inTime int)
	times int
}

func (c *slowConsumer) Fetch(limit int, options ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	c.times++
	if n := min(limit, c.asked(c.times)); n > 0 {
		return c.Consumer.Fetch(n, options...)
	}
	return nothing{}, nil
}

// nothing is the answer to a request whose time is over.
type nothing struct{ jetstream.MessageBatch }

func (nothing) Messages() <-chan jetstream.Msg {
	none := make(chan jetstream.Msg)
	close(none)
	return none
}

func (nothing) Error() error { return nil }

// A part of the journal must not be taken for the whole: a log that lacks the rest
// would be opened.
func TestJournalIsReadToItsEndHoweverSlowNATSIs(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	journal, err := OpenJournal(limited(t), s.nc, 1)
	if err != nil {
		t.Fatal(err)
	}
	var written []event.Event
	for range 3 {
		events := mustAppend(t, s.log, event.CommandStream(event.NewID()), 0, accepted(t, ""), accepted(t, ""))
		if err := journal.Record(limited(t), events...); err != nil {
			t.Fatal(err)
		}
		written = append(written, events...)
	}
	stream, err := s.js.Stream(limited(t), JournalStream)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	use := func(batch []journaled) (bool, error) {
		for _, e := range batch {
			read = append(read, e.ID)
		}
		return true, nil
	}
	parts := func(times int) int { return 2 * ((times + 1) % 2) }
	if err := readJournal(limited(t), slow{stream, parts}, use); err != nil || len(read) != len(written) {
		t.Errorf("%d of %d entries are read, %v", len(read), len(written), err)
	}
	for _, e := range written {
		if !slices.Contains(read, e.ID) {
			t.Errorf("event %s is not read", e.ID)
		}
	}

	ctx, cancel := context.WithCancel(limited(t))
	defer cancel()
	stuck := func(times int) int {
		if times == 3 {
			cancel()
		}
		return max(0, 3-2*times)
	}
	if err := readJournal(ctx, slow{stream, stuck}, use); err == nil {
		t.Error("a journal that could not be read to its end counts as read")
	}
}
