package eventlog

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"integration.gateway/contracts/event"
)

func TestAPlainSubscriberGetsCloudEvents(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	sub, err := s.nc.SubscribeSync("evt.>")
	if err != nil {
		t.Fatal(err)
	}
	s.keep(t)
	mustAppend(t, s.log, stream, 0, accepted(t, "Euro €"))
	msg, err := sub.NextMsgWithContext(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.log.Range(limited(t), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if msg.Subject != "evt.marketplace.buy-now.accepted" || msg.Header.Get("ce-specversion") != "1.0" || msg.Header.Get("ce-id") != want[0].ID {
		t.Errorf("got %s with %v", msg.Subject, msg.Header)
	}
	got, err := event.Decode(msg.Subject, msg.Header, msg.Data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[0], got); diff != "" {
		t.Error(diff)
	}
	if err := event.VerifyStream([]event.Event{got}); err != nil {
		t.Error(err)
	}
}

func TestTheRelayGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, stop := s.keep(t)
	s.fill(t, 10)
	s.awaitCopy(t, 10)
	stop()
	s.fill(t, relayBatch+10)
	s.keep(t)
	s.awaitCopy(t, relayBatch+20)
}

// Relays that race find their messages refused or published already; each
// looks what the stream holds and goes on from there.
func TestManyRelaysMakeOneCopy(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.fill(t, 300)
	sequenceAll(t, s.log)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 3 {
		r := s.relay(t)
		wg.Go(func() {
			if err := r.run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	s.awaitCopy(t, 300)
	cancel()
	wg.Wait()
}

func TestTheRelayFillsUpAStreamThatLostItsTail(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	_, stop := s.keep(t)
	s.fill(t, 30)
	s.awaitCopy(t, 30)
	stop()
	s.loseTail(t, 17)
	s.keep(t)
	s.awaitCopy(t, 30)
}

func TestTheRelayFillsUpAStreamThatIsLost(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	k, _ := s.keep(t)
	s.fill(t, 30)
	s.awaitCopy(t, 30)
	if err := s.js.DeleteStream(limited(t), DefaultStream); err != nil {
		t.Fatal(err)
	}
	s.awaitCopy(t, 30) // with nothing new to publish
	if err := s.js.DeleteStream(limited(t), DefaultStream); err != nil {
		t.Fatal(err)
	}
	s.fill(t, 5)
	s.awaitCopy(t, 35)
	until(t, "the keeper is well", func(context.Context) bool { return k.Err() == nil })
}

func TestTheLogIsClosedWhereItsCopyIsAnother(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, s *setup){
		"a message of somebody else": func(t *testing.T, s *setup) {
			t.Helper()
			s.createCopy(t, copyConfig(DefaultStream, 1))
			s.mustPublish(t, &nats.Msg{Subject: "evt.marketplace.buy-now.accepted", Data: []byte("{}")})
		},
		"an event of another log": func(t *testing.T, s *setup) {
			t.Helper()
			s.fill(t, 1)
			sequenceAll(t, s.log)
			s.createCopy(t, copyConfig(DefaultStream, 1))
			other := newLog(t)
			mustAppend(t, other, stream, 0, accepted(t, "other"))
			sequenceAll(t, other)
			s.publishFrom(t, other, 1)
		},
		"more than the log holds": func(t *testing.T, s *setup) {
			t.Helper()
			s.fill(t, 2)
			sequenceAll(t, s.log)
			s.createCopy(t, copyConfig(DefaultStream, 1))
			s.publishFrom(t, s.log, 2)
			for range 1000 {
				s.mustPublish(t, &nats.Msg{Subject: "evt.marketplace.buy-now.accepted", Data: []byte("{}")})
			}
		},
		"a stream that forgets": func(t *testing.T, s *setup) {
			t.Helper()
			config := copyConfig(DefaultStream, 1)
			config.DenyDelete = false
			s.createCopy(t, config)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			damage(t, s)
			k, _ := s.keep(t)
			s.isClosed(t, k)
		})
	}
}

// isClosed waits until the keeper reports a mismatch, and checks that nothing is
// appended any more.
func (s *setup) isClosed(t *testing.T, k *Keeper) {
	t.Helper()
	until(t, "the keeper reports a mismatch", func(context.Context) bool { return errors.Is(k.Err(), ErrMismatch) })
	until(t, "the log is closed", func(context.Context) bool { return !s.state(t).Open })
	if _, err := s.log.Append(limited(t), event.CommandStream(event.NewID()), 0, accepted(t, "")); !errors.Is(err, ErrClosed) {
		t.Errorf("append to a closed log: %v", err)
	}
	if err := k.Err(); !errors.Is(err, ErrMismatch) {
		t.Errorf("the keeper reports %v", err)
	}
}

// relay returns a relay that runs without a keeper.
func (s *setup) relay(t testing.TB) *relay {
	t.Helper()
	config := copyConfig(DefaultStream, 1)
	if _, err := openCopy(limited(t), s.js, config); err != nil {
		t.Fatal(err)
	}
	return &relay{log: s.log, nc: s.nc, config: config, copied: func(int64) {}, report: func(error) {}, logger: slog.New(slog.DiscardHandler)}
}

// loseTail leaves the stream as if it had never had what comes after keep.
func (s *setup) loseTail(t testing.TB, keep int) {
	t.Helper()
	if err := s.js.DeleteStream(limited(t), DefaultStream); err != nil {
		t.Fatal(err)
	}
	s.createCopy(t, copyConfig(DefaultStream, 1))
	s.publishFrom(t, s.log, keep)
}

func (s *setup) createCopy(t testing.TB, config jetstream.StreamConfig) {
	t.Helper()
	if _, err := s.js.CreateStream(limited(t), config); err != nil {
		t.Fatal(err)
	}
}

// publishFrom publishes the first n events of a log.
func (s *setup) publishFrom(t testing.TB, log *Log, n int) {
	t.Helper()
	events, err := log.Range(limited(t), 0, n)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{config: copyConfig(DefaultStream, 1)}
	for _, e := range events {
		answer, err := r.send(s.js, e, "")
		if err == nil {
			err = await(limited(t), answer, e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (s *setup) mustPublish(t testing.TB, msg *nats.Msg) {
	t.Helper()
	if _, err := s.js.PublishMsg(limited(t), msg); err != nil {
		t.Fatal(err)
	}
}
